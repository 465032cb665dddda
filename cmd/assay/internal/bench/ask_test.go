package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/remote"
	"assay/corpus/retrieval"
	"assay/export"
)

// scripted is a retriever that says what it is told to, and notes what it was asked.
type scripted struct {
	fails map[string]string // the reason by query id
	after int               // end that many answers in, where above 0
	end   func()
	asked []string
	depth int
}

func (s *scripted) Ask(ctx context.Context, queries []corpus.Query, depth int, answered func(remote.Answer) error) error {
	s.depth = depth
	for i, q := range queries {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.asked = append(s.asked, q.ID)
		ans := remote.Answer{QueryID: q.ID, Attempts: 1, Latency: time.Duration(i+1) * time.Millisecond, Err: s.fails[q.ID]}
		if ans.Err == "" {
			ans.Ranking = corpus.Ranking{{ChunkID: "about " + q.Text, Score: 1}}
		} else {
			ans.Latency = 0
		}
		if err := answered(ans); err != nil {
			return err
		}
		if s.after > 0 && i+1 == s.after {
			s.end()
		}
	}
	return nil
}

func fixed() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

func asking(path string, r remote.Retriever) Asking {
	return Asking{Retriever: r, Path: path, Now: fixed, Header: export.RunHeader{
		Name: "live", Retriever: export.RunRetriever{Kind: "exec", Command: "find"}, Depth: 7, Corpus: "c0ffee",
	}}
}

func three() []corpus.Query {
	return []corpus.Query{{ID: "q1", Text: "one"}, {ID: "q2", Text: "two"}, {ID: "q3", Text: "three"}}
}

// said is what a run holds, in short.
func said(r Retrieved) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(r.Rankings)) {
		all = append(all, id+" "+r.Rankings[id][0].ChunkID)
	}
	for _, id := range slices.Sorted(maps.Keys(r.Failed)) {
		all = append(all, id+" failed: "+r.Failed[id])
	}
	return strings.Join(all, "; ")
}

func TestAskKeepsWhatCameBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs", "live.jsonl")
	first := &scripted{}
	a := asking(path, first)
	var progress []string
	a.Asked = func(done, of int) { progress = append(progress, fmt.Sprintf("%d/%d", done, of)) }
	r, kept, err := a.Ask(t.Context(), three())
	if err != nil || kept != 0 {
		t.Fatalf("%d kept, %v", kept, err)
	}
	if s := said(r); s != "q1 about one; q2 about two; q3 about three" {
		t.Error(s)
	}
	if r.Name != "live" || r.Scorer != "exec find" || r.Corpus != "c0ffee" || r.Latency["q2"] != 2*time.Millisecond || first.depth != 7 {
		t.Errorf("%+v, asked for %d", r, first.depth)
	}
	if s := strings.Join(progress, " "); s != "0/3 1/3 2/3 3/3" {
		t.Errorf("progress %s", s)
	}

	second := &scripted{}
	again, kept, err := asking(path, second).Ask(t.Context(), three())
	if err != nil || kept != 3 || len(second.asked) != 0 {
		t.Fatalf("%d kept, %v asked again, %v", kept, second.asked, err)
	}
	if said(again) != said(r) || again.Latency["q2"] != r.Latency["q2"] || again.Scorer != r.Scorer || again.Corpus != r.Corpus {
		t.Errorf("kept as %+v, was %+v", again, r)
	}
}

// B077: a query is asked again where its text is another one, or where the retriever failed on it, and only then.
func TestB077AskAsksOnlyForTheRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	r, _, err := asking(path, &scripted{fails: map[string]string{"q2": "503"}}).Ask(t.Context(), three())
	if err != nil || said(r) != "q1 about one; q3 about three; q2 failed: 503" {
		t.Fatalf("%s, %v", said(r), err)
	}
	if _, timed := r.Latency["q2"]; timed {
		t.Error("a failure has a latency")
	}
	queries := append(three(), corpus.Query{ID: "q4", Text: "four"})
	queries[2].Text = "third"
	next := &scripted{}
	r, kept, err := asking(path, next).Ask(t.Context(), queries)
	if err != nil || kept != 1 || strings.Join(next.asked, " ") != "q3 q4 q2" { // what failed comes last
		t.Errorf("%d kept, %v asked, %v", kept, next.asked, err)
	}
	if s := said(r); s != "q1 about one; q2 about two; q3 about third; q4 about four" {
		t.Error(s)
	}
}

func TestAskLeavesOutWhatIsNotAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	if _, _, err := asking(path, &scripted{}).Ask(t.Context(), three()); err != nil {
		t.Fatal(err)
	}
	r, kept, err := asking(path, &scripted{}).Ask(t.Context(), three()[:1])
	if err != nil || kept != 1 || said(r) != "q1 about one" {
		t.Errorf("%d kept, %s, %v", kept, said(r), err)
	}
}

func TestAskKeepsWhatCameBeforeAnInterrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	r, kept, err := asking(path, &scripted{after: 2, end: cancel}).Ask(ctx, three())
	if !errors.Is(err, context.Canceled) || kept != 0 || said(r) != "q1 about one; q2 about two" {
		t.Fatalf("%d kept, %s, %v", kept, said(r), err)
	}
	next := &scripted{}
	r, kept, err = asking(path, next).Ask(t.Context(), three())
	if err != nil || kept != 2 || strings.Join(next.asked, " ") != "q3" || len(r.Rankings) != 3 {
		t.Errorf("%d kept, %v asked, %s, %v", kept, next.asked, said(r), err)
	}
}

// An answer that can't be kept ends the asking: the next one would be paid for in vain.
func TestAskStopsWhereNothingCanBeKept(t *testing.T) {
	s := &scripted{}
	hostile := three()
	hostile[0].ID = "q1\xff" // no id that a kept run can hold
	r, _, err := asking(filepath.Join(t.TempDir(), "live.jsonl"), s).Ask(t.Context(), hostile)
	if err == nil || !strings.Contains(err.Error(), "keep what the retriever said") {
		t.Errorf("%v", err)
	}
	if len(s.asked) != 1 || len(r.Rankings) != 0 {
		t.Errorf("%v asked, %s", s.asked, said(r))
	}
}

func TestAskRefusesAnothersRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	if _, _, err := asking(path, &scripted{}).Ask(t.Context(), three()); err != nil {
		t.Fatal(err)
	}
	s := &scripted{}
	other := asking(path, s)
	other.Header.Retriever.Command = "find --other"
	if _, _, err := other.Ask(t.Context(), three()); !errors.Is(err, export.ErrOtherRetriever) || len(s.asked) > 0 {
		t.Errorf("%v, %v asked", err, s.asked)
	}
	locked, _, err := export.OpenKeptRun(path, asking(path, nil).Header, fixed)
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Close()
	if _, _, err := asking(path, s).Ask(t.Context(), three()); !errors.Is(err, export.ErrRunLocked) || len(s.asked) > 0 {
		t.Errorf("%v, %v asked", err, s.asked)
	}
}

func TestAskWarnsOfLinesThatItCannotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	if _, _, err := asking(path, &scripted{}).Ask(t.Context(), three()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{\"query_id\":7}\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	r, kept, err := asking(path, &scripted{}).Ask(t.Context(), three())
	if err != nil || kept != 3 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "5") {
		t.Errorf("%d kept, %q, %v", kept, r.Warnings, err)
	}
}

func TestRetrievedFrom(t *testing.T) {
	file := export.RunFile{Run: corpus.Run{Name: "a"}, Failed: map[string]string{"q1": "late"}, Warnings: []string{"w"}}
	file.Stats.Rejected = 1
	r := RetrievedFrom(file)
	if r.Name != "a" || r.Scorer != "" || r.Corpus != "" || r.Failed["q1"] != "late" || len(r.Warnings) != 2 || !strings.HasPrefix(r.Warnings[1], "1 line ") {
		t.Errorf("%+v", r)
	}
	if len(file.Warnings) != 1 {
		t.Error("the file's own warnings grew")
	}
	file.Header = &export.RunHeader{Corpus: "c0ffee", Retriever: export.RunRetriever{Kind: "http", URL: "http://127.0.0.1/s"}}
	if r = RetrievedFrom(file); r.Scorer != "http http://127.0.0.1/s" || r.Corpus != "c0ffee" {
		t.Errorf("%+v", r)
	}
}

// What an interrupted run never got to is no verdict on the retriever; in any other file silence is one.
func TestUnasked(t *testing.T) {
	queries := []retrieval.Query{
		{ID: "answered", Done: true}, {ID: "failed", Done: true}, {ID: "done", Done: true},
		{ID: "graded", Grades: map[string]corpus.Grade{"c": 1}}, {ID: "open"},
	}
	run := func() Retrieved {
		r := Retrieved{Failed: map[string]string{"failed": "late"}}
		r.Rankings = map[string]corpus.Ranking{"answered": {}}
		return r
	}
	r := run()
	r.Unasked(export.RunFile{}, queries)
	if len(r.Failed) != 1 {
		t.Errorf("%v of a run that nobody kept", r.Failed)
	}
	r.Unasked(export.RunFile{Header: &export.RunHeader{}}, queries)
	if ids := slices.Sorted(maps.Keys(r.Failed)); strings.Join(ids, " ") != "done failed graded" || r.Failed["failed"] != "late" || r.Failed["done"] == "" {
		t.Errorf("%v", r.Failed)
	}
	r = Retrieved{}
	r.Unasked(export.RunFile{Header: &export.RunHeader{}}, queries[:1])
	if len(r.Failed) != 1 {
		t.Errorf("%v where nothing had failed", r.Failed)
	}
}

func TestWhatIsWorthAsking(t *testing.T) {
	b := Bench{Queries: []retrieval.Query{
		{ID: "done", Done: true}, {ID: "graded", Grades: map[string]corpus.Grade{"c": 0}}, {ID: "open"}, {ID: "textless", Done: true}, {ID: "open and textless"},
	}}
	texts := []corpus.Query{{ID: "open", Text: "o"}, {ID: "graded", Text: "g"}, {ID: "done", Text: "d"}, {ID: "unknown", Text: "u"}}
	var ids []string
	for _, q := range b.ToAsk(texts) {
		ids = append(ids, q.ID+" "+q.Text)
	}
	if s := strings.Join(ids, "; "); s != "done d; graded g" {
		t.Errorf("%s would be asked", s)
	}
	if missing := b.Textless(texts); len(missing) != 1 || missing[0] != "textless" {
		t.Errorf("%v lack a text", missing)
	}
}
