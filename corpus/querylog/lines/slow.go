package lines

import (
	"strings"
	"time"
)

// Slow is one line of a search slow log. There is one for each shard and phase of a search.
type Slow struct {
	Time   time.Time
	Source string // the search's body, JSON; cut off in old versions
	Other  bool   // it is no search of its own: see Other
}

// IsSlow reports whether a line is one of a search slow log in its text form.
func IsSlow(line string) bool {
	return strings.HasPrefix(line, "[") && strings.Contains(line, "source[") &&
		(strings.Contains(line, "took_millis[") || strings.Contains(line, "search.slowlog"))
}

// Other reports whether a logger (index.search.slowlog.fetch, or short i.s.s.fetch) logs no searches of their own: the
// fetch phase, in which the same search brings in its documents, and the indexing of documents.
func Other(logger string) bool {
	return strings.Contains(logger, "slowlog.fetch") || strings.Contains(logger, ".s.fetch") ||
		strings.Contains(logger, "indexing") || strings.Contains(logger, "i.i.s.")
}

// ParseSlow takes a line of the text form apart: [time][level][i.s.s.query] [node] [index][shard] took[…], …, source[…], …
func ParseSlow(line string) (Slow, bool) {
	var s Slow
	stamp, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "]")
	if !IsSlow(line) || !ok {
		return s, false
	}
	s.Time = slowTime(strings.TrimSpace(stamp))
	head, rest, ok := strings.Cut(rest, "source[")
	if !ok {
		return s, false
	}
	s.Other = Other(head)
	s.Source = rest
	if end := bodyEnd(rest); end >= 0 {
		s.Source = rest[:end]
	}
	return s, true
}

// slowTime is zero where the time is in no layout that slow logs have.
func slowTime(s string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05,000", "2006-01-02T15:04:05,000Z07:00", "2006-01-02 15:04:05,000", time.RFC3339Nano} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// bodyEnd is where a JSON object at the beginning of a text ends, -1 where it does not. Its quotes may be escaped, as
// they are where the line was once part of a JSON text.
func bodyEnd(s string) int {
	depth, inText := 0, false
	escaped := strings.HasPrefix(s, `{\"`)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if escaped && c == '\\' && i+1 < len(s) {
			i++
			switch {
			case s[i] == '"':
				inText = !inText
			case s[i] == '\\' && i+2 < len(s) && s[i+1] == '\\':
				i += 2 // \\\" is a quote within a text
			}
			continue
		}
		switch {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == ']' && depth == 0:
			return i
		}
	}
	return -1
}
