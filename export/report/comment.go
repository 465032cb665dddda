package report

import (
	"fmt"
	"regexp"
	"strings"

	"assay/corpus/text"
)

// section is a part of a comment that can be cut at the end of any line.
type section struct {
	name   string
	before []string
	lines  []string
	after  []string
}

// folded is a section that opens at a click; it is empty where lines is.
func folded(name, summary string, lines []string) section {
	if len(lines) == 0 {
		return section{name: name}
	}
	return section{
		name: name, lines: lines,
		before: []string{"<details><summary>" + summary + "</summary>", ""},
		after:  []string{"", "</details>", ""},
	}
}

// comment is Markdown of at most maxMarkdown bytes. Sections come in the order of what they matter; the tail always
// has a place.
type comment struct {
	b    strings.Builder
	tail string
	cut  []cut
}

// cut says how many lines of a section had no place.
type cut struct {
	lines int
	name  string
}

// reserve is kept for saying what was cut.
const reserve = 1000

func (c *comment) add(s section) {
	if len(s.lines) == 0 {
		return
	}
	room := maxMarkdown - reserve - len(c.tail) - c.b.Len()
	size := func(lines []string) (n int) {
		for _, line := range lines {
			n += len(line) + 1
		}
		return n
	}
	room -= size(s.before) + size(s.after)
	kept := 0
	for kept < len(s.lines) && room >= len(s.lines[kept])+1 {
		room -= len(s.lines[kept]) + 1
		kept++
	}
	if kept < len(s.lines) {
		gone := len(s.lines) - kept
		if n := len(c.cut); n > 0 && c.cut[n-1].name == s.name { // sections of one kind follow each other
			c.cut[n-1].lines += gone
		} else {
			c.cut = append(c.cut, cut{gone, s.name})
		}
	}
	if kept == 0 {
		return
	}
	for _, part := range [][]string{s.before, s.lines[:kept], s.after} {
		for _, line := range part {
			c.b.WriteString(line)
			c.b.WriteByte('\n')
		}
	}
	if kept < len(s.lines) && len(s.after) == 0 {
		c.b.WriteByte('\n') // ends a list or table that the last line would have ended
	}
}

func (c *comment) String() string {
	out := c.b.String()
	if len(c.cut) > 0 {
		var parts []string
		for _, gone := range c.cut {
			parts = append(parts, text.Count(gone.lines, "line", "lines")+" of "+gone.name)
		}
		out += "*Cut to fit a comment: " + strings.Join(parts, ", ") + ".*\n\n"
	}
	return out + c.tail
}

// named lists ids, the first few of them.
func named(ids []string) string {
	var list []string
	for i, id := range ids {
		if i == maxNamed {
			list = append(list, fmt.Sprintf("… and %d more", len(ids)-i))
			break
		}
		list = append(list, code(id))
	}
	return strings.Join(list, ", ")
}

// code is text from outside as a code span, which keeps it as it is: no markup, mentions or links. A pipe is escaped
// since tables split their cells before they look for code.
func code(s string) string {
	s = shown(s, 120)
	if s == "" {
		return "``(empty)``"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		pad = " "
	}
	return fence + pad + strings.ReplaceAll(s, "|", `\|`) + pad + fence
}

// live is what GitHub makes live in plain text: mentions, numbers after # (with a repository before it too), commits,
// addresses of pages and mail, emoji.
var live = regexp.MustCompile(`\B[@#][0-9A-Za-z]|#[0-9]|@[0-9A-Za-z_-]+\.[0-9A-Za-z]|@[0-9a-fA-F]{7,40}\b|\b[0-9a-fA-F]{40}\b|://|[wW]{3}\.|[gG][hH]-[0-9]|:[0-9a-z_+-]+:`)

// prose is text from outside that stands for itself: nothing in it is markup, and nobody is mentioned.
func prose(s string) string {
	s = strings.TrimSpace(shown(s, maxLine))
	s = live.ReplaceAllStringFunc(s, func(m string) string {
		at := 1 // behind a colon, @ or #
		if !strings.ContainsRune(":@#", rune(m[0])) {
			at = 3 // behind www and GH-; GitHub takes seven digits and more for a commit
		}
		return m[:at] + "\x00" + m[at:]
	})
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == 0:
			b.WriteString("&#8203;") // a space without width: what the bots on GitHub use
			continue
		case strings.ContainsRune("\\`*_[]<|~&$", r), i == 0 && strings.ContainsRune("-+=#>", r):
			b.WriteByte('\\')
		case (r == '.' || r == ')') && i > 0 && strings.Trim(s[:i], "0123456789") == "":
			b.WriteByte('\\') // would begin a numbered list
		}
		b.WriteRune(r)
	}
	return b.String()
}
