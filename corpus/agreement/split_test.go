package agreement

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// arbitrary is what a few annotators may have said about a few queries, known and unknown, of two corpora.
func arbitrary(rnd *rand.Rand) Input {
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	query := func() string { return pick("q1", "q2", "q10", "Q1", "ü\t", "never imported") }
	chunk := func() string { return pick("a", "a#1", "../b", "c\n", "<d>&", "e") }
	who := func() string { return pick("ann", "ben", "Ann") }
	when := func() time.Time { return at(rnd.IntN(4)).In(time.FixedZone("", 3600*rnd.IntN(3))) }
	in := Input{
		Scale: corpus.DefaultScale(), Program: "assay test", GuidelinesSHA256: "g0", Searches: map[string][]corpus.SearchTried{},
		Rule: []corpus.Rule{corpus.Majority, corpus.Adjudicated}[rnd.IntN(2)], Corpus: corpus.Info{ID: pick("c", ""), Fingerprint: "f", Chunks: 3},
	}
	for _, id := range []string{"q1", "q2", "q10", "Q1", "ü\t"} {
		w, seen := 0.25, when()
		q := corpus.Query{ID: id, Text: pick("how", "", "<why> & \u2028"), Kind: corpus.Kind(pick("mined", "")), Count: rnd.IntN(3), Excluded: rnd.IntN(9) == 0}
		if rnd.IntN(2) == 0 {
			q.Weight, q.FirstSeen, q.Turns, q.ParentID, q.Standalone = &w, &seen, []corpus.Turn{{Role: "user", Content: "x"}}, "q0", "alone"
		}
		in.Queries = append(in.Queries, q)
	}
	keys := map[corpus.LabelKey]bool{}
	for range rnd.IntN(14) {
		start := rnd.IntN(9)
		l := corpus.Label{
			QueryID: query(), CorpusID: pick("c", "c", "before", ""), ChunkID: chunk(), Annotator: who(), Grade: corpus.Grade(rnd.IntN(6) - 1), At: when(),
			ScaleID: in.Scale.ID, Note: pick("", "n"), Found: corpus.RoutePool, GuidelinesSHA256: corpus.Hash(pick("", "g1", "g2")),
		}
		if rnd.IntN(2) == 0 {
			l.Anchor = corpus.Anchor{CorpusID: "before", DocID: "d", Start: &start, Evidence: []corpus.Evidence{{Start: 1, End: 2, Quote: "x"}}}
		}
		if rnd.IntN(5) == 0 {
			l.Grade = corpus.CannotJudge
		}
		if !keys[l.Key()] {
			keys[l.Key()] = true
			in.Labels = append(in.Labels, l)
		}
	}
	for range rnd.IntN(6) {
		in.Works = append(in.Works, corpus.Work{QueryID: query(), Annotator: who(), State: corpus.State(pick("open", "later", "skipped", "done")), Reason: pick("", "tired"), At: when()})
	}
	for range rnd.IntN(10) {
		s := corpus.Said{QueryID: query(), Annotator: who(), At: when()}
		switch rnd.IntN(7) {
		case 0:
			s.What, s.Value = corpus.SaidTag, pick("free", corpus.TagUnanswerable, "ünï")
		case 1:
			s.What, s.Value, s.Proof = corpus.SaidTag, corpus.TagFollowUp, proof(corpus.FollowUpProof{ParentID: "p", Standalone: pick("x", "y")})
		case 2:
			s.What, s.Value = corpus.SaidAnswer, pick("yes", "no")
		case 3:
			s.What, s.Value = corpus.SaidSet, pick(`["a","e"]`, `["e"]`, "broken")
		case 4:
			s.What, s.Value = corpus.SaidHardNegative, chunk()
		case 5:
			s.What, s.Value, s.Proof = corpus.SaidConflict, `["a","e"]`, proof(corpus.ConflictProof{ChunkIDs: []string{"e", "a"}, Holds: pick("a", "")})
		case 6:
			s.What, s.Value, s.Proof = corpus.SaidDecision, chunk(), proof(corpus.DecisionProof{Grade: corpus.Grade(rnd.IntN(3)), Labels: []corpus.EventID{"x-1"}})
		}
		in.Said = append(in.Said, s)
	}
	for range rnd.IntN(4) {
		id := query()
		in.Searches[id] = append(in.Searches[id], corpus.SearchTried{QueryID: id, Text: pick("t", "u"), Mode: corpus.Plain, Results: rnd.IntN(3), Annotator: who(), At: when()})
	}
	return in
}

func shuffled(in Input, rnd *rand.Rand) Input {
	rnd.Shuffle(len(in.Queries), reflect.Swapper(in.Queries))
	rnd.Shuffle(len(in.Labels), reflect.Swapper(in.Labels))
	rnd.Shuffle(len(in.Works), reflect.Swapper(in.Works))
	rnd.Shuffle(len(in.Said), reflect.Swapper(in.Said))
	for _, s := range in.Searches {
		rnd.Shuffle(len(s), reflect.Swapper(s))
	}
	return in
}

// Same labels, same bytes, in whatever order they come; and what was split off a gold set makes it again.
func TestOrderDoesNotMatterAndSplitInverts(t *testing.T) {
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		in := arbitrary(rnd)
		first := asJSON(t, gold(t, in))
		if again := asJSON(t, gold(t, shuffled(in, rnd))); again != first {
			t.Fatalf("seed %d:\n%s\n%s", seed, first, again)
		}
		g := gold(t, in)
		parts, err := Split(g, "")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := asJSON(t, gold(t, parts)); again != first {
			t.Fatalf("seed %d: after split\n%s\n%s", seed, first, again)
		}
		parts.AsOf = time.Time{} // a store tells the newest of what it holds
		if again := asJSON(t, gold(t, shuffled(parts, rnd))); again != first {
			t.Fatalf("seed %d: after split, without as_of\n%s\n%s", seed, first, again)
		}
		for i := 1; i < len(g.Rows); i++ {
			if g.Rows[i-1].QueryID >= g.Rows[i].QueryID {
				t.Fatalf("seed %d: rows are not sorted", seed)
			}
		}
	}
}

// Values that a foreign file claims without saying whose they are.
func TestSplitAdoptsOrphans(t *testing.T) {
	text, when := "how", at(7)
	g := corpus.GoldSet{
		Header: corpus.GoldHeader{AsOf: &when, Scale: corpus.DefaultScale(), Corpus: corpus.GoldCorpus{ID: "c"}, Rule: corpus.Majority},
		Rows: []corpus.GoldRow{{
			QueryID: "q", Query: &text, State: corpus.Done, Tags: []string{"free"}, Grades: map[string]corpus.Grade{"a": 2, "b": 0},
			HardNegatives: []string{"b"}, EvidenceSets: [][]string{{"a"}}, Conflicts: []corpus.ConflictProof{{ChunkIDs: []string{"a", "b"}, Holds: "a"}},
		}},
	}
	if _, err := Split(g, ""); err == nil || !strings.Contains(err.Error(), `does not say whose the grade of chunk a is; name an annotator`) {
		t.Errorf("%v", err)
	}
	in, err := Split(g, "ann")
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Labels) != 2 || in.Labels[0].Annotator != "ann" || in.Labels[0].CorpusID != "c" || !in.Labels[0].At.Equal(when) {
		t.Errorf("%+v", in.Labels)
	}
	r, was := row(t, gold(t, in), "q"), g.Rows[0]
	for name, c := range map[string][2]any{
		"grades": {r.Grades, was.Grades}, "tags": {r.Tags, was.Tags}, "state": {r.State, was.State}, "negatives": {r.HardNegatives, was.HardNegatives},
		"sets": {r.EvidenceSets, was.EvidenceSets}, "conflicts": {r.Conflicts, was.Conflicts},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
	// Nothing is adopted twice.
	again, err := Split(gold(t, in), "")
	if err != nil || len(again.Labels) != 2 || len(again.Said) != len(in.Said) {
		t.Errorf("%v: %+v", err, again)
	}
}

func TestSplitKeepsWhatItDoesNotKnow(t *testing.T) {
	g := corpus.GoldSet{Header: corpus.GoldHeader{Scale: corpus.DefaultScale()}, Rows: []corpus.GoldRow{{QueryID: "q", State: corpus.Open, Said: []corpus.GoldSaid{
		{What: "from the future", Value: "v", Proof: json.RawMessage(`{"x":1}`), Annotator: "ann"},
		{What: corpus.SaidState, Value: "later", Proof: json.RawMessage(`[1]`), Annotator: "ann"},
	}}}}
	in, err := Split(g, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Said) != 1 || in.Said[0].What != "from the future" || len(in.Works) != 1 || in.Works[0].State != corpus.Later || in.Works[0].Reason != "" {
		t.Errorf("%+v", in)
	}
	if len(in.Queries) != 0 {
		t.Errorf("a query came out of nothing: %+v", in.Queries)
	}
}

func BenchmarkGold(b *testing.B) {
	in := Input{Scale: corpus.DefaultScale(), Corpus: corpus.Info{ID: "c"}}
	for q := range 1000 {
		id := fmt.Sprint("q", q)
		in.Queries = append(in.Queries, corpus.Query{ID: id})
		for c := range 30 {
			for _, who := range []string{"ann", "ben", "chi"} {
				in.Labels = append(in.Labels, label(id, fmt.Sprint("c", c), who, corpus.Grade(c%4)))
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Gold(in); err != nil {
			b.Fatal(err)
		}
	}
}
