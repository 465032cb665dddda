package export

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/agreement"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, path); got != want {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

func at(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 120_000_000, time.UTC) }

// fullGold has every field of the format, and ids and texts that break encoders.
func fullGold(t *testing.T) corpus.GoldSet {
	t.Helper()
	weight, seen, start, end := 0.1, at(0), 3, 9
	scale := corpus.DefaultScale()
	label := func(query, chunk, who string, grade corpus.Grade) corpus.Label {
		return corpus.Label{QueryID: query, CorpusID: "c-1", ChunkID: chunk, Annotator: who, Grade: grade, At: at(2), ScaleID: scale.ID, Found: corpus.RouteSearch}
	}
	anchored := label("q1", "../../etc/x", "ann", 3)
	anchored.Note, anchored.Found, anchored.GuidelinesSHA256 = "a < b && c > d\u2028", corpus.RouteInherited, corpus.HashText("guidelines")
	anchored.Anchor = corpus.Anchor{
		CorpusID: "c-0", DocID: "d\té", DocSHA256: corpus.HashText("d"), Start: &start, End: &end, ChunkSHA256: corpus.HashText("c"),
		Evidence: []corpus.Evidence{{Start: 1, End: 2, Quote: "x\x7f", Prefix: "<b>", Suffix: "</b>"}},
	}
	elsewhere := label("q1", "old#1", "ann", 2)
	elsewhere.CorpusID = "c-0"
	said := func(what corpus.What, value, proof string) corpus.Said {
		s := corpus.Said{QueryID: "q1", What: what, Value: value, Annotator: "ann", At: at(3)}
		if proof != "" {
			s.Proof = json.RawMessage(proof)
		}
		return s
	}
	gold, err := agreement.Gold(agreement.Input{
		Queries: []corpus.Query{{
			ID: "q1", Text: "how <to> & \"quote\" \u2028 \x1b[2J", Kind: corpus.Mined, Count: 12, Weight: &weight, Stratum: "head", Group: "g", Source: "log", Language: "en",
			FirstSeen: &seen, LastSeen: &seen, Turns: []corpus.Turn{{Role: "user", Content: "before\nthat"}}, ParentID: "q0", ReferenceAnswer: "so",
		}, {ID: "q2", Text: ""}, {ID: "\t q \u00e9 e\u0301 %00", Text: "odd id", Kind: corpus.Synthetic}},
		Labels: []corpus.Label{
			anchored, elsewhere, label("q1", "tie", "ann", 0), label("q1", "tie", "bea", 2), label("q1", "can't", "ann", corpus.CannotJudge),
			label("q1", "negative", "ann", -2), label("\t q \u00e9 e\u0301 %00", "C:\\docs\\x.md", "ann", 1), label("never imported", "\u202ea", "ann", 0),
		},
		Works: []corpus.Work{{QueryID: "q1", Annotator: "ann", State: corpus.Done, At: at(4)}, {QueryID: "q2", Annotator: "ann", State: corpus.Skipped, Reason: "too vague", At: at(4)}},
		Said: []corpus.Said{
			said(corpus.SaidTag, "free", ""), said(corpus.SaidTag, corpus.TagFollowUp, `{"standalone_query": "alone \u003c", "n": 1e3}`),
			said(corpus.SaidSet, `["a","b"]`, ""), said(corpus.SaidHardNegative, "neg", ""), said(corpus.SaidAnswer, "so", ""), said(corpus.SaidNote, "hm", ""),
			said(corpus.SaidConflict, `["a","b"]`, `{"chunk_ids":["a","b"],"holds":"b","note":"newer"}`),
		},
		Searches: map[string][]corpus.SearchTried{"q1": {{Text: "to", Mode: corpus.Plain, Results: 7, Deepest: 3, Annotator: "ann", At: at(1), CorpusID: "c-1"}}},
		Scale:    scale, Corpus: corpus.Info{ID: "c-1", Fingerprint: "f", Chunks: 3}, Program: "assay test", Snapshot: "one",
	})
	if err != nil {
		t.Fatal(err)
	}
	return gold
}

func native(t *testing.T, gold corpus.GoldSet) string {
	t.Helper()
	var b bytes.Buffer
	if lost, err := WriteNative(&b, gold); err != nil || lost != nil {
		t.Fatalf("%v, %v", err, lost)
	}
	return b.String()
}

// labels reads from memory.
func labels(t *testing.T, content string, opt ReadOptions) Labels {
	t.Helper()
	opt.Stdin = strings.NewReader(content)
	l, err := ReadLabels("-", opt)
	if err != nil {
		t.Fatal(err)
	}
	if s := l.Stats; !strings.Contains(content, "\r") && s.Accepted+s.Rejected+s.Blank+s.Header != len(strings.Split(strings.TrimSuffix(content, "\n"), "\n")) {
		t.Errorf("lines are not accounted for: %+v", s)
	}
	return l
}

func reasons(s Stats) string {
	var b strings.Builder
	for _, r := range s.Rejects {
		fmt.Fprintf(&b, "%d: %s\n", r.Line, r.Reason)
	}
	return b.String()
}

// sameReasons wants each reject to begin with its line's number and to hold the words behind it.
func sameReasons(t *testing.T, s Stats, want string) {
	t.Helper()
	got, wanted := strings.Split(reasons(s), "\n"), strings.Split(want, "\n")
	for i := range max(len(got), len(wanted)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(wanted) {
			w = wanted[i]
		}
		number, words, _ := strings.Cut(w, ": ")
		if (g == "") != (w == "") || w != "" && (!strings.HasPrefix(g, number+": ") || !strings.Contains(g, words)) {
			t.Errorf("%q, want %q", g, w)
		}
	}
}

func TestNativeIsAsTheFormatSays(t *testing.T) {
	golden(t, "full.gold.jsonl", native(t, fullGold(t)))
	empty := corpus.GoldSet{Header: corpus.GoldHeader{Scale: corpus.DefaultScale(), Rule: corpus.Majority}}
	want := `{"assay":"gold","version":1,"as_of":null,"snapshot":null,"program":"","guidelines_sha256":"","scale":{"id":"` + empty.Header.Scale.ID +
		`","min":0,"max":3,"names":{"0":"not","1":"partly","2":"relevant","3":"perfect"},"relevant_from":1},"corpus":{"id":"","fingerprint":"","chunks":0},"rule":"majority","queries":0,"labels":0}` + "\n"
	if got := native(t, empty); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// B019. Public report: doccano/doccano#1605: the tool can't import its own export. Here with every field, through the
// values that a workspace stores.
func TestB019NativeRoundTrip(t *testing.T) {
	first := native(t, fullGold(t))
	l := labels(t, first, ReadOptions{})
	if l.Format != Native || l.Gold == nil || l.Stats.Rejected > 0 || l.Stats.Header != 1 || len(l.Warnings) > 0 {
		t.Fatalf("%+v\n%s", l, reasons(l.Stats))
	}
	if again := native(t, *l.Gold); again != first {
		t.Errorf("read and written:\n%s\nwas\n%s", again, first)
	}
	parts, err := agreement.Split(*l.Gold, "")
	if err != nil {
		t.Fatal(err)
	}
	parts.AsOf = time.Time{}
	gold, err := agreement.Gold(parts)
	if err != nil {
		t.Fatal(err)
	}
	if again := native(t, gold); again != first {
		t.Errorf("taken apart and put together:\n%s\nwas\n%s", again, first)
	}
}

// B015, B017. Public reports: o19s/quepid#126, o19s/quepid#185: labels beyond the first ten and queries without labels
// are missing from the export.
func TestB015B017EverythingIsExported(t *testing.T) {
	in := agreement.Input{Scale: corpus.DefaultScale(), Corpus: corpus.Info{ID: "c"}}
	for i := range 3 {
		in.Queries = append(in.Queries, corpus.Query{ID: fmt.Sprint("q", i), Text: "x"})
	}
	for i := range 500 {
		in.Labels = append(in.Labels, corpus.Label{QueryID: "q1", CorpusID: "c", ChunkID: fmt.Sprint("c", i), Annotator: "ann", Grade: corpus.Grade(i % 3)})
	}
	gold, err := agreement.Gold(in)
	if err != nil {
		t.Fatal(err)
	}
	l := labels(t, native(t, gold), ReadOptions{})
	if len(l.Gold.Rows) != 3 || len(l.Gold.Rows[1].Labels) != 500 || len(l.Gold.Rows[1].Grades) != 500 {
		t.Errorf("%d rows, %d labels", len(l.Gold.Rows), len(l.Gold.Rows[1].Labels))
	}
}

// B016. Public report: o19s/quepid#175: ids like URLs and paths are changed on the way.
func TestB016IdsKeepTheirBytes(t *testing.T) {
	in := agreement.Input{Scale: corpus.DefaultScale(), Queries: []corpus.Query{{ID: "q", Text: "x"}}}
	want := map[string]corpus.Grade{}
	for line := range strings.Lines(read(t, filepath.Join("testdata", "bugs", "B016", "corpus.jsonl"))) {
		var row struct{ ID string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		in.Labels = append(in.Labels, corpus.Label{QueryID: "q", ChunkID: row.ID, Annotator: "ann", Grade: 1})
		want[row.ID] = 1
	}
	gold, err := agreement.Gold(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(t, native(t, gold), ReadOptions{}).Gold.Rows[0].Grades; len(want) != 11 || !reflect.DeepEqual(got, want) {
		t.Errorf("native: %v, want %v", got, want)
	}
	var b bytes.Buffer
	if _, err := WriteQrels(&b, gold, TRECOptions{}); err != nil {
		t.Fatal(err)
	}
	got := map[string]corpus.Grade{}
	for _, j := range labels(t, b.String(), ReadOptions{}).Judgments {
		got[j.ChunkID] = j.Grade
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("qrels: %v, want %v", got, want)
	}
}

// B025. Public reports: lbryio/lbry.go#51, apsystole/log#15: JSON writers turn < into an escape.
func TestB025TextKeepsItsBytes(t *testing.T) {
	source := strings.TrimSpace(read(t, filepath.Join("testdata", "bugs", "B025", "corpus.jsonl")))
	var row struct{ Text string }
	if err := json.Unmarshal([]byte(source), &row); err != nil {
		t.Fatal(err)
	}
	gold := corpus.GoldSet{Header: corpus.GoldHeader{Scale: corpus.DefaultScale(), Rule: corpus.Majority}, Rows: []corpus.GoldRow{{QueryID: "q", Query: &row.Text}}}
	out := native(t, gold)
	quoted := source[strings.Index(source, `"text": `)+len(`"text": `) : len(source)-1]
	if !strings.Contains(out, `"query":`+quoted+`,`) {
		t.Errorf("%s\nis not in\n%s", quoted, out)
	}
	if l := labels(t, out, ReadOptions{}); len(l.Gold.Rows) != 1 || *l.Gold.Rows[0].Query != row.Text {
		t.Errorf("%+v", l)
	}
}

func TestJSONStringsAreValid(t *testing.T) {
	for i := range 3000 {
		rnd := rand.New(rand.NewPCG(uint64(i), 5))
		const alphabet = "\x00\x1f\"\\\n\t/<é\xff\xe2\x80\xa8a\x7f"
		b := make([]byte, rnd.IntN(12))
		for k := range b {
			b[k] = alphabet[rnd.IntN(len(alphabet))]
		}
		var s string
		quoted := appendJSONString(nil, string(b))
		if err := json.Unmarshal(quoted, &s); err != nil || s != jsonString(string(b)) {
			t.Fatalf("%q is written %s and read %q (%v)", b, quoted, s, err)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, f := range []*float64{nil, &nan, &inf} {
		var j jsonLine
		if j.number(f); string(j.b) != "null" {
			t.Errorf("%v is written %s", f, j.b)
		}
	}
}

// jsonString is what encoding/json makes of s and back.
func jsonString(s string) string {
	b, _ := json.Marshal(s)
	var back string
	_ = json.Unmarshal(b, &back)
	return back
}

func TestNativeRejectsByLine(t *testing.T) {
	header, _, _ := strings.Cut(native(t, corpus.GoldSet{Header: corpus.GoldHeader{Scale: corpus.DefaultScale(), Rule: corpus.Majority, Queries: 2}}), "\n")
	lines := []struct{ row, reason string }{
		{`{"query_id":"good"}`, ""},
		{`{"query_id":"bad"`, "not JSON"},
		{`["query_id"]`, "a list, not an object"},
		{`{"query":"x"}`, "query_id: the id is empty"},
		{`{"query_id":"q","grade":{}}`, `unknown key "grade"`},
		{`{"query_id":"q","Grades":{"c":1}}`, `unknown key "Grades"`},
		{`{"query_id":"q","grades":{"c":1,"c":2}}`, `key "c" is there twice`},
		{`{"query_id":"q","grades":{"c":1.5}}`, "a grade is an integer"},
		{`{"query_id":"q","grades":{"":1}}`, "grades: the id is empty"},
		{`{"query_id":"q","grades":{"c":"cannot_judge"}}`, "is no grade"},
		{`{"query_id":"q","state":"finished"}`, `state "finished"`},
		{`{"query_id":"q","kind":"found"}`, `kind "found"`},
		{`{"query_id":"q","tags":[""]}`, "a tag is empty"},
		{`{"query_id":"q","hard_negatives":[""]}`, "chunk id: the id is empty"},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1}]}`, `the annotator on "c": the id is empty`},
		{`{"query_id":"q","labels":[{"grade":1,"annotator":"a"}]}`, "chunk_id: the id is empty"},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a"},{"chunk_id":"c","grade":2,"annotator":"a"}]}`, `"a" labels chunk "c" twice`},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a","at":"yesterday"}]}`, "parsing time"},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a","anchor":{"start":5,"end":3}}]}`, "no proper start and end"},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a","anchor":{"start":5}}]}`, "no proper start and end"},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a","anchor":{"evidence":[{"start":5,"end":1}]}}]}`, "runs from 5 to 1"},
		{`{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a","by":"x"}]}`, "unknown field"},
		{`{"query_id":"q","said":[{"what":"state","value":"half","annotator":"a"}]}`, `state "half"`},
		{`{"query_id":"q","said":[{"value":"x","annotator":"a"}]}`, "what is empty"},
		{`{"query_id":"q","said":[{"what":"tag","value":"x"}]}`, "the annotator of tag: the id is empty"},
		{`{"query_id":"q","said":[{"what":"decision","value":"","annotator":"a"}]}`, "said: decision: the id is empty"},
		{`{"query_id":"good","query":"again"}`, `query "good" was in line 2 already`},
		{``, ""},
		{`{"query_id":"also good","query":null,"grades":null,"labels":null}`, ""},
	}
	content := header + "\n"
	want := ""
	for i, l := range lines {
		content += l.row + "\n"
		if l.reason != "" {
			want += fmt.Sprintf("%d: %s\n", i+2, l.reason)
		}
	}
	l := labels(t, content, ReadOptions{})
	if l.Stats.Accepted != 2 || l.Stats.Blank != 1 || l.Stats.Header != 1 || len(l.Gold.Rows) != 2 || len(l.Warnings) != 0 {
		t.Errorf("%+v", l.Stats)
	}
	sameReasons(t, l.Stats, want)
}

func TestNativeHeader(t *testing.T) {
	whole := native(t, fullGold(t))
	header, rest, _ := strings.Cut(whole, "\n")
	for name, c := range map[string][2]string{
		"newer":       {strings.Replace(header, `"version":1`, `"version":2,"new":true`, 1), "the file is of version 2, this program reads up to 1"},
		"older":       {strings.Replace(header, `"version":1`, `"version":0`, 1), "version 0"},
		"bad scale":   {strings.Replace(header, `"relevant_from":1`, `"relevant_from":9`, 1), "the header's scale: relevant_from 9"},
		"bad rule":    {strings.Replace(header, `"majority"`, `"median"`, 1), `rule "median"`},
		"unknown key": {strings.Replace(header, `"rule"`, `"rules"`, 1), `unknown key "rules"`},
	} {
		_, err := ReadLabels("-", ReadOptions{Stdin: strings.NewReader(c[0] + "\n" + rest)})
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %q", name, err, c[1])
		}
	}
	// A file that was cut off between two lines looks whole, but for its header.
	cut := whole[:strings.LastIndex(strings.TrimSpace(whole), "\n")+1]
	if l := labels(t, cut, ReadOptions{}); len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "promises 4 queries and 8 labels, the file holds 3 and") {
		t.Errorf("warnings %q", l.Warnings)
	}
}

func TestWriteNativeReportsErrors(t *testing.T) {
	gold := fullGold(t)
	for len(gold.Rows) < 200 {
		gold.Rows = append(gold.Rows, gold.Rows...)
	}
	if _, err := WriteNative(failing{&bytes.Buffer{}}, gold); err == nil {
		t.Error("no error")
	}
}

func BenchmarkWriteNative(b *testing.B) {
	in := agreement.Input{Scale: corpus.DefaultScale()}
	for q := range 200 {
		for c := range 40 {
			in.Labels = append(in.Labels, corpus.Label{QueryID: fmt.Sprint(q), ChunkID: fmt.Sprint("chunk#", c), Annotator: "ann", Grade: corpus.Grade(c % 4), At: at(1)})
		}
	}
	gold, err := agreement.Gold(in)
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if _, err := WriteNative(&out, gold); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(out.Len()))
}
