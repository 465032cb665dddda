package ask

import (
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

func analyzer(t testing.TB, language string) *words.Analyzer {
	t.Helper()
	a, err := words.New(language, words.Searching)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func matcher(t testing.TB, language, search string, mode corpus.Mode) *Matcher {
	t.Helper()
	a := analyzer(t, language)
	p, err := For(a, corpus.SearchRequest{Text: search, Mode: mode, Prefix: true})
	if err != nil {
		t.Fatalf("%q: %v", search, err)
	}
	return NewMatcher(a, p)
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		mode         corpus.Mode
		search, text string
		want         []string
	}{
		{corpus.Plain, "refund", "Refunds were REFUNDED, no refund", []string{"Refunds", "REFUNDED", "refund"}},
		{corpus.Plain, "the refund", "the refund", []string{"refund"}},
		{corpus.Plain, "the", "the refund", []string{"the"}},
		{corpus.Plain, "refun", "a refund, Refunds", []string{"refund", "Refunds"}},
		{corpus.Plain, "user", "user and users, userland", []string{"user", "users"}},
		{corpus.Plain, "getUserByID", "call getUserByID or user", []string{"getUserByID", "user"}},
		{corpus.Plain, "getuserbyid", "call getUserByID", []string{"getUserByID"}},
		{corpus.Plain, "kube-apiserver", "the kube-apiserver, kube apiserver", []string{"kube-apiserver", "kube", "apiserver"}},
		{corpus.Plain, "C++", "c and C++", []string{"c", "C++"}},
		{corpus.Plain, "résumé", "re\u0301sume\u0301 Resume", []string{"re\u0301sume\u0301", "Resume"}},
		{corpus.Plain, "东京", "去东京都", []string{"东京"}},
		{corpus.Plain, "东京都", "去东京都，京都", []string{"东京都", "京都"}},
		{corpus.Plain, `"refund policy"`, "a policy. The Refund policy, refund", []string{"policy", "Refund policy", "refund"}},
		{corpus.Plain, `"to be"`, "to be or be to", []string{"to be", "be", "to"}},
		{corpus.Plain, "", "text", nil},
		{corpus.Plain, "x", "", nil},
		{corpus.Plain, "\xff", "\xff", nil},
		{corpus.Plain, "needle", "\xff\xfeneedle\xff", []string{"needle"}},
		{corpus.Syntax, "refun*", "a refund, Refunds, ref", []string{"refund", "Refunds"}},
		{corpus.Syntax, "refnud~", "refund reframe", []string{"refund"}},
		{corpus.Syntax, "refund -box doc:x is:relevant", "refund box doc x", []string{"refund"}},
		{corpus.Syntax, "refun", "refund", nil},
	} {
		var got []string
		for _, s := range matcher(t, "en", test.search, test.mode).Spans(test.text) {
			got = append(got, test.text[s.Start:s.End])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s search %q lights %q of %q, not %q", test.mode, test.search, got, test.text, test.want)
		}
	}
}

func TestSnippets(t *testing.T) {
	long := strings.Repeat("filler words that say nothing ", 40)
	for _, test := range []struct{ search, text, want string }{
		{"needle", "needle", "needle"},
		{"needle", "  a \n\n\t needle\u00a0here  ", "a needle here"},
		{"needle", long + "the needle is here " + long, "words that say nothing the needle is here filler words"},
		{"none", long, "filler words that say nothing filler"},
		{"needle thread", "needle " + long + "needle and thread " + long, "needle and thread"},
		{"針", strings.Repeat("漢字", 200) + "針" + strings.Repeat("漢字", 200), "漢字漢字針漢字漢字"},
	} {
		got, _ := matcher(t, "en", test.search, corpus.Plain).Snippet(test.text, nil)
		if !strings.Contains(got, test.want) || len(got) > snippetSize {
			t.Errorf("%q: %d bytes %q", test.search, len(got), got)
		}
	}
	// A word far behind is found, wherever the parts that are looked at meet.
	for n := snippetScan - 12; n < snippetScan+3; n++ {
		text := strings.Repeat("x", n) + " needle"
		m := matcher(t, "none", "needle", corpus.Plain)
		if at, _ := m.place(text, nil); at != n+1 {
			t.Errorf("after %d bytes it is at %d", n, at)
		}
		if n == snippetScan-10 {
			break
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		n    int
		want bool
	}{
		{"refund", "refund", 1, true}, {"refund", "refnud", 1, true}, {"refund", "refunds", 1, true}, {"refund", "efund", 1, true}, {"refund", "rafund", 1, true},
		{"refund", "rafunds", 1, false}, {"refund", "rafunds", 2, true}, {"", "ab", 2, true}, {"", "abc", 2, false}, {"東京", "東都", 1, true}, {"ab", "ba", 1, true}, {"abc", "cab", 1, false},
	} {
		if got := within(test.a, test.b, test.n); got != test.want {
			t.Errorf("within(%q, %q, %d) = %v", test.a, test.b, test.n, got)
		}
	}
	if words.MaxTerm < 64 {
		t.Error("terms are shorter than what is compared here")
	}
}
