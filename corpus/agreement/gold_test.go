package agreement

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

func at(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC) }

func label(query, chunk, annotator string, grade corpus.Grade) corpus.Label {
	return corpus.Label{QueryID: query, CorpusID: "c", ChunkID: chunk, Annotator: annotator, Grade: grade, At: at(1), ScaleID: "s", Found: corpus.RouteSearch}
}

func input(labels ...corpus.Label) Input {
	return Input{Queries: []corpus.Query{{ID: "q1", Text: "how"}}, Labels: labels, Scale: corpus.DefaultScale(), Corpus: corpus.Info{ID: "c"}}
}

func gold(t *testing.T, in Input) corpus.GoldSet {
	t.Helper()
	g, err := Gold(in)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// row is the row of a query.
func row(t *testing.T, g corpus.GoldSet, query string) corpus.GoldRow {
	t.Helper()
	for _, r := range g.Rows {
		if r.QueryID == query {
			return r
		}
	}
	t.Fatalf("no row of query %q", query)
	return corpus.GoldRow{}
}

func proof(v any) json.RawMessage { return compactJSON(v) }

func TestVote(t *testing.T) {
	const no = corpus.CannotJudge
	for _, c := range []struct {
		grades []corpus.Grade
		want   corpus.Grade
		is     verdict
	}{
		{nil, 0, nothing},
		{[]corpus.Grade{no}, 0, nothing},
		{[]corpus.Grade{2}, 2, agreed},
		{[]corpus.Grade{no, 2, no}, 2, agreed},
		{[]corpus.Grade{2, 0}, 0, unresolved},
		{[]corpus.Grade{2, 0, no}, 0, unresolved},
		{[]corpus.Grade{0, 2, 0}, 0, agreed},
		{[]corpus.Grade{3, 1, 2}, 0, unresolved}, // three opinions are not their median
		{[]corpus.Grade{1, 3, 3, 1, 0}, 0, unresolved},
		{[]corpus.Grade{1, 3, 3, 1, 3}, 3, agreed},
		{[]corpus.Grade{-1}, -1, agreed},
		{[]corpus.Grade{-1, -2, no}, -1, agreed},
		{[]corpus.Grade{-1, 2, -1}, 2, agreed}, // pooled, not judged: no vote against a grade
	} {
		if g, v := vote(c.grades); v != c.is || v == agreed && g != c.want {
			t.Errorf("%v: %d, %d; want %d, %d", c.grades, g, v, c.want, c.is)
		}
	}
}

// B018. Public reports: o19s/quepid#758, HumanSignal/label-studio#1289: several raters make several rows, or one of them
// wins, and a skip becomes 0.
func TestB018SeveralRaters(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "bugs", "B018", "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in Input
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct {
			Query, Chunk, Annotator string
			Grade                   any
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		grade := corpus.CannotJudge // "skip"
		if n, ok := l.Grade.(float64); ok {
			grade = corpus.Grade(n)
		}
		in.Labels = append(in.Labels, label(l.Query, l.Chunk, l.Annotator, grade))
	}
	in.Scale = corpus.DefaultScale()
	g := gold(t, in)
	if g.Header.Rule != corpus.Majority || g.Header.Queries != 1 || g.Header.Labels != 3 {
		t.Errorf("header %+v", g.Header)
	}
	r := row(t, g, "q1")
	if len(r.Labels) != 3 || len(r.Grades) != 0 || !reflect.DeepEqual(r.Unresolved, []string{"c1"}) {
		t.Errorf("2, 0 and skip are a tie: %+v", r)
	}
	in.Labels = append(in.Labels, label("q1", "c1", "ann4", 2))
	if r := row(t, gold(t, in), "q1"); r.Grades["c1"] != 2 || len(r.Unresolved) != 0 {
		t.Errorf("2, 0, skip and 2 are 2: %+v", r)
	}
}

func TestSingleRefusesSecondAnnotator(t *testing.T) {
	in := input(label("q1", "c1", "ben", 2), label("q1", "c2", "ann", 0), label("q1", "c1", "ann", 2))
	in.Rule = corpus.Single
	if _, err := Gold(in); err == nil || !strings.Contains(err.Error(), `both "ann" and "ben" labeled chunk "c1" of query "q1"`) {
		t.Errorf("%v", err)
	}
	in.Labels = in.Labels[:2]
	if r := row(t, gold(t, in), "q1"); !reflect.DeepEqual(r.Grades, map[string]corpus.Grade{"c1": 2, "c2": 0}) {
		t.Errorf("%v", r.Grades)
	}
}

func TestDecisionsOverride(t *testing.T) {
	decision := func(chunk, who string, minute int, grade corpus.Grade) corpus.Said {
		return corpus.Said{QueryID: "q1", What: corpus.SaidDecision, Value: chunk, Annotator: who, At: at(minute), Proof: proof(corpus.DecisionProof{Grade: grade})}
	}
	in := input(label("q1", "tie", "ann", 2), label("q1", "tie", "ben", 0), label("q1", "agreed", "ann", 1), label("q1", "none", "ann", 3))
	in.Said = []corpus.Said{
		decision("tie", "lead", 9, 1), decision("tie", "chief", 5, 3), decision("agreed", "lead", 3, 0),
		decision("none", "lead", 3, corpus.CannotJudge), decision("unlabeled", "lead", 3, 2),
	}
	if r := row(t, gold(t, in), "q1"); r.Grades["agreed"] != 1 || !reflect.DeepEqual(r.Unresolved, []string{"tie"}) || len(r.Said) != 5 {
		t.Errorf("majority looks at decisions: %+v", r)
	}
	in.Rule = corpus.Adjudicated
	r := row(t, gold(t, in), "q1")
	if want := map[string]corpus.Grade{"tie": 1, "agreed": 0, "unlabeled": 2}; !reflect.DeepEqual(r.Grades, want) || len(r.Unresolved) != 0 {
		t.Errorf("grades %v, unresolved %v; want %v", r.Grades, r.Unresolved, want)
	}
	if want := []string{"tie", "unlabeled"}; !reflect.DeepEqual(r.RelevantChunkIDs, want) {
		t.Errorf("relevant %v, want %v", r.RelevantChunkIDs, want)
	}
	in.Said[0].Proof = json.RawMessage(`{"labels":[]}`)
	if _, err := Gold(in); err == nil || !strings.Contains(err.Error(), `decision of "lead" on chunk "tie"`) {
		t.Errorf("a decision without a grade: %v", err)
	}
}

func TestLabelsOfAnotherCorpusAreListedOnly(t *testing.T) {
	old := label("q1", "old#1", "ann", 3)
	old.CorpusID = "before"
	in := input(label("q1", "new#1", "ann", 2), old)
	r := row(t, gold(t, in), "q1")
	if want := map[string]corpus.Grade{"new#1": 2}; !reflect.DeepEqual(r.Grades, want) {
		t.Errorf("grades %v, want %v", r.Grades, want)
	}
	if len(r.Labels) != 2 || r.Labels[0].CorpusID != "" || r.Labels[1].CorpusID != "before" {
		t.Errorf("labels %+v", r.Labels)
	}
	in.Corpus.ID = "" // no corpus at hand: any label is as good as another
	if r := row(t, gold(t, in), "q1"); len(r.Grades) != 2 || r.Labels[1].CorpusID != "before" {
		t.Errorf("without a corpus: %+v", r)
	}
}

// Labels that were imported before anything was indexed name no corpus.
func TestLabelsWithoutCorpusCount(t *testing.T) {
	early := label("q1", "a", "ann", 3)
	early.CorpusID = ""
	r := row(t, gold(t, input(early)), "q1")
	if r.Grades["a"] != 3 || r.Labels[0].CorpusID != "" {
		t.Errorf("%+v", r)
	}
	r = row(t, gold(t, input(early, label("q1", "a", "ann", 1))), "q1")
	if r.Grades["a"] != 1 || len(r.Labels) != 1 {
		t.Errorf("the later one of the same annotator stands: %+v", r)
	}
}

func TestRelevantFromTheScale(t *testing.T) {
	in := input(label("q1", "a", "ann", 1), label("q1", "b", "ann", 2), label("q1", "c", "ann", -1), label("q1", "d", "ann", corpus.CannotJudge))
	in.Scale = corpus.NewScale(0, 3, nil, 2)
	r := row(t, gold(t, in), "q1")
	if want := []string{"b"}; !reflect.DeepEqual(r.RelevantChunkIDs, want) {
		t.Errorf("relevant %v, want %v", r.RelevantChunkIDs, want)
	}
	if want := map[string]corpus.Grade{"a": 1, "b": 2, "c": -1}; !reflect.DeepEqual(r.Grades, want) || len(r.Labels) != 4 {
		t.Errorf("grades %v, want %v", r.Grades, want)
	}
}

func TestAnswerable(t *testing.T) {
	tag := corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: corpus.TagUnanswerable, Annotator: "ann"}
	yes, no := true, false
	for name, c := range map[string]struct {
		labels []corpus.Label
		said   []corpus.Said
		want   *bool
	}{
		"nothing known":        {nil, nil, nil},
		"a relevant chunk":     {[]corpus.Label{label("q1", "a", "ben", 1)}, nil, &yes},
		"only others":          {[]corpus.Label{label("q1", "a", "ben", 0)}, nil, nil},
		"tagged":               {[]corpus.Label{label("q1", "a", "ben", 0)}, []corpus.Said{tag}, &no},
		"tagged, yet relevant": {[]corpus.Label{label("q1", "a", "ben", 2)}, []corpus.Said{tag}, nil}, // B068 q3
		"tagged, with a tie":   {[]corpus.Label{label("q1", "a", "ben", 2), label("q1", "a", "ann", 0)}, []corpus.Said{tag}, &no},
	} {
		in := input(c.labels...)
		in.Said = c.said
		if got := row(t, gold(t, in), "q1").Answerable; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestStateIsTheFurthest(t *testing.T) {
	for want, states := range map[corpus.State][]corpus.State{
		corpus.Open:    {},
		corpus.Later:   {corpus.Open, corpus.Later},
		corpus.Skipped: {corpus.Later, corpus.Skipped, "unheard of"},
		corpus.Done:    {corpus.Done, corpus.Skipped, corpus.Open},
	} {
		in := input()
		for i, s := range states {
			in.Works = append(in.Works, corpus.Work{QueryID: "q1", Annotator: string(rune('a' + i)), State: s, Reason: "because <b>", At: at(i)})
		}
		r := row(t, gold(t, in), "q1")
		if r.State != want {
			t.Errorf("%v: %s, want %s", states, r.State, want)
		}
		if len(r.Said) != len(states) {
			t.Errorf("%v: %d said", states, len(r.Said))
		}
		for _, s := range r.Said {
			if s.What != corpus.SaidState || string(s.Proof) != `{"reason":"because <b>"}` {
				t.Errorf("%+v", s)
			}
		}
	}
}

func TestWhatEverybodySaidIsUnited(t *testing.T) {
	say := func(who string, minute int, what corpus.What, value string, p json.RawMessage) corpus.Said {
		return corpus.Said{QueryID: "q1", What: what, Value: value, Proof: p, Annotator: who, At: at(minute)}
	}
	in := input()
	in.Queries[0].Standalone, in.Queries[0].ReferenceAnswer = "from the log", "from the log"
	in.Said = []corpus.Said{
		say("ben", 2, corpus.SaidTag, "free", nil),
		say("ann", 1, corpus.SaidTag, "free", json.RawMessage("null")),
		say("ann", 1, corpus.SaidTag, corpus.TagFollowUp, proof(corpus.FollowUpProof{ParentID: "q0", Standalone: "newest"})),
		say("ben", 0, corpus.SaidTag, corpus.TagFollowUp, proof(corpus.FollowUpProof{ParentID: "q9", Standalone: "older"})),
		say("ann", 1, corpus.SaidTag, corpus.TagConflicting, proof(corpus.ConflictProof{ChunkIDs: []string{"y", "x"}, Holds: "x"})),
		say("ben", 1, corpus.SaidConflict, `["x","y"]`, proof(corpus.ConflictProof{ChunkIDs: []string{"x", "y"}, Holds: "x"})),
		say("ben", 1, corpus.SaidConflict, `["v","w"]`, nil),
		say("ben", 1, corpus.SaidConflict, `not a list`, nil),
		say("ann", 1, corpus.SaidSet, `["b","a","b"]`, nil),
		say("ben", 1, corpus.SaidSet, `["a","b"]`, nil),
		say("ben", 1, corpus.SaidSet, `["a"]`, nil),
		say("ben", 1, corpus.SaidSet, `{}`, nil),
		say("ben", 1, corpus.SaidHardNegative, "n2", nil),
		say("ann", 1, corpus.SaidHardNegative, "n1", nil),
		say("chi", 1, corpus.SaidHardNegative, "n1", nil),
		say("ben", 1, corpus.SaidAnswer, "first", nil),
		say("ann", 4, corpus.SaidAnswer, "last", nil),
		say("ann", 4, corpus.SaidNote, "a note", nil),
	}
	r := row(t, gold(t, in), "q1")
	for name, c := range map[string][2]any{
		"tags":      {r.Tags, []string{corpus.TagConflicting, corpus.TagFollowUp, "free"}},
		"negatives": {r.HardNegatives, []string{"n1", "n2"}},
		"sets":      {r.EvidenceSets, [][]string{{"a"}, {"a", "b"}}},
		"conflicts": {r.Conflicts, []corpus.ConflictProof{{ChunkIDs: []string{"v", "w"}}, {ChunkIDs: []string{"x", "y"}, Holds: "x"}}},
		"answer":    {r.ReferenceAnswer, "last"},
		"rewrite":   {r.Standalone, "newest"},
		"parent":    {r.ParentID, "q9"}, // who said so first
		"said":      {len(r.Said), len(in.Said)},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
}

func TestExcludedAndUnknownQueries(t *testing.T) {
	in := input(label("q1", "a", "ann", 1), label("gone", "a", "ann", 1), label("never imported", "a", "ann", 1))
	in.Queries = append(in.Queries, corpus.Query{ID: "gone", Text: "private", Excluded: true})
	in.Works = []corpus.Work{{QueryID: "gone", State: corpus.Done, At: at(50)}}
	in.Said = []corpus.Said{{QueryID: "gone", What: corpus.SaidNote, At: at(50)}}
	in.Searches = map[string][]corpus.SearchTried{"gone": {{Text: "private", At: at(50)}}, "q1": nil, "nobody": {}}
	g := gold(t, in)
	if len(g.Rows) != 2 || g.Header.Queries != 2 || g.Header.Labels != 2 || !g.Header.AsOf.Equal(at(1)) {
		t.Errorf("%+v", g.Header)
	}
	if r := row(t, g, "never imported"); r.Query != nil || r.Count != 0 || r.Grades["a"] != 1 {
		t.Errorf("%+v", r)
	}
	if r := row(t, g, "q1"); r.Query == nil || *r.Query != "how" || r.Count != 1 {
		t.Errorf("%+v", r)
	}
}

func TestHeader(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	first, second := label("q1", "a", "ann", 1), label("q1", "b", "ann", 1)
	first.GuidelinesSHA256, first.At = "old", at(3)
	second.GuidelinesSHA256, second.At = "new", at(4).In(zone)
	in := input(first, second, label("q1", "c", "ann", 1))
	in.Corpus = corpus.Info{ID: "c", Fingerprint: "f", Chunks: 7}
	in.Program, in.GuidelinesSHA256, in.Snapshot = "assay 1", "file", "before the move"
	in.Searches = map[string][]corpus.SearchTried{"q1": {{Text: "x", At: at(6).In(zone)}}}
	h := gold(t, in).Header
	if h.Assay != "gold" || h.Version != 1 || h.Program != "assay 1" || h.GuidelinesSHA256 != "new" || *h.Snapshot != in.Snapshot ||
		h.Corpus != (corpus.GoldCorpus{ID: "c", Fingerprint: "f", Chunks: 7}) || h.AsOf.String() != at(6).String() {
		t.Errorf("%+v", h)
	}
	in.AsOf = at(20)
	in.Labels = in.Labels[2:]
	if h := gold(t, in).Header; !h.AsOf.Equal(at(20)) || h.GuidelinesSHA256 != "file" {
		t.Errorf("%+v", h)
	}
	if h := gold(t, Input{Scale: corpus.DefaultScale()}).Header; h.AsOf != nil || h.Snapshot != nil || h.Rule != corpus.Majority {
		t.Errorf("%+v", h)
	}
}

func TestRefusedInput(t *testing.T) {
	for words, change := range map[string]func(*Input){
		"unknown rule":        func(in *Input) { in.Rule = "median" },
		"relevant_from":       func(in *Input) { in.Scale.RelevantFrom = 0 },
		`"q1" is given twice`: func(in *Input) { in.Queries = append(in.Queries, in.Queries[0]) },
		`the label of "ann"`:  func(in *Input) { in.Labels = append(in.Labels, in.Labels[0]) },
		`query "q2" is given `: func(in *Input) {
			in.Queries = append(in.Queries, corpus.Query{ID: "q2", Excluded: true}, corpus.Query{ID: "q2"})
		},
	} {
		in := input(label("q1", "a", "ann", 1))
		change(&in)
		if _, err := Gold(in); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
}

// A row has the same keys whatever is in it: no list is null.
func TestNoListIsNull(t *testing.T) {
	in := input(label("q1", "a", "ann", 1))
	in.Searches = map[string][]corpus.SearchTried{"q2": {{Text: "x"}}}
	for _, r := range gold(t, in).Rows {
		v := reflect.ValueOf(r)
		for i := range v.NumField() {
			if f := v.Field(i); (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.IsNil() {
				t.Errorf("%s of %s is null", v.Type().Field(i).Name, r.QueryID)
			}
		}
		for _, l := range r.Labels {
			if l.Anchor.Evidence == nil {
				t.Errorf("the evidence of %s is null", l.ChunkID)
			}
		}
	}
}
