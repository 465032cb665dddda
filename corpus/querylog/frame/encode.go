package frame

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// appendJSON encodes an entry as encoding/json would, `<`, `>` and `&` left as they are, with a line feed. Most entries
// have few fields set: those are written by hand, at a fifth of the cost.
func appendJSON(b []byte, e Entry) ([]byte, error) {
	if !plain(e) {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		err := enc.Encode(e)
		return append(b, buf.Bytes()...), err
	}
	b = append(b, `{"id":`...)
	b = appendText(b, e.ID)
	b = append(b, `,"text":`...)
	b = appendText(b, e.Text)
	if e.Kind != "" {
		b = append(b, `,"kind":`...)
		b = appendText(b, string(e.Kind))
	}
	if e.Count != 0 {
		b = append(b, `,"count":`...)
		b = strconv.AppendInt(b, int64(e.Count), 10)
	}
	if e.Group != "" {
		b = append(b, `,"group":`...)
		b = appendText(b, e.Group)
	}
	if e.Source != "" {
		b = append(b, `,"source":`...)
		b = appendText(b, e.Source)
	}
	if e.Language != "" {
		b = append(b, `,"language":`...)
		b = appendText(b, e.Language)
	}
	b = appendTime(b, `,"first_seen":"`, e.FirstSeen)
	b = appendTime(b, `,"last_seen":"`, e.LastSeen)
	b = append(b, `,"asked":`...)
	if e.Asked == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, '[')
		for i, a := range e.Asked {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `{"s":`...)
			b = strconv.AppendInt(b, int64(a.Source), 10)
			b = append(b, `,"n":`...)
			b = strconv.AppendInt(b, int64(a.Count), 10)
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if e.Derived {
		b = append(b, `,"derived":true`...)
	}
	return append(b, "}\n"...), nil
}

// plain reports whether an entry has nothing but the fields that nearly all have.
func plain(e Entry) bool {
	return e.Inclusion == nil && e.Weight == nil && e.Stratum == "" && len(e.Variants) == 0 && len(e.Proposed) == 0 && len(e.Turns) == 0 &&
		e.ParentID == "" && e.Standalone == "" && e.ReferenceAnswer == "" && !e.Excluded && e.Order == 0 && e.Total == 0 && len(e.Tags) == 0 &&
		sound(e.FirstSeen) && sound(e.LastSeen)
}

// sound reports whether a time is one that JSON can hold.
func sound(t *time.Time) bool {
	return t == nil || t.Year() >= 0 && t.Year() <= 9999 && t.Location() == time.UTC
}

func appendTime(b []byte, name string, t *time.Time) []byte {
	if t == nil {
		return b
	}
	return append(t.AppendFormat(append(b, name...), time.RFC3339Nano), '"')
}

// appendText encodes a text. Where something has to be escaped, encoding/json does it.
func appendText(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c == 0x7f || c >= 0x80 {
			return appendEscaped(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendEscaped(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil || !utf8.Valid(buf.Bytes()) {
		return append(b, `""`...) // never: any text can be encoded
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
