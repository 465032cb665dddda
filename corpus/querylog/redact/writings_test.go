package redact

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// A way in which a value gets into a text, other than as it is.
var ways = map[string]func(string) string{
	"plain":        func(v string) string { return v },
	"no-break":     func(v string) string { return strings.ReplaceAll(v, " ", "\u00a0") },
	"thin":         func(v string) string { return strings.ReplaceAll(v, " ", "\u2009") },
	"narrow":       func(v string) string { return strings.ReplaceAll(v, " ", "\u202f") },
	"two spaces":   func(v string) string { return strings.ReplaceAll(v, " ", "  ") },
	"en dash":      func(v string) string { return strings.ReplaceAll(v, "-", "–") },
	"hard hyphen":  func(v string) string { return strings.ReplaceAll(v, "-", "\u2011") },
	"full width":   func(v string) string { return shifted(v, unicode.IsDigit, '０'-'0') },
	"arabic":       func(v string) string { return shifted(v, unicode.IsDigit, '٠'-'0') },
	"wide letters": func(v string) string { return shifted(v, func(r rune) bool { return r > ' ' && r < 0x7f }, 0xfee0) },
	"zero width":   func(v string) string { return strings.Join(strings.Split(v, ""), "\u200b") },
	"soft hyphen":  func(v string) string { return v[:len(v)/2] + "\u00ad" + v[len(v)/2:] },
	"word joiner":  func(v string) string { return v[:len(v)/2] + "\u2060" + v[len(v)/2:] },
	"percent": func(v string) string {
		return each(v, func(c byte) string {
			if isWord(c | 0x20) {
				return string(rune(c))
			}
			return fmt.Sprintf("%%%02X", c)
		})
	},
	"percent twice": func(v string) string {
		return each(v, func(c byte) string {
			if isWord(c | 0x20) {
				return string(rune(c))
			}
			return fmt.Sprintf("%%25%02x", c)
		})
	},
	"every percent": func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf("%%%02x", c) }) },
	"entities":      func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf("&#%d;", c) }) },
	"hex entities":  func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf("&#x%x;", c) }) },
	"json":          func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf(`\u%04x`, c) }) },
	"upper":         strings.ToUpper,
	"lower":         strings.ToLower,
}

// What values stand in.
var frames = []string{
	"%s", "why does %s not work?", "please help me with %s, it is urgent", "ann: %s\nben: ok", "ann's %s.",
	`"%s"`, `'%s'`, `\"%s\"`, "`%s`", "**%s**", "_%s_", "~~%s~~", "<b>%s</b>", "<td>%s</td>", "|%s|", "| %s | 12 |", "(%s)", "[%s]", "{%s}", "<%s>", "«%s»", "“%s”",
	"%s, thanks", "%s; thanks", "%s!", "👉%s👈", "你好%s谢谢", "привет %s, пока", "x=%s;y=2", "https://example.com/?x=%s&y=2", `{"value":"%s","n":1}`, `{"value": %s}`,
	"\n%s\n", "\r\n%s\r\n", "\t%s\t", "> %s", "- %s", "# %s", "* %s", "1. %s", "…%s…", "→%s", "$ echo %s", "log: %s - - 200", "a/%s", "%s/b", "#%s",
}

func shifted(v string, which func(rune) bool, by rune) string {
	return strings.Map(func(r rune) rune {
		if which(r) {
			return r + by
		}
		return r
	}, v)
}

func each(v string, f func(byte) string) string {
	var b strings.Builder
	for i := range len(v) {
		b.WriteString(f(v[i]))
	}
	return b.String()
}

// Every value is caught in every way that it can get into a text, in several sentences.
func TestWritings(t *testing.T) {
	for kind, values := range map[Kind][]string{
		Email:  {"ann@example.com", "ben.chi+a1@mail.example.co.uk", "a_b-c@x-y.example.org"},
		Card:   {"4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "3782 822463 10005"},
		IBAN:   {"DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "NL91-ABNA-0417-1643-00"},
		Phone:  {"+49 30 901820", "+14155552671", "+1 (415) 555-2671", "(415) 555-2671", "415-555-2671", "020 7946 0958", "+44-20-7946-0958"},
		IP:     {"81.2.69.142", "10.1.2.3", "2a02:8071:b7c1:5800:9d3:1a2b:c3d4:e5f6", "2a02:8071::1f2"},
		Number: {"123-45-6789", "987654321098"},
		Secret: {"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "AKIAIOSFODNN7EXAMPLE"},
	} {
		for _, v := range values {
			for way, write := range ways {
				missed, example := 0, ""
				if kind == Secret && (way == "upper" || way == "lower") {
					continue
				}
				for _, in := range frames {
					written := write(v)
					text := fmt.Sprintf(in, written)
					got := New().Text(text)
					if !strings.Contains(got, "["+string(kind)+"-1]") || survives(got, text, written) != "" {
						missed++
						example = fmt.Sprintf("%q became %q", text, got)
					}
				}
				if missed > 0 {
					t.Errorf("%s, %s: %d missed: %s", kind, way, missed, example)
				}
			}
		}
	}
}

// survives is what is left of a value in a redacted text: all of it, five of its digits, or a word of it of five
// characters that isn't elsewhere in the text as well.
func survives(redacted, text, value string) string {
	if strings.Contains(redacted, value) {
		return value
	}
	rest := strings.Replace(text, value, " ", 1)
	left, elsewhere := figuresOf(redacted), figuresOf(rest)
	for _, run := range strings.Fields(figuresOf(value)) {
		for i := 0; i+5 <= len(run); i++ {
			if strings.Contains(left, run[i:i+5]) && !strings.Contains(elsewhere, run[i:i+5]) {
				return run[i : i+5]
			}
		}
	}
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len([]rune(w)) >= 5 && strings.Contains(redacted, w) && !strings.Contains(rest, w) {
			return w
		}
	}
	return ""
}

// figuresOf is the runs of digits in s, with other characters as one space; signs within a number don't part it.
func figuresOf(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			b.WriteByte(digitValue(r))
		case strings.ContainsRune("-.() /\u00a0\u200b\u2060\u00ad", r):
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
