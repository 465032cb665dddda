package index

import (
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// lit is what of the text a search lights up.
func lit(ix *Index, search string, mode corpus.Mode, text string) []string {
	var parts []string
	for _, s := range ix.Matches(search, mode, text) {
		parts = append(parts, text[s.Start:s.End])
	}
	return parts
}

func TestMatches(t *testing.T) {
	ix := built(t, "en")
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
		{corpus.Syntax, `"open`, "open", nil},
	} {
		if got := lit(ix, test.search, test.mode, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s search %q lights %q of %q, not %q", test.mode, test.search, got, test.text, test.want)
		}
	}
}

// What finds a chunk lights it.
func TestHitsAreLit(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	for _, q := range c.queries[:60] {
		for _, id := range search(t, ix, corpus.SearchRequest{Text: q[1], Limit: 10}) {
			i := slices.IndexFunc(c.chunks, func(x corpus.Chunk) bool { return x.ID == id })
			if len(ix.Matches(q[1], corpus.Plain, c.chunks[i].Title+"\n"+c.chunks[i].Text)) == 0 {
				t.Errorf("query %s lights nothing in %s", q[0], id)
			}
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
		ix := built(t, "en")
		p, err := planFor(ix.analyzer, corpus.SearchRequest{Text: test.search, Mode: corpus.Plain})
		if err != nil {
			t.Fatal(err)
		}
		at, _ := newMatcher(ix.analyzer, p).place(test.text, nil)
		got := snippet(test.text, at)
		if !strings.Contains(got, test.want) || len(got) > snippetSize {
			t.Errorf("%q: %d bytes %q", test.search, len(got), got)
		}
	}
	// A word far behind is found, wherever the parts that are looked at meet.
	for n := snippetScan - 12; n < snippetScan+3; n++ {
		text := strings.Repeat("x", n) + " needle"
		m := newMatcher(built(t, "none").analyzer, plan{units: []unit{{terms: []string{"needle"}, weight: 1}}})
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
