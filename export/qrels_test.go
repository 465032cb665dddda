package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
)

// graded is a gold set of finished queries with texts, from agreed grades.
func graded(qrels corpus.Qrels, rows ...string) corpus.GoldSet {
	gold := corpus.GoldSet{Header: corpus.GoldHeader{Scale: corpus.DefaultScale(), Rule: corpus.Majority}}
	for _, id := range rows {
		q := "text of " + id
		gold.Rows = append(gold.Rows, corpus.GoldRow{QueryID: id, Query: &q, State: corpus.Done, Grades: qrels[id]})
	}
	return gold
}

func qrels(t *testing.T, gold corpus.GoldSet, opt TRECOptions) (string, []Loss) {
	t.Helper()
	var b bytes.Buffer
	lost, err := WriteQrels(&b, gold, opt)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), lost
}

func gradesOf(l Labels) corpus.Qrels {
	q := corpus.Qrels{}
	for _, j := range l.Judgments {
		if q[j.QueryID] == nil {
			q[j.QueryID] = map[string]corpus.Grade{}
		}
		q[j.QueryID][j.ChunkID] = j.Grade
	}
	return q
}

func fields(lost []Loss) string {
	var names []string
	for _, l := range lost {
		names = append(names, fmt.Sprintf("%s %d", l.Field, l.Rows))
	}
	return strings.Join(names, "; ")
}

func TestWriteQrels(t *testing.T) {
	gold := graded(corpus.Qrels{"10": {"b": 2, "a": 0, "c": -1}, "9": {"x#1": 3}}, "10", "8", "9")
	out, lost := qrels(t, gold, TRECOptions{})
	if want := "10 0 a 0\n10 0 b 2\n10 0 c -1\n9 0 x#1 3\n"; out != want {
		t.Errorf("%swant\n%s", out, want)
	}
	if want := "queries 1; query 3"; fields(lost) != want {
		t.Errorf("%s, want %s", fields(lost), want)
	}
	gold.Header.Scale = corpus.NewScale(0, 3, nil, 3)
	out, lost = qrels(t, gold, TRECOptions{Binary: true})
	if want := "10 0 a 0\n10 0 b 0\n10 0 c -1\n9 0 x#1 1\n"; out != want {
		t.Errorf("%swant\n%s", out, want)
	}
	if want := "queries 1; grades 2; query 3"; fields(lost) != want {
		t.Errorf("%s, want %s", fields(lost), want)
	}
	if _, err := WriteQrels(failing{&bytes.Buffer{}}, gold, TRECOptions{}); err == nil {
		t.Error("a failing writer is not reported")
	}
}

func TestWhatQrelsLose(t *testing.T) {
	_, lost := qrels(t, fullGold(t), TRECOptions{EncodeIDs: true})
	want := "queries 1; ids 2; query 3; count, kind, source … 2; turns, parent_id, standalone_query 1; state 2; tags 1; reference_answer 1; unresolved 1; " +
		"evidence_sets 1; hard_negatives 1; conflicts 1; cannot_judge 1; labels 3; searches 1"
	if got := fields(lost); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, l := range lost {
		if l.Why == "" {
			t.Errorf("no reason: %+v", l)
		}
	}
}

func TestQrelsRefuseOrEncodeIDs(t *testing.T) {
	odd := []string{" ", "a b", "a\tb", "a\nb", "a\rb", "a\u00a0b", "a\u3000b", "a\x00b", "a\x1bb", "a\u0085b", "\x7f"}
	for _, id := range odd {
		for _, gold := range []corpus.GoldSet{graded(corpus.Qrels{"q": {id: 1}}, "q"), graded(corpus.Qrels{id: {"c": 1}}, id)} {
			var unfit *unfitID
			if _, err := WriteQrels(&bytes.Buffer{}, gold, TRECOptions{}); !errors.As(err, &unfit) || unfit.Hint() == "" || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("id %q: %v", id, err)
			}
		}
	}
	// # begins a comment only at the start of a line.
	if out, _ := qrels(t, graded(corpus.Qrels{"q": {"#1": 1}}, "q"), TRECOptions{}); out != "q 0 #1 1\n" {
		t.Errorf("%s", out)
	}
	for _, id := range []string{"#1", "\ufeffq"} {
		if _, err := WriteQrels(&bytes.Buffer{}, graded(corpus.Qrels{id: {"c": 1}}, id), TRECOptions{}); err == nil {
			t.Errorf("query id %q is written", id)
		}
	}
	// Encoded, all of them come back.
	all := corpus.Qrels{}
	var ids []string
	for i, id := range append(odd, "#1", "\ufeffq", "100%", "%41", "plain", "é e\u0301") {
		all[id] = map[string]corpus.Grade{id: corpus.Grade(i), "plain": 1}
		ids = append(ids, id)
	}
	var list bytes.Buffer
	out, lost := qrels(t, graded(all, ids...), TRECOptions{EncodeIDs: true, Map: &list})
	if !strings.Contains(fields(lost), "ids 32") {
		t.Errorf("%s", fields(lost))
	}
	l := labels(t, out, ReadOptions{Format: TREC, DecodeIDs: true})
	if got := gradesOf(l); !reflect.DeepEqual(got, all) || l.Stats.Rejected > 0 {
		t.Errorf("%v\n%s", got, reasons(l.Stats))
	}
	mapped := map[string]string{}
	for line := range strings.Lines(list.String()) {
		var row struct{ Encoded, ID string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		mapped[row.Encoded] = row.ID
	}
	if mapped["a%20b"] != "a b" || mapped["100%25"] != "100%" || len(mapped) != 16 {
		t.Errorf("%q", mapped)
	}
}

func TestDecodeID(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "a%20b": "a b", "%C3%a9": "é", "%25": "%", "%": "!", "a%2": "!", "a%zz": "!", "%%": "!"} {
		got, err := decodeID(text)
		if want == "!" && err == nil || want != "!" && (err != nil || got != want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	l := labels(t, "q 0 a%20b 1\nq 0 100% 1\nq 0 %FF 1\n", ReadOptions{DecodeIDs: true})
	if short(l.Judgments) != "1 q a b =1\n" {
		t.Errorf("%s", short(l.Judgments))
	}
	sameReasons(t, l.Stats, "2: chunk id: % is not followed by two hex digits\n3: chunk id: the id is not valid UTF-8\n")
}

func FuzzEncodeID(f *testing.F) {
	for _, id := range []string{"", "a b", "#", "%", "%25", "é\u3000\x00", "\ufeff\ufeff", "\xff"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		enc := encodeID(id)
		if id != "" && !trecSafe(enc, true) {
			t.Errorf("%q is encoded %q", id, enc)
		}
		if back, err := decodeID(enc); err != nil || back != id {
			t.Errorf("%q is encoded %q and decoded %q (%v)", id, enc, back, err)
		}
		decodeID(id)
	})
}

// What is written reads back equal, and is written the same again (B019).
func TestQrelsRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		all := corpus.Qrels{}
		var ids []string
		for _, id := range []string{"1", "10", "9", "q#é", "%%"} {
			grades := map[string]corpus.Grade{}
			for range 1 + rnd.IntN(6) {
				grades[fmt.Sprintf("d/%d%%", rnd.IntN(9))] = corpus.Grade(rnd.IntN(6) - 2)
			}
			all[id], ids = grades, append(ids, id)
		}
		opt := TRECOptions{EncodeIDs: rnd.IntN(2) == 0}
		first, _ := qrels(t, graded(all, ids...), opt)
		l := labels(t, first, ReadOptions{DecodeIDs: opt.EncodeIDs})
		if got := gradesOf(l); !reflect.DeepEqual(got, all) || l.Format != TREC {
			t.Fatalf("seed %d: %v, want %v", seed, got, all)
		}
		if second, _ := qrels(t, graded(gradesOf(l), ids...), opt); second != first {
			t.Fatalf("seed %d:\n%s\n%s", seed, first, second)
		}
	}
}

func TestQrelsOfRealCollections(t *testing.T) {
	for collection, count := range map[string]int{"cranfield": 1837, "chunking-eval": 0, "xquad-zh": 0} {
		t.Run(collection, func(t *testing.T) {
			dir := dataDir(t, collection)
			trec, beir := readLabels(t, filepath.Join(dir, "runs", "qrels.trec")), readLabels(t, filepath.Join(dir, "qrels.tsv"))
			if trec.Format != TREC || beir.Format != BEIR || trec.Stats.Rejected+beir.Stats.Rejected > 0 {
				t.Errorf("%s, %s\n%s%s", trec.Format, beir.Format, reasons(trec.Stats), reasons(beir.Stats))
			}
			if n := len(beir.Judgments); count > 0 && n != count {
				t.Errorf("%d labels, want %d", n, count)
			}
			if a, b := gradesOf(trec), gradesOf(beir); !reflect.DeepEqual(a, b) {
				t.Errorf("both files hold the same labels, yet %d and %d queries", len(a), len(b))
			}
		})
	}
}
