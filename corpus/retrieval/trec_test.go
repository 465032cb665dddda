package retrieval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/retrieval/measure"
)

// everything is each measure that trec_eval prints too, at its default cut-offs.
func everything() string {
	var b strings.Builder
	b.WriteString("RR AP nDCG Rprec SetP SetR SetF SetAP Bpref NumRet NumRel NumRelRet infAP GMAP RBP(p=0.9) Success@1,Success@5,Success@10")
	for x := 0; x <= 10; x++ {
		fmt.Fprintf(&b, " IPrec@%g", float64(x)/10)
	}
	for _, k := range []int{5, 10, 15, 20, 30, 100, 200, 500, 1000} {
		fmt.Fprintf(&b, " P@%d R@%d nDCG@%d AP@%d", k, k, k, k)
	}
	return b.String()
}

// sameAsTrecEval compares every printed digit of the measures, for every query that trec_eval printed, and on average.
func sameAsTrecEval(t *testing.T, in Input, measures []Measure, printed map[string]map[string]string) {
	t.Helper()
	r, err := Evaluate(in, measures)
	if err != nil {
		t.Fatal(err)
	}
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
	want := len(printed["runid"]) + len(printed["num_q"])
	for _, m := range measures {
		name, ok := m.TrecName()
		if !ok || len(printed[name]) == 0 {
			t.Errorf("trec_eval prints no %s", m)
		}
		want += len(printed[name])
	}
	if compared != want {
		t.Errorf("compared %d figures of %d", compared, want)
	}
}

// printedOf are the measures that trec_eval printed.
func printedOf(t *testing.T, list string, printed map[string]map[string]string) []Measure {
	var measures []Measure
	for _, m := range parse(t, list) {
		if name, ok := m.TrecName(); ok && len(printed[name]) > 0 {
			measures = append(measures, m)
		}
	}
	return measures
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
			measures := parse(t, everything())
			for _, compat := range []Compat{TrecEval10, TrecEval9} {
				in.Compat = compat
				same := measures
				if compat == TrecEval9 { // which takes other recall levels than 10, which printed these figures
					same = slices.DeleteFunc(slices.Clone(measures), func(m Measure) bool { return m.Kind() == measure.Interpolated })
				}
				sameAsTrecEval(t, in, same, printed)
			}
			in.Compat = Assay // RBP takes relevance as yes or no then
			sameAsTrecEval(t, in, slices.DeleteFunc(measures, func(m Measure) bool { return m.Kind() == measure.RBP }), printed)
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
// grades and queries without a ranking; -l 2 makes only grades from 2 on relevant, -J looks at judged hits only.
func TestEqualsTrecEvalOnEdges(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "metrics-edge", "*.qrels"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d edge collections: %v", len(files), err)
	}
	// with is the measure with the parameter, or as it is where it takes none such.
	with := func(parameter string) func(Measure) Measure {
		return func(m Measure) Measure {
			name, depth, cut := strings.Cut(m.String(), "@")
			if inside, ok := strings.CutSuffix(name, ")"); ok {
				name = inside + "," + parameter + ")"
			} else {
				name += "(" + parameter + ")"
			}
			if cut {
				name += "@" + depth
			}
			if narrowed, err := measure.ParseOne(name); err == nil {
				return narrowed
			}
			return m
		}
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".qrels")
		queries := QrelsQueries(readQrels(t, base+".qrels"))
		for _, c := range []struct {
			file string
			from corpus.Grade
			as   func(Measure) Measure
		}{
			{".c.txt", 1, func(m Measure) Measure { return m }},
			{".c-l2.txt", 2, func(m Measure) Measure { return m }},
			{".c-l2.txt", 1, with("rel=2")},
			{".c-J.txt", 1, with("judged_only=True")},
		} {
			t.Run(filepath.Base(base)+c.file, func(t *testing.T) {
				in := Input{Queries: queries, Run: readRun(t, base+".run"), RelevantFrom: c.from, Compat: TrecEval10}
				printed := readTrecEval(t, base+c.file)
				var measures []Measure
				for _, m := range printedOf(t, everything(), printed) {
					measures = append(measures, c.as(m))
				}
				if len(measures) < 50 {
					t.Fatalf("trec_eval printed %d measures", len(measures))
				}
				sameAsTrecEval(t, in, measures, printed)

				// Without compat the figures of the queries that count are the same.
				in.Compat = Assay
				r, err := Evaluate(in, measures)
				if err != nil {
					t.Fatal(err)
				}
				for _, q := range r.Queries {
					for _, m := range measures {
						name, _ := m.TrecName()
						got := fmt.Sprintf("%6.4f", *q.Values[m.String()])
						if printed[name][q.QueryID] == "  -nan" {
							continue // nothing judged was returned: 0, where trec_eval divides by 0
						}
						if m.Summed() {
							got = fmt.Sprintf("%.0f", *q.Values[m.String()])
						}
						if want := printed[name][q.QueryID]; got != want {
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
