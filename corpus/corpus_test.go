package corpus

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
)

func TestCheckID(t *testing.T) {
	for _, id := range []string{"a", " a ", "a/b", "\x00", "é", "\u202e", strings.Repeat("x", MaxIDLen)} {
		if err := CheckID(id); err != nil {
			t.Errorf("%.20q: %v", id, err)
		}
	}
	for _, id := range []string{"", "\xff", "a\xc3", strings.Repeat("x", MaxIDLen+1)} {
		if CheckID(id) == nil {
			t.Errorf("%.20q was taken", id)
		}
	}
}

func TestHashText(t *testing.T) {
	// FIPS 180-4's example.
	if got := HashText("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(got)
	}
}

func fingerprint(chunks ...string) Hash {
	return Fingerprint(func(yield func(string, [sha256.Size]byte) bool) {
		for i := 0; i < len(chunks); i += 2 {
			if !yield(chunks[i], sha256.Sum256([]byte(chunks[i+1]))) {
				return
			}
		}
	})
}

// TestFingerprint checks that what is told apart by ids and texts is told apart by fingerprint.
func TestFingerprint(t *testing.T) {
	seen := map[Hash]string{}
	for _, c := range [][]string{{}, {"a", "x"}, {"a", "y"}, {"b", "x"}, {"a", "x", "b", "y"}, {"a", "y", "b", "x"}, {"ab", "x"}, {"a", "", "b", ""}, {"ab", ""}} {
		f := fingerprint(c...)
		if other, ok := seen[f]; ok {
			t.Errorf("%q and %s have one fingerprint", c, other)
		}
		seen[f] = strings.Join(c, "|")
		if f != fingerprint(c...) {
			t.Errorf("%q has two fingerprints", c)
		}
	}
}

func TestGradesAsJSON(t *testing.T) {
	for _, tt := range []struct {
		g    Grade
		json string
	}{{0, "0"}, {3, "3"}, {-1, "-1"}, {CannotJudge, `"cannot_judge"`}} {
		b, err := json.Marshal(tt.g)
		if err != nil || string(b) != tt.json {
			t.Errorf("%d: %s %v", tt.g, b, err)
		}
		var back Grade
		if err := json.Unmarshal(b, &back); err != nil || back != tt.g {
			t.Errorf("%s: %d %v", b, back, err)
		}
	}
	for _, bad := range []string{"1.5", `"2"`, "1e3", "null x", "true", `"skip"`, "99999999999"} {
		var g Grade
		if err := json.Unmarshal([]byte(bad), &g); err == nil {
			t.Errorf("%s was read as %d", bad, g)
		}
	}
}

func TestScale(t *testing.T) {
	s := DefaultScale()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	for g, want := range map[Grade][2]bool{0: {true, false}, 1: {true, true}, 3: {true, true}, 4: {false, true}, -1: {true, false}, CannotJudge: {true, false}} {
		if s.Holds(g) != want[0] || s.Relevant(g) != want[1] {
			t.Errorf("%s: holds %v, relevant %v", g, s.Holds(g), s.Relevant(g))
		}
	}
	wide := s.Widened(0, 4)
	if wide.Max != 4 || wide.Name(3) != "perfect" || wide.Name(4) != "4" || wide.RelevantFrom != 1 || wide.ID == s.ID {
		t.Errorf("widened %+v", wide)
	}
	if same := s.Widened(1, 2); same.ID != s.ID {
		t.Errorf("widened to what it holds: %+v", same)
	}
	if NewScale(0, 3, s.Names, 2).ID == s.ID || NewScale(0, 3, map[Grade]string{0: "no"}, 1).ID == s.ID {
		t.Error("different scales have one id")
	}
	for _, bad := range []Scale{NewScale(-1, 3, nil, 1), NewScale(0, 10, nil, 1), NewScale(2, 2, nil, 2), NewScale(0, 3, nil, 0), NewScale(0, 3, nil, 4)} {
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	b, err := json.Marshal(s)
	var back Scale
	if err != nil || json.Unmarshal(b, &back) != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%s reads back as %+v", b, back)
	}
}

func TestHLCAsText(t *testing.T) {
	check := func(n uint64) bool {
		b, err := HLC(n).MarshalText()
		var back HLC
		return err == nil && len(b) == 16 && back.UnmarshalText(b) == nil && uint64(back) == n
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
	if !check(math.MaxUint64) {
		t.Error("the highest time is lost")
	}
	for _, bad := range []string{"", "12", "000000000000000g", "00000000000000001"} {
		var h HLC
		if h.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestProcessOfAnEvent(t *testing.T) {
	if p := EventID("00ff-12").Process(); p != "00ff" {
		t.Error(p)
	}
}

// TestRankingOrder holds the order that every figure rests on: score descending, then id descending by bytes.
func TestRankingOrder(t *testing.T) {
	r := Ranking{{"a", 1}, {"10", 2}, {"9", 2}, {"é", 1}, {"b", 1}, {"z", math.Inf(1)}, {"n", -1}}
	r.Sort()
	var ids []string
	for _, h := range r {
		ids = append(ids, h.ChunkID)
	}
	if got := strings.Join(ids, " "); got != "z 9 10 é b a n" {
		t.Error(got)
	}
}

func TestAnchorOf(t *testing.T) {
	c := Chunk{ID: "d#1", DocID: "d", DocHash: "dh", Span: &Span{3, 7}, Text: "text"}
	a := AnchorOf("c", c)
	if a.CorpusID != "c" || a.DocID != "d" || a.DocSHA256 != "dh" || *a.Start != 3 || *a.End != 7 || a.ChunkSHA256 != HashText("text") || a.Evidence == nil {
		t.Errorf("%+v", a)
	}
	c.Span.Start = 9
	if *a.Start != 3 {
		t.Error("the anchor moves with the chunk's own span")
	}
	if b := AnchorOf("c", Chunk{ID: "x"}); b.Start != nil || b.End != nil {
		t.Errorf("an anchor without a span: %+v", b)
	}
}
