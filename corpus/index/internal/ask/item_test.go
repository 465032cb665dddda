package ask

import (
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		`"a b"`:               "a b",
		`x "a b" y`:           "a b",
		`("a b")`:             "a b",
		`x="a b"`:             "a b",
		`x: "a b".`:           "a b",
		`"a b", "c d"`:        "a b",
		`""`:                  "",
		`" "`:                 " ",
		`"a "b" c"`:           `a "b`,
		`"東京 都"`:              "東京 都",
		"\u3000\"a b\"\u00a0": "a b",
		`"a`:                  "none",
		`a"`:                  "none",
		`a "b`:                "none",
		`12" x 10"`:           "none",
		`a"b"c`:               "none",
		`"a"b`:                "none",
		`5'10" and 6'2"`:      "none",
		`“a b”`:               "none",
		`'a b'`:               "none",
		``:                    "none",
		`"`:                   "none",
		`"""`:                 "",
		`it is 12" "a b"`:     "a b",
	} {
		got := "none"
		if from, to := quoted(text); from >= 0 {
			got = text[from+1 : to]
			if text[from] != '"' || text[to] != '"' {
				t.Errorf("%s: %d to %d are no quotes", text, from, to)
			}
		}
		if got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

func TestReadItem(t *testing.T) {
	for _, test := range []struct {
		text string
		want item
	}{
		{"refund", item{text: "refund", end: 6}},
		{"refund more", item{text: "refund", end: 6}},
		{"refund\u3000more", item{text: "refund", end: 6}},
		{"-refund", item{text: "refund", end: 7, not: true}},
		{"--refund", item{text: "-refund", end: 8, not: true}},
		{"refund*", item{text: "refund", end: 7, star: true}},
		{"refund***", item{text: "refund", end: 9, star: true}},
		{"-refund*", item{text: "refund", end: 8, star: true, not: true}},
		{"refund~", item{text: "refund", end: 7, edits: -1}},
		{"refund~1", item{text: "refund", end: 8, edits: 1}},
		{"refund~2", item{text: "refund", end: 8, edits: 2}},
		{"~/x", item{text: "~/x", end: 3}},
		{"a~b", item{text: "a~b", end: 3}},
		{"~1", item{text: "~1", end: 2}},
		{`"a b"`, item{text: "a b", end: 5, quoted: true}},
		{`-"a b" c`, item{text: "a b", end: 6, quoted: true, not: true}},
		{`"a* b~"`, item{text: "a* b~", end: 7, quoted: true}},
		{"doc:a/b*", item{text: "a/b*", end: 8, field: "doc"}},
		{"-doc:x", item{text: "x", end: 6, field: "doc", not: true}},
		{`doc:"a b"`, item{text: "a b", end: 9, field: "doc", quoted: true}},
		{"DOC:x", item{text: "x", end: 5, field: "doc"}},
		{"is:unjudged", item{text: "unjudged", end: 11, field: "is"}},
		{"doc:doc:x", item{text: "doc:x", end: 9, field: "doc"}},
		{"document:x", item{text: "document:x", end: 10}},
		{"http://x/y?z", item{text: "http://x/y?z", end: 12}},
		{"12:30", item{text: "12:30", end: 5}},
		{"\xff", item{text: "\xff", end: 1}},
	} {
		got, err := readItem(test.text, 0)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %+v, not %+v (%v)", test.text, got, test.want, err)
		}
		// The same behind other items.
		moved, err := readItem("x "+test.text, 2)
		if err != nil || moved.text != got.text || moved.end != got.end+2 || moved.start != 2 {
			t.Errorf("%q behind another: %+v (%v)", test.text, moved, err)
		}
	}
}

func TestOccurrences(t *testing.T) {
	a := analyzer(t, "none")
	for _, test := range []struct {
		phrase, text string
		want         []string
	}{
		{"a b", "a b", []string{"a b"}},
		{"a b", "x a b a b y", []string{"a b", "a b"}},
		{"a a", "a a a a", []string{"a a", "a a"}},
		{"a b", "b a", nil},
		{"a b", "a x b", nil},
		{"a b", "a, b; a. B", []string{"a, b", "a. B"}},
		{"a b", "a-b", []string{"a-b"}},
		{"user id", "userID and user_id", []string{"userID", "user_id"}},
		{"東 京", "去東京都", []string{"東京"}},
		{"a b c", "a b", nil},
		{"a", "", nil},
	} {
		var got []string
		for _, span := range Occurrences(strings.Fields(test.phrase), a.Tokens(nil, test.text)) {
			got = append(got, test.text[span[0].Start:span[1].End])
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q is in %q as %q, not %q", test.phrase, test.text, got, test.want)
		}
	}
}

// What may still be being typed lights whatever begins so, until the text has the word itself.
func TestTheWordBeingTyped(t *testing.T) {
	text := "Refunds, a reference, refund_policy and re"
	for search, want := range map[string]string{
		"r":          "",
		"re":         "re",
		"ref":        "Refunds|reference|refund_policy",
		"refu":       "Refunds|refund_policy",
		"refund":     "Refunds|refund",
		"refund_":    "Refunds|refund",
		"refund_pol": "Refunds|refund_policy",
		"refer":      "reference",
		"x ref":      "Refunds|reference|refund_policy",
		"ref x":      "",
		"ref ":       "",
		"zzz":        "",
	} {
		var got []string
		for _, s := range matcher(t, "en", search, corpus.Plain).Spans(text) {
			got = append(got, text[s.Start:s.End])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q lights %q, not %q", search, strings.Join(got, "|"), want)
		}
	}
}

// Spans never overlap, are in order and not empty, and a longer text lights what its parts light.
func TestSpansOfParts(t *testing.T) {
	parts := []string{"refunds were paid", "getUserByID(user_id)", "東京都の天気", "résumé re\u0301sume\u0301", "kube-apiserver --force", "C++ and 1.2.3", "\xff\xfe refund \xff", "nothing"}
	for _, search := range []string{"refund", "user id", "東京", "resume", "kube-apiserver", "c++ 1.2.3", `"user id"`, "paid force 天気"} {
		m := matcher(t, "en", search, corpus.Plain)
		var want []string
		for _, part := range parts {
			for _, s := range m.Spans(part) {
				want = append(want, part[s.Start:s.End])
			}
		}
		text := strings.Join(parts, "\n\n")
		var got []string
		end := -1
		for _, s := range m.Spans(text) {
			if s.Start <= end || s.End <= s.Start {
				t.Errorf("%q: span %v behind %d", search, s, end)
			}
			end = s.End
			got = append(got, text[s.Start:s.End])
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q lights %q together, %q apart", search, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	a := analyzer(t, "en")
	unit := func(word string) (u Unit) {
		u.add(a, a.Tokens(nil, word)[0])
		return u
	}
	if !unit("refunds").same(unit("REFUNDED")) || unit("refund").same(unit("policy")) {
		t.Error("forms of a word are not the same unit, or different words are")
	}
	for word, form := range map[string]string{"running": "runs", "happy": "happily", "company": "companies"} {
		if u, v := unit(word), unit(form); word != "happy" && !u.same(v) {
			t.Errorf("%s is %+v, %s is %+v", word, u, form, v)
		}
	}
	if !(Unit{}).none() || (Unit{Prefix: "a"}).none() || unit("x").none() {
		t.Error("what stands for nothing")
	}
	open := Unit{Prefix: "ref", Also: "other"}
	for term, want := range map[string]bool{"ref": true, "refund": true, "others": true, "re": false, "": false} {
		if open.holds(term) != want {
			t.Errorf("%q: %v", term, !want)
		}
	}
	fuzzy := Unit{Fuzzy: "refund", Edits: 1}
	for term, want := range map[string]bool{"refund": true, "refunds": true, "refnud": true, "rfnd": false} {
		if fuzzy.holds(term) != want {
			t.Errorf("~%q: %v", term, !want)
		}
	}
	if n := len(words.Surface(strings.Join(unit("refunds").Terms, ""))); n == 0 {
		t.Error("a unit without terms")
	}
}
