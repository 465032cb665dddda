package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/agreement"
	"assay/corpus/retrieval"
	"assay/export"
)

// read reads a file of labels with that content.
func read(t *testing.T, name, content string) export.Labels {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	labels, err := export.ReadLabels(path, export.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

// queries are a bench's queries in short, e.g. "q1 done a=1 b=0".
func queries(b Bench) string {
	var all []string
	for _, q := range b.Queries {
		line := q.ID
		if q.Done {
			line += " done"
		}
		if q.Unanswerable {
			line += " unanswerable"
		}
		for _, id := range slices.Sorted(maps.Keys(q.Grades)) {
			line += fmt.Sprintf(" %s=%s", id, q.Grades[id])
		}
		all = append(all, line)
	}
	return strings.Join(all, "; ")
}

const annotated = `{"query_id":"q1","chunk_id":"a","grade":2,"annotator":"ann"}
{"query_id":"q1","chunk_id":"a","grade":2,"annotator":"ben"}
{"query_id":"q1","chunk_id":"a","grade":0,"annotator":"chi"}
{"query_id":"q1","chunk_id":"tie","grade":2,"annotator":"ann"}
{"query_id":"q1","chunk_id":"tie","grade":0,"annotator":"ben"}
{"query_id":"q2","chunk_id":"b","grade":"cannot_judge","annotator":"ann"}
`

func TestFromLabels(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		rule                corpus.Rule
		from                corpus.Grade
		want                string
		scale               string // lowest, highest, relevant from
		warnings            int
	}{
		{"one grade a pair", "q.qrels", "q2 0 b 1\nq1 0 a 1\nq1 0 b 0\n", "", 0, "q1 done a=1 b=0; q2 done b=1", "0 1 1", 0},
		{"graded", "q.qrels", "q1 0 a 3\nq1 0 b 1\n", "", 0, "q1 done a=3 b=1", "0 3 1", 0},
		{"relevant from 2", "q.qrels", "q1 0 a 3\nq1 0 b 1\n", "", 2, "q1 done a=3 b=1", "0 3 2", 0},
		{"nothing relevant", "q.qrels", "q1 0 a 0\n", "", 0, "q1 done a=0", "0 1 1", 0},
		{"negative grades stay, and count as unjudged", "q.qrels", "q1 0 a -2\nq1 0 b 1\n", "", 0, "q1 done a=-2 b=1", "0 1 1", 0},
		{"grades above 9, as other tools write them", "q.qrels", "q1 0 a 12\nq1 0 b 100\n", "", 0, "q1 done a=12 b=100", "0 100 1", 0},
		{"the majority", "l.jsonl", annotated, corpus.Majority, 0, "q1 done a=2; q2 done", "0 2 1", 1},
		{"the majority unless said", "l.jsonl", annotated, "", 0, "q1 done a=2; q2 done", "0 2 1", 1},
		{"one annotator each", "l.jsonl", `{"query_id":"q1","chunk_id":"a","grade":2,"annotator":"ann"}
{"query_id":"q2","chunk_id":"a","grade":1,"annotator":"ben"}
`, corpus.Majority, 0, "q1 done a=2; q2 done a=1", "0 2 1", 0},
		{"can't judge is no grade", "l.jsonl", `{"query_id":"q1","chunk_id":"a","grade":"cannot_judge"}
{"query_id":"q1","chunk_id":"b","grade":1}
`, "", 0, "q1 done b=1", "0 1 1", 0},
		{"a tag", "l.jsonl", `{"query_id":"q1","chunk_id":"a","grade":1}
{"query_id":"q2","tags":["unanswerable"]}
`, "", 0, "q1 done a=1; q2 done unanswerable", "0 1 1", 0},
	} {
		b, err := FromLabels(read(t, c.file, c.content), c.rule, c.from, "assay test")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := queries(b); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := fmt.Sprint(b.Scale.Min, b.Scale.Max, b.Scale.RelevantFrom); got != c.scale {
			t.Errorf("%s: the scale is %s, want %s", c.name, got, c.scale)
		}
		if len(b.Warnings) != c.warnings || b.Program != "assay test" || b.InCorpus != nil || b.Corpus != "" || b.Labels != fingerprint(b.Queries) {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

func TestFromLabelsRefuses(t *testing.T) {
	if _, err := FromLabels(read(t, "l.jsonl", annotated), corpus.Single, 0, ""); err == nil {
		t.Error("the rule of a single annotator decided between three")
	}
	wide := strings.Replace(annotated, `"grade":2`, `"grade":12`, 1)
	if _, err := FromLabels(read(t, "l.jsonl", wide), "", 0, ""); err == nil || !strings.Contains(err.Error(), "12") {
		t.Errorf("annotators' grades above 9: %v", err)
	}
	if _, err := FromLabels(read(t, "l.jsonl", annotated), "dictate", 0, ""); err == nil || !strings.Contains(err.Error(), "dictate") {
		t.Errorf("an unknown rule: %v", err)
	}
}

// gold is a gold set with what a file of labels can't hold all of: states, a tag, sets, a tie, grades of two annotators.
func gold(t *testing.T) corpus.GoldSet {
	t.Helper()
	set, err := Gold(t.Context(), workspace(t), corpus.Majority, "assay test", "")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestNativeFileIsTheWorkspace(t *testing.T) {
	set := gold(t)
	own := New(set, nil)
	if got := queries(own); got != "q1 done c1=2 c2=0; q2 done unanswerable; q3 c3=1" || len(own.Queries[0].Sets) != 2 {
		t.Fatalf("the workspace holds %s, sets %v", got, own.Queries[0].Sets)
	}
	var file strings.Builder
	if _, err := export.WriteNative(&file, set); err != nil {
		t.Fatal(err)
	}
	labels := read(t, "w.gold.jsonl", file.String())
	b, err := FromLabels(labels, corpus.Single, 0, "assay other")
	if err != nil {
		t.Fatal(err)
	}
	if queries(b) != queries(own) || b.Labels != own.Labels || b.Scale.ID != own.Scale.ID || len(b.Warnings) != len(own.Warnings) || len(b.Warnings) != 1 {
		t.Errorf("the file is %s %.8s %q\nthe workspace %s %.8s %q", queries(b), b.Labels, b.Warnings, queries(own), own.Labels, own.Warnings)
	}
	if b.Program != "assay other" || b.Scale.RelevantFrom != 1 {
		t.Errorf("%+v", b)
	}
	if b, err = FromLabels(labels, "", 2, ""); err != nil || b.Scale.RelevantFrom != 2 || b.Labels != own.Labels {
		t.Errorf("relevant from %d, labels %.8s, %v", b.Scale.RelevantFrom, b.Labels, err)
	}
	if labels.Gold.Header.Scale.RelevantFrom != 1 {
		t.Error("the file's own scale changed")
	}
}

func some() []retrieval.Query {
	return []retrieval.Query{
		{ID: "q1", Done: true, Grades: map[string]corpus.Grade{"a": 2, "b": 0}, Sets: [][]string{{"a", "b"}, {"c"}}},
		{ID: "q2", Done: true, Unanswerable: true},
		{ID: "q3", Grades: map[string]corpus.Grade{"c": 1}},
	}
}

func TestFingerprintIsOfWhatIsAgreed(t *testing.T) {
	want := fingerprint(some())
	if len(want) != 64 {
		t.Errorf("%q is no SHA-256", want)
	}
	for name, change := range map[string]func(q []retrieval.Query) []retrieval.Query{
		"another order": func(q []retrieval.Query) []retrieval.Query { slices.Reverse(q); return q },
		"what slices go by": func(q []retrieval.Query) []retrieval.Query {
			q[0].Tags, q[0].Kind, q[0].Count = []string{"x"}, "mined", 9
			return q
		},
		"no grades, not nil":   func(q []retrieval.Query) []retrieval.Query { q[1].Grades = map[string]corpus.Grade{}; return q },
		"the text known since": func(q []retrieval.Query) []retrieval.Query { q[0].NoText = true; return q },
	} {
		if got := fingerprint(change(some())); got != want {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	seen := map[corpus.Hash]string{want: "nothing"}
	for name, change := range map[string]func(q []retrieval.Query) []retrieval.Query{
		"a grade":              func(q []retrieval.Query) []retrieval.Query { q[0].Grades["a"] = 1; return q },
		"a grade more":         func(q []retrieval.Query) []retrieval.Query { q[0].Grades["z"] = 0; return q },
		"a grade less":         func(q []retrieval.Query) []retrieval.Query { delete(q[0].Grades, "b"); return q },
		"another chunk":        func(q []retrieval.Query) []retrieval.Query { q[2].Grades = map[string]corpus.Grade{"d": 1}; return q },
		"another query's":      func(q []retrieval.Query) []retrieval.Query { q[1].Grades, q[2].Grades = q[2].Grades, nil; return q },
		"a state":              func(q []retrieval.Query) []retrieval.Query { q[2].Done = true; return q },
		"the tag unanswerable": func(q []retrieval.Query) []retrieval.Query { q[1].Unanswerable = false; return q },
		"a set":                func(q []retrieval.Query) []retrieval.Query { q[0].Sets[1][0] = "d"; return q },
		"a set less":           func(q []retrieval.Query) []retrieval.Query { q[0].Sets = q[0].Sets[:1]; return q },
		"sets parted elsewhere": func(q []retrieval.Query) []retrieval.Query {
			q[0].Sets = [][]string{{"a"}, {"b", "c"}}
			return q
		},
		"a query less":    func(q []retrieval.Query) []retrieval.Query { return q[:2] },
		"a query's id":    func(q []retrieval.Query) []retrieval.Query { q[0].ID = "q1 "; return q },
		"no query at all": func([]retrieval.Query) []retrieval.Query { return nil },
	} {
		got := fingerprint(change(some()))
		if other, taken := seen[got]; taken {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[got] = name
	}
}

// Lengths stand before texts, so that no id can pass for two.
func TestFingerprintOfHostileIDs(t *testing.T) {
	one := fingerprint([]retrieval.Query{{ID: "q", Grades: map[string]corpus.Grade{"a": 1, "b": 1}}})
	for _, id := range []string{"a1b", "a\x001b", "a\x00\x00\x00\x00\x00\x00\x00\x011\x00\x00\x00\x00\x00\x00\x00\x01b"} {
		if fingerprint([]retrieval.Query{{ID: "q", Grades: map[string]corpus.Grade{id: 1}}}) == one {
			t.Errorf("%q passes for a and b", id)
		}
	}
	queries := some()
	slices.Reverse(queries)
	fingerprint(queries)
	if queries[0].ID != "q3" {
		t.Error("the queries are in another order now")
	}
}

// Weights come along in a native gold set: a file says of the traffic what the workspace says.
func TestWeightsComeAlong(t *testing.T) {
	in := agreement.Input{Scale: corpus.NewScale(0, 2, nil, 1), Program: "assay test"}
	run := Retrieved{Run: corpus.Run{Name: "run", Rankings: map[string]corpus.Ranking{}}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, weight := range []float64{10, 4, 2, 4, 0} {
		id := fmt.Sprint("q", i)
		q := corpus.Query{ID: id, Text: id, Kind: corpus.Mined, Count: 2, Stratum: "tail", Weight: &weight}
		if weight == 0 {
			q.Kind, q.Count, q.Weight, q.Stratum = corpus.Written, 1, nil, ""
		}
		in.Queries = append(in.Queries, q)
		in.Works = append(in.Works, corpus.Work{QueryID: id, State: corpus.Done, Annotator: "ann", At: at})
		in.Labels = append(in.Labels, corpus.Label{QueryID: id, ChunkID: "a", Annotator: "ann", Grade: 1, ScaleID: in.Scale.ID, At: at})
		if i == 0 || i == 3 {
			run.Rankings[id] = corpus.Ranking{{ChunkID: "a", Score: 1}}
		}
	}
	gold, err := agreement.Gold(in)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if _, err := export.WriteNative(&file, gold); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(file.String(), `"weight":10,"stratum":"tail"`) {
		t.Errorf("the file is\n%s", file.String())
	}
	outside, err := FromLabels(read(t, "gold.jsonl", file.String()), "", 0, "assay test")
	if err != nil {
		t.Fatal(err)
	}
	var figures []retrieval.Traffic
	for _, b := range []Bench{New(gold, nil), outside} {
		measures, err := retrieval.ParseMeasures("R@5")
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.Measure(run, Measuring{Measures: measures, Resamples: 100})
		if err != nil {
			t.Fatal(err)
		}
		if r.Measures[0].Traffic == nil {
			t.Fatalf("nothing for the traffic: %+v", b.Queries)
		}
		figures = append(figures, *r.Measures[0].Traffic)
	}
	if f := figures[0]; f != figures[1] || f.Value != .7 || f.N != 4 || f.Outside != 1 || f.Asked != 20 { // 10 + 4 of 20
		t.Errorf("the workspace says %+v, its file %+v", f, figures[1])
	}
}
