package retrieval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus"
)

// everything is each measure that trec_eval prints too, at its default cut-offs.
func everything() string {
	var b strings.Builder
	b.WriteString("RR AP nDCG Rprec SetP SetR Success@1,Success@5,Success@10")
	for _, k := range []int{5, 10, 15, 20, 30, 100, 200, 500, 1000} {
		fmt.Fprintf(&b, " P@%d R@%d nDCG@%d AP@%d", k, k, k, k)
	}
	return b.String()
}

// sameAsTrecEval compares every printed digit, for every query that trec_eval printed, and on average.
func sameAsTrecEval(t *testing.T, in Input, printed map[string]map[string]string) {
	t.Helper()
	r := evaluate(t, in, everything())
	var out bytes.Buffer
	if err := WriteTREC(&out, r, true); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(out.String()) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		measure, query := strings.TrimRight(f[0], " "), f[1]
		want, ok := printed[measure][query]
		if !ok {
			if len(printed[measure]) > 1 { // -q was given, so every query must be there
				t.Errorf("%s of query %s: trec_eval does not print it", measure, query)
			}
			continue
		}
		if got := f[2]; got != want {
			t.Errorf("%s of query %s is %s, trec_eval prints %s", measure, query, got, want)
		}
		compared++
	}
	want := 0
	for _, m := range append([]string{"runid", "num_q"}, trecNames(t)...) {
		want += len(printed[m])
	}
	if compared != want || want == 0 {
		t.Errorf("compared %d figures of %d", compared, want)
	}
}

func trecNames(t *testing.T) []string {
	var list []string
	for _, m := range parse(t, everything()) {
		name, ok := m.TrecName()
		if !ok {
			t.Fatalf("trec_eval has no %s", m)
		}
		list = append(list, name)
	}
	return list
}

func TestEqualsTrecEvalOnCollections(t *testing.T) {
	for collection, file := range map[string]string{"cranfield": "bm25-top100.run", "chunking-eval": "bm25-top100.run", "xquad-zh": "bm25-top20.run"} {
		t.Run(collection, func(t *testing.T) {
			runs := filepath.Join(dataDir(t, collection), "runs")
			in := Input{
				Queries: QrelsQueries(readQrels(t, filepath.Join(runs, "qrels.trec"))),
				Run:     readRun(t, filepath.Join(runs, file)),
			}
			printed := readTrecEval(t, filepath.Join(runs, "trec_eval.all.txt"))
			sameAsTrecEval(t, in, printed)
			for _, compat := range []Compat{TrecEval10, TrecEval9} {
				in.Compat = compat
				sameAsTrecEval(t, in, printed)
			}
		})
	}
}

// The figures of xquad-ar come from its own script; trec_eval was not run there.
func TestEqualsScriptOnArabic(t *testing.T) {
	dir := dataDir(t, "xquad-ar")
	b, err := os.ReadFile(filepath.Join(dir, "runs", "bm25-metrics.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Metrics map[string]float64 `json:"metrics"`
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	r := evaluate(t, Input{
		Queries: QrelsQueries(readQrels(t, filepath.Join(dir, "qrels.tsv"))),
		Run:     readRun(t, filepath.Join(dir, "runs", "bm25-top20.run")),
	}, "R@5 R@10 RR@10 Success@5")
	for ours, theirs := range map[string]string{"R@5": "recall@5", "R@10": "recall@10", "RR@10": "mrr@10", "Success@5": "hit@5"} {
		if got := mean(t, r.Measures, ours); math.Abs(got-want.Metrics[theirs]) > 0.00005001 {
			t.Errorf("%s is %.5f, the script says %s %.4f", ours, got, theirs, want.Metrics[theirs])
		}
	}
	if n := r.Measures[0].N; n != int(want.Metrics["queries"]) {
		t.Errorf("%d queries count, want %v", n, want.Metrics["queries"])
	}
}

// B073. Public report: usnistgov/trec_eval#29. The edge collections have ties, near-ties, negative, missing and all-zero
// grades and queries without a ranking; -l 2 makes only grades from 2 on relevant.
func TestEqualsTrecEvalOnEdges(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "metrics-edge", "*.qrels"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d edge collections: %v", len(files), err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".qrels")
		queries := QrelsQueries(readQrels(t, base+".qrels"))
		for file, from := range map[string]corpus.Grade{".c.txt": 1, ".c-l2.txt": 2} {
			t.Run(filepath.Base(base)+file, func(t *testing.T) {
				in := Input{Queries: queries, Run: readRun(t, base+".run"), RelevantFrom: from, Compat: TrecEval10}
				printed := readTrecEval(t, base+file)
				sameAsTrecEval(t, in, printed)

				// Without compat the figures of the queries that count are the same.
				in.Compat = Assay
				for _, q := range evaluate(t, in, everything()).Queries {
					for _, m := range parse(t, everything()) {
						name, _ := m.TrecName()
						if got, want := fmt.Sprintf("%6.4f", *q.Values[m.String()]), printed[name][q.QueryID]; got != want {
							t.Errorf("%s of query %s is %s, trec_eval prints %s", m, q.QueryID, got, want)
						}
					}
				}
			})
		}
	}
}

func TestTrecEval9RoundsScores(t *testing.T) {
	in := Input{
		Queries: []Query{{ID: "q", Done: true, Grades: map[string]corpus.Grade{"a": 1}}},
		Run:     corpus.Run{Rankings: map[string]corpus.Ranking{"q": {{ChunkID: "a", Score: 0.500000009}, {ChunkID: "b", Score: 0.500000003}}}},
	}
	for compat, want := range map[Compat]float64{Assay: 1, TrecEval10: 1, TrecEval9: 0.5} {
		in.Compat = compat
		if got := mean(t, evaluate(t, in, "RR").Measures, "RR"); got != want {
			t.Errorf("compat %d: RR is %v, want %v", compat, got, want)
		}
	}
}

func TestWriteTREC(t *testing.T) {
	in := Input{
		Queries: []Query{
			{ID: "10", Done: true, Grades: map[string]corpus.Grade{"a": 2, "b": 0}},
			{ID: "9", Done: true, Grades: map[string]corpus.Grade{"c": 1}},
			{ID: "8", Done: false},
		},
		Run: corpus.Run{Name: "mine\x1b[2J", Rankings: map[string]corpus.Ranking{"10": {{ChunkID: "b", Score: 2}, {ChunkID: "a", Score: 1}}}},
	}
	r := evaluate(t, in, "Judged@10 nDCG@10 R@10 R@5 RR@10 P@5 RR AP Success@5")
	for _, c := range []struct {
		perQuery bool
		want     string
	}{{false, `
runid                 	all	mine␛[2J
num_q                 	all	2
map                   	all	0.2500
recip_rank            	all	0.2500
P_5                   	all	0.1000
recall_5              	all	0.5000
recall_10             	all	0.5000
ndcg_cut_10           	all	0.3155
success_5             	all	0.5000
RR@10                 	all	0.2500
Judged@10             	all	0.5000
`}, {true, `
map                   	10	0.5000
recip_rank            	10	0.5000
P_5                   	10	0.2000
recall_5              	10	1.0000
recall_10             	10	1.0000
ndcg_cut_10           	10	0.6309
success_5             	10	1.0000
RR@10                 	10	0.5000
Judged@10             	10	1.0000
map                   	9	0.0000
`}} {
		var out bytes.Buffer
		if err := WriteTREC(&out, r, c.perQuery); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix("\n"+out.String(), c.want) {
			t.Errorf("per query %v:\n%s\nwant it to begin with\n%s", c.perQuery, out.String(), c.want)
		}
	}
	if err := WriteTREC(broken{}, r, true); err == nil {
		t.Error("a failing writer is not reported")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }
