package check

import (
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

// opened shows the ranking of a query.
func at(s *Screen, id string) {
	for i, r := range s.order.rows {
		if r.id == id {
			s.places[queriesSection].cursor = i
		}
	}
}

func TestARankingWithGradesAndGaps(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 100, 24)
	at(s, "q0001")
	d.Press("enter")
	d.Sees("how do i rotate the signing key", "q0001  R@5 ", "[3]", "[0]", "[~]", "[·]", "[+]", "unjudged", "Rotating keys")
	if s.ranking.rows[0].chunkID != "docs/keys.md#1" || s.ranking.rows[0].rank != 1 {
		t.Error(s.ranking.rows[0])
	}
	d.Press("n")
	x, _ := s.ranking.current()
	if x.judged || x.others {
		t.Error("n went to a judged chunk")
	}
	d.Press("enter")
	if got := asked[screen.OpenQuery](d); len(got) != 1 || got[0] != (screen.OpenQuery{QueryID: "q0001", ChunkID: x.chunkID, Above: true}) {
		t.Error(got)
	}
	// A grade given meanwhile shows when the screen does, and so do the figures.
	before := *s.base().report.Measures[1].Mean
	if _, err := k.Desk.Grade(t.Context(), port.Grading{QueryID: "q0001", ChunkID: x.chunkID, Grade: 2}); err != nil {
		t.Fatal(err)
	}
	d.Send(screen.Changed{})
	if y, _ := s.ranking.current(); y.chunkID != x.chunkID || !y.judged || y.grade != 2 {
		t.Error("the grade is not shown, or the cursor moved:", y)
	}
	if *s.base().report.Measures[1].Mean == before {
		t.Error("the figures are the old ones")
	}
	for range 20 {
		d.Press("n")
	}
	d.Sees("no unjudged chunk below")
	d.Press("esc", "enter", "q")
	if s.ranking != nil {
		t.Error("q doesn't go back to the measures")
	}
}

// Others' grades stay hidden: that somebody judged a chunk is all that is told, and one's own grade comes first.
func TestOthersGradesStayHidden(t *testing.T) {
	sheet := port.Sheet{
		Labels: map[string]corpus.Label{"mine": {Grade: 1}, "odd": {Grade: corpus.CannotJudge}, "old": {Grade: 2}},
		Stale:  map[string]bool{"old": true},
	}
	found := port.Ranking{Judged: map[string]bool{"mine": true, "theirs": true, "odd": true, "missed": true}}
	for _, id := range []string{"mine", "theirs", "nobody", "odd", "old"} {
		found.Hits = append(found.Hits, corpus.Hit{ChunkID: id})
	}
	s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk})
	var marks []string
	for _, x := range beside(found, sheet, corpus.DefaultScale()) {
		marks = append(marks, x.chunkID+s.mark(x).Text)
	}
	if got := strings.Join(marks, " "); got != "mine[1] theirs[+] nobody[·] odd[~] old[↺]" {
		t.Error(got)
	}
	if got := s.mark(ranked{judged: true, grade: 12}).Text; got != "[-]" {
		t.Error(got)
	}
}

func TestRelevantChunksThatWereNotFound(t *testing.T) {
	sheet := port.Sheet{Labels: map[string]corpus.Label{"b": {Grade: 1}, "c": {Grade: 3}, "d": {Grade: 0}, "a": {Grade: 3}, "x": {Grade: corpus.CannotJudge}}}
	rows := beside(port.Ranking{Hits: corpus.Ranking{{ChunkID: "b", Score: 2}, {ChunkID: "z", Score: 1}}}, sheet, corpus.DefaultScale())
	var got []string
	for _, r := range rows {
		got = append(got, r.chunkID)
	}
	if strings.Join(got, " ") != "b z a c" || rows[2].rank != 0 || rows[1].judged {
		t.Error(rows)
	}
}

// One key sends what is unjudged in the top k of the measure at hand to labeling, with run and ranks.
func TestSendsUnjudgedChunks(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Press("c", "j", "o", "enter")
	d.Sees("bm25")
	at(s, "q0001")
	d.Press("enter")
	d.Sees("bm25 · unjudged 1 in top 5, 2 of 6 · not found 1")
	d.Press("s")
	got := asked[screen.LabelChunks](d)
	want := screen.LabelChunks{QueryID: "q0001", Run: "bm25", Chunks: []screen.Candidate{{ChunkID: "docs/faq.md#3", Rank: 1}}}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	d.Press("esc", "o", "o") // RR looks at all: ten are enough
	d.Press("enter")
	for s.ranking.id != "q0001" {
		d.Press("esc", "j", "enter")
	}
	d.Press("s")
	got = asked[screen.LabelChunks](d)
	if len(got) != 2 || len(got[1].Chunks) != 2 || got[1].Chunks[1] != (screen.Candidate{ChunkID: "blog/2023-tokens.md#2", Rank: 6}) {
		t.Errorf("%+v", got)
	}
	for _, c := range got[1].Chunks {
		if _, err := k.Desk.Grade(t.Context(), port.Grading{QueryID: "q0001", ChunkID: c.ChunkID, Grade: 0}); err != nil {
			t.Fatal(err)
		}
	}
	d.Send(screen.Changed{})
	d.Press("s")
	d.Sees("nothing is unjudged in the top 10")
	if len(asked[screen.LabelChunks](d)) != 2 {
		t.Error("an empty list was sent")
	}
	d.Hold()
	d.Press("esc", "j", "enter", "s")
	d.Release()
	d.Sees("not yet: the ranking is still loading")
}

func TestHowDeepIsSent(t *testing.T) {
	for name, want := range map[string]int{"R@5": 5, "nDCG@10": 10, "RR": 10, "AP": 10, "Success@3": 3, "no measure": 10, "R@5 P@7": 10, "": 10} {
		s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk})
		s.chosen[0].report.Measures = []retrieval.Mean{{Name: name}}
		if got := s.topK(); got != want {
			t.Errorf("%q sends the top %d, want %d", name, got, want)
		}
	}
}

func TestTheNextRunsRanking(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 100, 24)
	at(s, "q0001")
	d.Press("enter", "tab")
	d.Sees("one run only is shown")
	d.Press("esc")
	d.Press(both...)
	at(s, "q0001")
	d.Press("enter", "tab")
	d.Sees("B bm25 · ", "docs/faq.md#3")
	if s.ranking.run.Name != "bm25" || s.ranking.id != "q0001" {
		t.Error(s.ranking.run, s.ranking.id)
	}
	d.Press("tab")
	d.Sees("A built-in search · ")
}

func TestALateRankingIsNotShown(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Hold()
	d.Press("enter", "esc", "j", "enter")
	d.Step(1)
	d.Step(0)
	d.Release()
	if s.ranking.id != s.order.rows[1].id || s.ranking.text != s.texts[s.order.rows[1].id] {
		t.Error(s.ranking.id, s.ranking.text)
	}
	d.Hold()
	d.Press("r", "esc")
	d.Release()
	if s.ranking != nil {
		t.Error("a ranking came back by itself")
	}
}

// Words are read for rows in view only, once each, and a chunk that is gone says so.
func TestWordsOfChunksInView(t *testing.T) {
	k := labeled(t, fake.Plain)
	var hits corpus.Ranking
	for i := range 60 {
		hits = append(hits, corpus.Hit{ChunkID: "gone-" + string(rune('A'+i%26)) + string(rune('a'+i/26)), Score: float64(100 - i)})
	}
	k.Checker.Kept["bm25"]["q0001"] = append(hits, k.Checker.Kept["bm25"]["q0001"]...)
	d, s := shown(t, k, k.Checker, "none", 120, 24)
	d.Press("c", "j", "o", "enter")
	at(s, "q0001")
	d.Press("enter")
	d.Sees("(not in the corpus)")
	if n := k.Finder.Calls("Chunk"); n != s.rankingRows() {
		t.Errorf("%d chunks were read for %d rows", n, s.rankingRows())
	}
	d.Press("j", "k", "j")
	if n := k.Finder.Calls("Chunk"); n != s.rankingRows() {
		t.Error("chunks were read again")
	}
	d.Press("G")
	d.Sees("Rotating keys", "not found")

	// Without a finder the ids have the room.
	s = New(Options{Desk: k.Desk, Checker: k.Checker})
	s.ranking = &ranking{loaded: true, rows: []ranked{{rank: 1, chunkID: strings.Repeat("long/", 12) + "end"}}}
	s.Resize(100, 24)
	if got := s.View(); !strings.Contains(got, strings.Repeat("long/", 12)+"end") {
		t.Error(got)
	}
}
