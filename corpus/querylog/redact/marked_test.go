package redact

import (
	"strings"
	"testing"
)

// marked takes the marks off a text in which ⟦ and ⟧ stand around what is to be taken out.
func marked(s string) (text string, values []string) {
	for {
		before, rest, ok := strings.Cut(s, "⟦")
		if !ok {
			return text + s, values
		}
		value, after, _ := strings.Cut(rest, "⟧")
		text += before + value
		values = append(values, value)
		s = after
	}
}

// wanted is what a marked text is to read as, each value being another one.
func wanted(s string, kind Kind) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, rest, ok := strings.Cut(s, "⟦")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, "⟧")
		b.WriteString("[" + string(kind) + "-" + string(rune('0'+n)) + "]")
	}
}

// taken checks that of each line exactly what is marked in it is taken out as kind.
func taken(t *testing.T, kind Kind, lines []string) {
	t.Helper()
	for _, line := range lines {
		text, values := marked(line)
		if len(values) == 0 {
			t.Errorf("nothing is marked in %q", line)
		}
		if got, want := New().Text(text), wanted(line, kind); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// left checks that nothing is taken out of the lines.
func left(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		if got := New().Text(line); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// same checks that all of the values get one placeholder.
func same(t *testing.T, kind Kind, values []string) {
	t.Helper()
	r := New()
	for _, v := range values {
		if got, want := r.Text(v), "["+string(kind)+"-1]"; !strings.Contains(got, want) {
			t.Errorf("%q became %q", v, got)
		}
	}
}
