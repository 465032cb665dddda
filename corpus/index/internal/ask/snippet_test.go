package ask

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"assay/corpus"

	"github.com/rivo/uniseg"
)

// clusters are what a reader sees as the characters of a text.
func clusters(text string) (parts []string) {
	for g := uniseg.NewGraphemes(text); g.Next(); {
		parts = append(parts, g.Str())
	}
	return parts
}

// A snippet is a piece of the text, blanks run together, and never cuts a character in two.
func TestSnippetsCutBetweenCharacters(t *testing.T) {
	pieces := []string{
		"word", "needle", " ", "\n", "\t\t", "👩‍👩‍👧‍👦", "🇺🇳", "é", "e\u0301\u0302", "한국", "ก็", "क्षि", "漢字", "\u200d", "a\u0308\u0308\u0308", "🏳️‍🌈", "\r\n", "…", "\u00a0", "ﷺ",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		var b strings.Builder
		for b.Len() < 100+r.IntN(3000) {
			b.WriteString(pieces[min(r.IntN(len(pieces)), r.IntN(len(pieces)*2))%len(pieces)])
		}
		text := b.String()
		got, _ := matcher(t, "none", "needle", corpus.Plain).Snippet(text, nil)
		if len(got) > snippetSize || !utf8.ValidString(got) {
			t.Fatalf("round %d: %d bytes %q", round, len(got), got)
		}
		if strings.TrimSpace(text) != "" && strings.TrimSpace(got) == "" {
			t.Fatalf("round %d: nothing of %q", round, text)
		}
		// Every character of the snippet is one of the text, but for blanks.
		known := map[string]bool{" ": true}
		for _, c := range clusters(text) {
			known[c] = true
		}
		for _, c := range clusters(got) {
			if r, _ := utf8.DecodeRuneInString(c); !known[c] && !unicode.IsSpace(r) && !strings.ContainsRune(c, '\u200d') {
				t.Fatalf("round %d: %q is not in the text", round, c)
			}
		}
	}
}

func TestSnippetsOfOddTexts(t *testing.T) {
	for name, text := range map[string]string{
		"broken bytes":     strings.Repeat("\xff\xfe", 300) + "needle" + strings.Repeat("\xc3", 300),
		"a long word":      strings.Repeat("x", 100_000),
		"marks alone":      strings.Repeat("\u0301", 500),
		"a cluster of KBs": "e" + strings.Repeat("\u0301", 5000) + " needle",
		"joiners":          strings.Repeat("\u200d", 1000) + "needle",
		"flags":            strings.Repeat("🇺🇳", 200) + "needle" + strings.Repeat("🇺🇳", 200),
		"no blank":         strings.Repeat("漢字", 500) + "needle" + strings.Repeat("漢字", 500),
		"controls":         strings.Repeat("\x00\x1b[31m", 100) + " needle\x07",
		"one byte":         "x",
		"one broken byte":  "\xff",
	} {
		got, _ := matcher(t, "none", "needle", corpus.Plain).Snippet(text, nil)
		if got == "" || len(got) > snippetSize || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes %q", name, len(got), got)
		}
		if name != "a cluster of KBs" && strings.Contains(text, "needle") && !strings.Contains(got, "needle") {
			t.Errorf("%s: the word is not in %q", name, got)
		}
	}
	for _, blank := range []string{"", " ", "\n\t \u00a0\u3000"} {
		if got, _ := matcher(t, "none", "needle", corpus.Plain).Snippet(blank, nil); got != "" {
			t.Errorf("%q has the snippet %q", blank, got)
		}
	}
}

func TestSnippetsShowTheDensestPart(t *testing.T) {
	filler := strings.Repeat("nothing of interest here ", 30)
	text := "alpha " + filler + "alpha alpha alpha " + filler + "alpha with beta and gamma " + filler + "beta gamma"
	for search, want := range map[string]string{
		"alpha":            "alpha nothing",
		"beta":             "alpha with beta and gamma",
		"alpha gamma beta": "alpha with beta and gamma",
		`"beta gamma"`:     "beta gamma",
		"delta":            "alpha nothing",
	} {
		got, _ := matcher(t, "none", search, corpus.Plain).Snippet(text, nil)
		if !strings.Contains(got, want) {
			t.Errorf("%s shows %q", search, got)
		}
	}
}

func TestBoundary(t *testing.T) {
	for _, test := range []struct {
		text         string
		lo, hi, want int
	}{
		{"one two three", 2, 8, 3},
		{"onetwothree", 3, 8, 3},
		{"éééé", 1, 8, 2},
		{"👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, 50, 25},
		{"e\u0301e\u0301e\u0301", 1, 9, 3},
		{"a b", 0, 3, 1},
	} {
		if got := boundary(test.text, test.lo, min(test.hi, len(test.text))); got != test.want {
			t.Errorf("boundary(%q, %d, %d) = %d, not %d", test.text, test.lo, test.hi, got, test.want)
		}
	}
}

func BenchmarkSnippet(b *testing.B) {
	m := matcher(b, "en", "slipstream propeller lift", corpus.Plain)
	text := strings.Repeat("an experimental study of a wing in a propeller slipstream was made in order to determine the lift . ", 12)
	buf := m.analyzer.Tokens(nil, "")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, buf = m.Snippet(text, buf)
	}
}
