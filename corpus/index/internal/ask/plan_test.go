package ask

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// planned takes a search apart that can't be wrong.
func planned(t testing.TB, language string, r corpus.SearchRequest) Plan {
	t.Helper()
	p, err := For(analyzer(t, language), r)
	if err != nil {
		t.Fatalf("%q: %v", r.Text, err)
	}
	return p
}

// shown writes a plan: units as terms+stems, weights unless 1, groups as part,part/whole/prefix.
func shown(p Plan) string {
	var b strings.Builder
	for i, u := range p.Units {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Join(u.Terms, "|"))
		for _, s := range u.Stems {
			b.WriteString("+" + s)
		}
		if u.Prefix != "" {
			b.WriteString(u.Prefix + "*")
		}
		if u.Also != "" {
			b.WriteString("|" + u.Also + "*")
		}
		if u.Fuzzy != "" {
			fmt.Fprintf(&b, "%s~%d", u.Fuzzy, u.Edits)
		}
		if u.Weight != 1 {
			fmt.Fprintf(&b, "^%g", u.Weight)
		}
	}
	for _, g := range p.Groups {
		fmt.Fprintf(&b, " [%s", strings.Trim(fmt.Sprint(g.Parts), "[]"))
		if g.Whole >= 0 {
			fmt.Fprintf(&b, "/%d", g.Whole)
		}
		if g.Prefix >= 0 {
			fmt.Fprintf(&b, "*%d", g.Prefix)
		}
		b.WriteString("]")
	}
	for _, ph := range p.Phrases {
		fmt.Fprintf(&b, " %q", strings.Join(ph.Words, " "))
		if ph.Not {
			b.WriteString("!")
		}
	}
	return strings.TrimSpace(b.String())
}

func TestPlans(t *testing.T) {
	for _, test := range []struct {
		language, text string
		prefix         bool
		want           string
	}{
		{"none", "", false, ""},
		{"none", "-- ?", true, ""},
		{"none", "Refund policy", false, "refund policy [0] [1]"},
		{"none", "refund refund REFUND", false, "refund [0] [0] [0]"},
		{"en", "refunds", false, "refund+refund [0]"},
		{"en", "happy running", false, "happi+happi run+run [0] [1]"},
		{"en", "the refund", false, "refund+refund [0]"},
		{"en", "to be", false, "to+to be+be [0] [1]"},
		{"pt", "informação", false, "inform|informaca\x00o+inform [0]"},
		{"none", "user_id", false, "user id user_id|userid [0 1/2]"},
		{"none", "e-mail", false, "e mail e-mail|email^0.5 [0 1/2]"},
		{"none", "getUserByID", false, "get user by id getuserbyid [0 1 2 3/4]"},
		{"en", "and/or", false, "and/or [/0]"},
		{"none", "--force", false, "force --force [0/1]"},
		{"none", "东京都", false, "东京 京都 [0 1]"},
		{"none", "寺", true, "寺 [0]"},
		{"none", "refund pol", true, "refund pol pol*^0.5 [0] [1*2]"},
		{"none", "refund pol ", true, "refund pol [0] [1]"},
		{"none", "kube-api", true, "kube api kube-api|kubeapi^0.5 kube-api* [0 1/2*3]"},
		{"en", "refund the", true, "refund+refund [0]"},
		{"en", "the", true, "the+the the*^0.5 [0*1]"},
		{"en", "what is the", true, "the+the the*^0.5 what+what is+is [0*1] [2] [3]"},
		{"none", `say "to be" now`, false, `say to be now [0] [1] [2] [3] "to be"`},
		{"en", `"to be"`, false, `to+to be+be [0] [1] "to be"`},
		{"none", `"one two" thr`, true, `one two thr thr*^0.5 [0] [1] [2*3] "one two"`},
		{"none", `12" x 10" y`, false, "12 x 10 y [0] [1] [2] [3]"},
		{"none", `"open`, false, "open [0]"},
		{"none", `"" "--" a`, false, "a [0]"},
		{"none", `("a b")`, false, `a b [0] [1] "a b"`},
		{"none", `x"a b"`, false, `x a b [0] [1] [2]`},
	} {
		if got := shown(planned(t, test.language, corpus.SearchRequest{Text: test.text, Mode: corpus.Plain, Prefix: test.prefix})); got != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.language, test.text, strings.ReplaceAll(got, "\x00", "\\0"), test.want)
		}
	}
}

func TestSyntaxPlans(t *testing.T) {
	for _, test := range []struct {
		text string
		want Plan
	}{
		{"refund", Plan{Units: []Unit{{Terms: []string{"refund"}, Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}}}},
		{"re*", Plan{Units: []Unit{{Prefix: "re", Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}}}},
		{"RE** re*", Plan{Units: []Unit{{Prefix: "re", Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}, {[]int{0}, -1, -1}}}},
		{"wi-fi*", Plan{Units: []Unit{{Prefix: "wi-fi", Also: "wifi", Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}}}},
		{"abc~", Plan{Units: []Unit{{Fuzzy: "abc", Edits: 1, Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}}}},
		{"abcdef~", Plan{Units: []Unit{{Fuzzy: "abcdef", Edits: 2, Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}}}},
		{"abc~2", Plan{Units: []Unit{{Fuzzy: "abc", Edits: 2, Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}}}},
		{"doc:a/b is:unjudged -is:relevant -doc:\"x y\"", Plan{Docs: []DocFilter{{"a/b", false}, {"x y", true}}, Grades: []GradeFilter{{false, false}, {true, true}}, Filter: true}},
		{"a -b -\"c d\" -e* -\"f\"", Plan{
			Units: []Unit{{Terms: []string{"a"}, Weight: 1}}, Groups: []Group{{[]int{0}, -1, -1}},
			Without: []Unit{{Terms: []string{"b"}}, {Prefix: "e", Weight: 1}, {Terms: []string{"f"}}},
			Phrases: []Phrase{{[]string{"c", "d"}, []string{"c", "d"}, true}},
		}},
		{"=> ??", Plan{}},
		{"  ", Plan{}},
	} {
		got, err := For(analyzer(t, "none"), corpus.SearchRequest{Text: test.text, Mode: corpus.Syntax})
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s\n got %+v (%v)\nwant %+v", test.text, got, err, test.want)
		}
		if got.Empty() != reflect.DeepEqual(test.want, Plan{}) {
			t.Errorf("%s: empty is %v", test.text, got.Empty())
		}
	}
}

func TestLongSearchesAreCut(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxTyped {
		fmt.Fprintf(&b, "w%dx ", i)
	}
	p := planned(t, "none", corpus.SearchRequest{Text: b.String(), Mode: corpus.Plain})
	if len(p.Units) != maxTyped || p.Cut == 0 || !strings.Contains(p.Note(), "long") {
		t.Errorf("%d units, %d cut, note %q", len(p.Units), p.Cut, p.Note())
	}
	p = planned(t, "none", corpus.SearchRequest{Text: strings.Repeat("word ", 1<<20), Mode: corpus.Plain})
	if len(p.Units) > 2 || !strings.Contains(p.Note(), "long") {
		t.Errorf("%d units, note %q", len(p.Units), p.Note())
	}
	if p := planned(t, "en", corpus.SearchRequest{Text: "the", Mode: corpus.Plain}); !strings.Contains(p.Note(), "common") {
		t.Errorf("note %q", p.Note())
	}
}

func TestWeights(t *testing.T) {
	for text, want := range map[string]float64{
		"user_id": weightName, "PROJ-1234": weightName, "kube-apiserver": weightHyphen, "O'Brien": weightHyphen, "getUser": weightName, "a.b": weightName,
		"--dry": weightName, "C++": weightName, "ann@example.org": weightName, "and/or": weightName,
	} {
		best := 0.0
		for _, tok := range analyzer(t, "none").Tokens(nil, text) {
			if tok.Kind == words.Whole {
				best = max(best, weightOf(tok))
			}
		}
		if best != want {
			t.Errorf("%s weighs %g, not %g", text, best, want)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	a := analyzer(t, "en")
	many := ""
	for i := range maxOpen + 1 {
		many += string(rune('a'+i)) + "* "
	}
	for query, want := range map[string]struct {
		pos  int
		word string
	}{
		`"open`:             {0, "not closed"},
		`refund "open`:      {7, "not closed"},
		`""`:                {0, "nothing between"},
		`a" b`:              {1, "start of a phrase"},
		`"a"b`:              {3, "blank is missing"},
		"-":                 {0, "stands alone"},
		"a - b":             {2, "stands alone"},
		"*":                 {0, "no word before"},
		"a **":              {2, "no word before"},
		"~":                 {0, "no word before"},
		"a*b*":              {1, "end of a word"},
		"*a":                {0, "end of a word"},
		"refund~9":          {6, "1 or 2"},
		"refund~0":          {6, "1 or 2"},
		"refund~22":         {6, "1 or 2"},
		"doc:":              {4, "needs a value"},
		"is:":               {3, "needs a value"},
		"is:good":           {0, "is:unjudged and is:relevant"},
		"-refund":           {0, "nothing to look for"},
		`-"a refund"`:       {0, "nothing to look for"},
		"=> -refund":        {0, "nothing to look for"},
		many:                {3 * maxOpen, "more than"},
		"日本 \"open":         {7, "not closed"},
		"x y~9 z":           {3, "1 or 2"},
		"doc:a is:bad":      {6, "not known"},
		"   -":              {3, "stands alone"},
		"abc -\"\"":         {5, "nothing between"},
		"refund -*":         {8, "no word before"},
		"refund\u3000-doc:": {14, "needs a value"},
	} {
		_, err := For(a, corpus.SearchRequest{Text: query, Mode: corpus.Syntax})
		var s *SyntaxError
		if !errors.As(err, &s) {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if query == many {
			want.pos = s.Pos
		}
		if s.Pos != want.pos || !strings.Contains(s.Msg, want.word) || s.Error() != s.Msg {
			t.Errorf("%s: at %d %q, not at %d …%s…", query, s.Pos, s.Msg, want.pos, want.word)
		}
	}
}

// FuzzFor holds that plain text always has a plan, and query mode a plan or an error that points into the text.
func FuzzFor(f *testing.F) {
	for _, s := range []string{"a -b", `"a b" c*`, "x~2 doc:y is:relevant", `-"a`, "*~*", "wi-fi* C++~", "東京* -都", "\xff*", "is:x", "a\u0301~"} {
		f.Add(s, true)
	}
	a := analyzer(f, "en")
	f.Fuzz(func(t *testing.T, text string, prefix bool) {
		for _, mode := range []corpus.Mode{corpus.Plain, corpus.Syntax} {
			p, err := For(a, corpus.SearchRequest{Text: text, Mode: mode, Prefix: prefix})
			var s *SyntaxError
			if err != nil && (mode == corpus.Plain || !errors.As(err, &s) || s.Pos < 0 || s.Pos > len(text) || s.Msg == "") {
				t.Fatalf("%q: %v", text, err)
			}
			for _, g := range p.Groups {
				for _, u := range append(slices.Clone(g.Parts), max(g.Whole, 0), max(g.Prefix, 0)) {
					if u < 0 || u >= len(p.Units) {
						t.Fatalf("%q: group %+v of %d units", text, g, len(p.Units))
					}
				}
			}
			m := NewMatcher(a, p)
			end := 0
			for _, span := range m.Spans(text) {
				if span.Start < end || span.End <= span.Start || span.End > len(text) {
					t.Fatalf("%q lights %v", text, span)
				}
				end = span.End
			}
			if snippet, _ := m.Snippet(text, nil); len(snippet) > snippetSize || strings.ToValidUTF8(snippet, "") != snippet {
				t.Fatalf("%q has the snippet %q", text, snippet)
			}
		}
	})
}
