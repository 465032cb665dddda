package words

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func folded(l language, s string) string { return l.plain(l.lower(s)) }

func TestFold(t *testing.T) {
	for _, test := range []struct{ s, lower, plain string }{
		{"", "", ""},
		{"ABC", "abc", "abc"},
		{"Résumé", "résumé", "resume"},
		{"re\u0301sume\u0301", "résumé", "resume"},
		{"ẞß", "ssss", "ssss"},
		{"Ærø", "ærø", "aero"},
		{"ŁÓDŹ", "łódź", "lodz"},
		{"Þórður", "þórður", "thordur"},
		{"ŒUVRE", "œuvre", "oeuvre"},
		{"ﬀﬃ", "ffffi", "ffffi"},
		{"①Ⅻ", "1xii", "1xii"},
		{"ＡＢＣ１２３", "abc123", "abc123"},
		{"ΣΊΣΥΦΟΣ", "σίσυφοσ", "σισυφοσ"},
		{"ς", "σ", "σ"},
		{"ſ", "s", "s"},
		{"Ё", "е", "е"},
		{"Й", "й", "й"},
		{"и\u0306", "й", "й"},
		{"ﾊﾞ", "バ", "バ"},
		{"ハ\u3099", "バ", "バ"},
		{"أحمد", "احمد", "احمد"},
		{"على", "علي", "علي"},
		{"مدرسة", "مدرسه", "مدرسه"},
		{"ک", "ك", "ك"},
		{"كِتَابٌ", "كتاب", "كتاب"},
		{"كتــاب", "كتاب", "كتاب"},
		{"שָׁלוֹם", "שלום", "שלום"},
		{"कि", "कि", "कि"},
		{"O’Brien", "o'brien", "o'brien"},
		{"x‑y", "x-y", "x-y"},
		{"soft\u00adhyphen", "softhyphen", "softhyphen"},
		{"a\u200bb\u200cc\u200dd\u2060e\ufefff", "abcdef", "abcdef"},
		{"\u202eabc\u202c", "abc", "abc"},
		{"\ufffd", "", ""},
		{"\xff\xfe", "", ""},
		{"İI", "ii", "ii"},
		{"ｶﾞＡ", "ガa", "ガa"},
		{"Å\u212bA\u030a", "ååå", "aaa"},
		{"q\u0307\u0323", "q\u0323\u0307", "q"},
		{"e" + strings.Repeat("\u0301", 50), "é" + strings.Repeat("\u0301", 49), "e"},
	} {
		l := languages[NoLanguage]
		if got := l.lower(test.s); got != test.lower {
			t.Errorf("lower(%q) = %q, not %q", test.s, got, test.lower)
		}
		if got := folded(l, test.s); got != test.plain {
			t.Errorf("%q folds to %q, not %q", test.s, got, test.plain)
		}
	}
}

func TestFoldKeepsLettersOfTheirOwn(t *testing.T) {
	for name, kept := range map[string]string{"sv": "åäö", "fi": "åäö", "da": "åæø", "no": "åæø"} {
		l := languages[name]
		for _, r := range kept {
			for _, form := range []string{string(r), strings.ToUpper(string(r)), norm.NFD.String(string(r))} {
				if got := folded(l, form); got != string(r) {
					t.Errorf("%s: %q folds to %q", name, form, got)
				}
			}
		}
		if got := folded(l, "é"); got != "e" {
			t.Errorf("%s: é folds to %q", name, got)
		}
	}
	if got := folded(languages["tr"], "IŞIKİZMİR"); got != "isikizmir" {
		t.Errorf("tr: %q", got)
	}
	if got := languages["tr"].lowerOf("Iİıi"); got != "ıiıi" {
		t.Errorf("tr: %q", got)
	}
}

func (l language) lowerOf(s string) string { return l.lower(s) }

// For every letter: both cases, both normal forms and the compatibility forms fold to the same, and folding again
// changes nothing.
func TestFoldIsStable(t *testing.T) {
	for name, l := range languages {
		if name != NoLanguage && name != "sv" && name != "ar" {
			continue
		}
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
				continue
			}
			s := string(r)
			want := folded(l, s)
			if !utf8.ValidString(want) {
				t.Fatalf("%s: %U folds to broken %q", name, r, want)
			}
			if got := folded(l, want); got != want {
				t.Errorf("%s: %U folds to %q, that to %q", name, r, want, got)
			}
			for form, got := range map[string]string{"NFD": folded(l, norm.NFD.String(s)), "NFC": folded(l, norm.NFC.String(s)), "NFKC": folded(l, norm.NFKC.String(s))} {
				if got != want {
					t.Errorf("%s: %U folds to %q, its %s to %q", name, r, want, form, got)
				}
			}
			if unicode.IsUpper(r) && unicode.ToUpper(unicode.ToLower(r)) == r {
				if got := folded(l, string(unicode.ToLower(r))); got != want {
					t.Errorf("%s: %U folds to %q, lower %q", name, r, want, got)
				}
			}
			if t.Failed() && r > 0x3000 {
				t.FailNow()
			}
		}
	}
}

func TestDigitsOfAllScripts(t *testing.T) {
	l := languages[NoLanguage]
	seen := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Nd, r) {
			continue
		}
		seen++
		got := folded(l, string(r))
		if len(got) != 1 || got[0] < '0' || got[0] > '9' {
			t.Errorf("%U folds to %q", r, got)
		}
		if unicode.Is(unicode.Nd, r-1) && folded(l, string(r-1))[0] != got[0]-1 && got != "0" {
			t.Errorf("%U is %s, the one before it %s", r, got, folded(l, string(r-1)))
		}
	}
	if seen < 600 {
		t.Errorf("only %d digits", seen)
	}
}

// Every character, alone and between letters, is taken without complaint and leaves terms without anything that
// ends a key.
func TestEveryCharacter(t *testing.T) {
	a := analyzer(t, "en")
	var tokens []Token
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 || r > 0x32000 && r < 0xe0000 || r > 0xe0200 {
			continue
		}
		for _, text := range []string{string(r), "x" + string(r) + "y"} {
			tokens = a.Tokens(tokens[:0], text)
			for _, tok := range tokens {
				if tok.Term == "" || strings.ContainsAny(tok.Term, StemEnd+StemMark) || tok.End > len(text) || tok.Start >= tok.End {
					t.Fatalf("%U: %+v", r, tok)
				}
			}
			if len(text) > len(string(r)) && len(tokens) == 0 {
				t.Fatalf("x%Uy has no words", r)
			}
		}
	}
}
