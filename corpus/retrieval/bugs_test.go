package retrieval

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

func bug(id, file string) string { return filepath.Join("testdata", "bugs", id, file) }

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func expect(t *testing.T, id string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(bug(id, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func warned(r Report, words string) bool {
	return strings.Contains(strings.Join(r.Warnings, "\n"), words)
}

// ours translates the measures of the expect.json files.
func ours(theirs string) string {
	return strings.NewReplacer("recall@", "R@", "mrr", "RR").Replace(theirs)
}

func checkExpected(t *testing.T, r Report, want map[string]any) {
	t.Helper()
	for name, v := range want {
		if got := mean(t, r.Measures, ours(name)); got != v {
			t.Errorf("%s is %v, want %v", name, got, v)
		}
	}
}

// Public reports: truera/trulens#2746, garrytan/gbrain#4607: duplicate chunks push recall above 1.
func TestB065RepeatsCountOnce(t *testing.T) {
	in := Input{Queries: QrelsQueries(readQrels(t, bug("B065", "gold.tsv"))), Run: readRunLines(t, bug("B065", "run.jsonl"))}
	r := evaluate(t, in, "R@2 R@3 RR")
	checkExpected(t, r, expect(t, "B065"))
	if r.Repeats != 1 || !warned(r, `1 hit was returned before`) {
		t.Errorf("%d repeats, warnings %q", r.Repeats, r.Warnings)
	}
	if got := asJSON(t, r.Recall); got != `[{"k":1,"mean":0.5},{"k":2,"mean":0.5}]` { // two chunks deep, not three
		t.Errorf("recall by depth %s", got)
	}
	in.Strict = true
	if _, err := Evaluate(in, parse(t, "R@3")); err == nil || !strings.Contains(err.Error(), `query "q1" returns chunk "a" more than once (1 repeated hit`) {
		t.Errorf("strict: %v", err)
	}
	in.Strict, in.Compat = false, TrecEval10
	if _, err := Evaluate(in, parse(t, "R@3")); err == nil {
		t.Error("compat does not refuse repeats")
	}
}

// Public reports: jina-ai/serve#1123, antgroup/vsag#2471: recall over min(k, R) or over the hits.
func TestB066RecallIsOfAllRelevant(t *testing.T) {
	in := Input{Queries: QrelsQueries(readQrels(t, bug("B066", "gold.tsv"))), Run: readRunLines(t, bug("B066", "run.jsonl"))}
	in.Resamples, in.Best, in.By = 100, 1, Facets()
	r := evaluate(t, in, "R@1 R@2 R@5 R@10")
	checkExpected(t, r, expect(t, "B066"))
	for _, s := range r.Slices {
		checkExpected(t, Report{Measures: s.Measures}, expect(t, "B066"))
	}
	for _, p := range r.Recall {
		if want := expect(t, "B066")[fmt.Sprintf("recall@%d", p.K)]; want != nil && p.Mean != want {
			t.Errorf("at %d the curve is at %v, want %v", p.K, p.Mean, want)
		}
	}
}

// Public reports: deepset-ai/haystack#938, scikit-learn/scikit-learn#29521: unanswerable queries count as 0.
func TestB068UnanswerableIsNotZero(t *testing.T) {
	var queries []Query
	eachLine(t, bug("B068", "gold.jsonl"), func(line string) {
		var row struct {
			Query    string                  `json:"query"`
			Tags     []string                `json:"tags"`
			Relevant map[string]corpus.Grade `json:"relevant"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		queries = append(queries, StatusOf(corpus.GoldRow{QueryID: row.Query, Query: new(string), State: corpus.Done, Tags: row.Tags, Grades: row.Relevant}))
	})
	r := evaluate(t, Input{Queries: queries, Run: readRunLines(t, bug("B068", "run.jsonl"))}, "R@5")
	if want := []Excluded{{"q1", WhyUnanswerable}}; !reflect.DeepEqual(r.Excluded, want) {
		t.Errorf("excluded %v, want %v", r.Excluded, want)
	}
	if m := r.Measures[0]; m.N != 2 || *m.Mean != 1 {
		t.Errorf("R@5 is %v over %d, want 1 over 2", *m.Mean, m.N)
	}
	if u := r.Unanswerable; u == nil || u.Queries != 1 || u.Returned > 1 { // q1; q3 counts
		t.Errorf("unanswerable: %+v", u)
	}
	if !reflect.DeepEqual(r.Contradictory, []string{"q3"}) || !warned(r, `1 query is tagged unanswerable, yet with a relevant chunk: "q3"`) {
		t.Errorf("contradictory %v, warnings %q", r.Contradictory, r.Warnings)
	}
}

// Public reports: opensearch-project/search-relevance#66, spiceai/spiceai#12277: queries without hits leave the mean.
func TestB069QueriesWithoutHitsStay(t *testing.T) {
	in := Input{Queries: QrelsQueries(readQrels(t, bug("B069", "gold.tsv"))), Run: readRunLines(t, bug("B069", "run.jsonl")), Resamples: 100, By: []Facet{ByTag}}
	r := evaluate(t, in, "R@10")
	want := expect(t, "B069")
	if m := r.Measures[0]; *m.Mean != want["mean_recall@10"] || float64(m.N) != want["denominator"] {
		t.Errorf("R@10 is %v over %d, want %v over %v", *m.Mean, m.N, want["mean_recall@10"], want["denominator"])
	}
	if got := asJSON(t, r.NoResult); got != asJSON(t, want["no_result"]) {
		t.Errorf("no result for %s, want %v", got, want["no_result"])
	}
	if got := asJSON(t, r.Unknown); got != asJSON(t, want["unknown_queries"]) || !warned(r, `does not know: "q9"`) {
		t.Errorf("unknown %s, want %v; warnings %q", got, want["unknown_queries"], r.Warnings)
	}
	if float64(r.Slices[0].N) != want["denominator"] || *r.Slices[0].Measures[0].Mean != want["mean_recall@10"] || r.Measures[0].Interval == nil {
		t.Errorf("slices %+v, interval %v", r.Slices, r.Measures[0].Interval)
	}
	// A query that the retriever failed on stays too, as 0, and the figure without it stands beside.
	in.Failed = map[string]string{asString(t, want["no_result"], 0): "timeout"}
	r = evaluate(t, in, "R@10")
	if *r.Measures[0].Mean != want["mean_recall@10"] || r.WithoutFailed[0].N != r.Measures[0].N-1 || len(r.NoResult) != len(want["no_result"].([]any))-1 {
		t.Errorf("%s", asJSON(t, r))
	}
}

// Public reports: beir-cellar/beir#101, embeddings-benchmark/mteb#5021: gold ids absent from the corpus cap recall.
func TestB070GoldOutsideCorpus(t *testing.T) {
	chunks, asked := idsIn(t, bug("B070", "corpus.jsonl")), idsIn(t, bug("B070", "queries.jsonl"))
	queries := QrelsQueries(readQrels(t, bug("B070", "gold.tsv")))
	for i := range queries {
		queries[i].NoText = !asked[queries[i].ID]
	}
	in := Input{
		Queries:  queries,
		Run:      corpus.Run{Rankings: map[string]corpus.Ranking{"q1": {{ChunkID: "c1", Score: 1}}}},
		InCorpus: func(id string) bool { return chunks[id] },
	}
	r := evaluate(t, in, "R@5 nDCG@10")
	if want := []MissingGold{{"q1", "gone-03b", 1}}; !reflect.DeepEqual(r.Missing, want) || !reflect.DeepEqual(r.Missing, Missing(queries, in.InCorpus)) {
		t.Errorf("missing %v, want %v", r.Missing, want)
	}
	if !reflect.DeepEqual(r.NoText, []string{"qX"}) {
		t.Errorf("never imported: %v, want qX", r.NoText)
	}
	if got := mean(t, r.Measures, "R@5"); got != 0.25 {
		t.Errorf("with them R@5 is %v, want 0.25", got)
	}
	for _, m := range r.WithoutMissing {
		if *m.Mean != 1 || m.N != 1 {
			t.Errorf("without them %s is %v over %d, want 1 over 1", m.Name, *m.Mean, m.N)
		}
	}
	for _, words := range []string{`1 gold id is not in the corpus: "gone-03b"`, `never imported: "qX"`} {
		if !warned(r, words) {
			t.Errorf("no warning %q in %q", words, r.Warnings)
		}
	}
	if n := len(queries[0].Grades); n != 2 {
		t.Errorf("the gold set was changed: %d grades left", n)
	}
	in.InCorpus = func(string) bool { return true }
	in.Queries[1].NoText = false
	if r := evaluate(t, in, "R@5"); r.WithoutMissing != nil || r.Missing != nil {
		t.Errorf("nothing is missing, yet %v", r.Missing)
	}
}

func asString(t *testing.T, list any, i int) string {
	t.Helper()
	l, ok := list.([]any)
	if !ok || i >= len(l) {
		t.Fatalf("%v has no %d", list, i)
	}
	return l[i].(string)
}

func idsIn(t *testing.T, path string) map[string]bool {
	ids := map[string]bool{}
	eachLine(t, path, func(line string) {
		var row struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		ids[row.ID] = true
	})
	return ids
}

// Public reports: usnistgov/trec_eval#29, joaopalotti/trectools#47. A negative grade is as good as none: never relevant,
// no gain, not in the ideal, not judged.
func TestB073NegativeGradesAreUnjudged(t *testing.T) {
	qrels := readQrels(t, bug("B073", "qrels.trec")) // D1 -1, D2 1, D3 0; the lines without a whole grade are left out
	if n := len(qrels["Q1"]); n != 3 {
		t.Fatalf("%d grades, want 3", n)
	}
	in := Input{
		Queries: QrelsQueries(qrels),
		Run:     corpus.Run{Rankings: map[string]corpus.Ranking{"Q1": {{ChunkID: "D1", Score: 3}, {ChunkID: "D3", Score: 2}, {ChunkID: "D2", Score: 1}}}},
	}
	const measures = "Judged@3 Judged@1 RR nDCG AP R@3 P@3"
	negative := evaluate(t, in, measures)
	delete(qrels["Q1"], "D1")
	if a, b := asJSON(t, negative), asJSON(t, evaluate(t, in, measures)); a != b {
		t.Errorf("with grade -1\n%s\nwithout\n%s", a, b)
	}
	if got := mean(t, negative.Measures, "Judged@3"); got != 2.0/3 {
		t.Errorf("Judged@3 is %v, want 2/3", got)
	}
	for _, m := range negative.Measures {
		if m.Name == "RR" && (*m.Judged != 2.0/3 || *m.Mean != 1.0/3 || m.Bounds == nil || *m.Bounds != Bounds{1.0 / 3, 1}) {
			t.Errorf("%s: what is graded below 0 may be relevant yet", asJSON(t, m))
		}
	}
	if missing := Missing([]Query{{ID: "q", Grades: map[string]corpus.Grade{"gone": -1, corpus.CannotJudge.String(): corpus.CannotJudge}}}, func(string) bool { return false }); missing != nil {
		t.Errorf("a chunk that nobody judged is missing: %v", missing)
	}
}

// Public report: tsenart/vegeta#461: NaN makes the JSON report fail.
func TestB074NothingIsNaN(t *testing.T) {
	gold := []Query{{ID: "q1", Done: true, Grades: map[string]corpus.Grade{"a": 1}}}
	nan := corpus.Run{Rankings: map[string]corpus.Ranking{"q1": {{ChunkID: "b", Score: math.NaN()}, {ChunkID: "a", Score: math.Inf(1)}, {ChunkID: "c", Score: math.Inf(-1)}}}}
	for name, in := range map[string]Input{
		"nothing at all":       {},
		"empty run":            {Queries: gold},
		"empty gold set":       {Run: nan},
		"nobody finished":      {Queries: []Query{{ID: "q1"}, {ID: "q2", Unanswerable: true}}},
		"nothing relevant":     {Queries: []Query{{ID: "q1", Done: true}}, Compat: TrecEval10},
		"only negative grades": {Queries: []Query{{ID: "q1", Done: true, Grades: map[string]corpus.Grade{"a": -2}}}, Compat: TrecEval10},
		"scores that are none": {Queries: gold, Run: nan},
		"ids that are missing": {Queries: gold, Run: nan, InCorpus: func(string) bool { return false }},
		"scores of the unanswerable": {Queries: append(slices.Clone(gold), Query{ID: "u", Done: true, Unanswerable: true}),
			Run: corpus.Run{Rankings: map[string]corpus.Ranking{"q1": nan.Rankings["q1"], "u": nan.Rankings["q1"]}}},
		"all failed":       {Queries: gold, Failed: map[string]string{"q1": "timeout"}},
		"failed, unknown":  {Queries: gold, Failed: map[string]string{"q9": "timeout"}},
		"judged hits only": {Queries: gold, Run: corpus.Run{Rankings: map[string]corpus.Ranking{"q1": ranked("x")}}, Compat: TrecEval10},
	} {
		for _, options := range []string{"", ", every option on"} {
			if options != "" {
				limits := DefaultLimits()
				in.Resamples, in.By, in.Limits, in.Latency, in.Best = 20, Facets(), &limits, map[string]time.Duration{"q1": 0}, 3
			}
			nothingIsNaN(t, name+options, in)
		}
	}
	if text := asJSON(t, evaluate(t, Input{}, "R@5")); !strings.Contains(text, `"measures":[{"name":"R@5","mean":null,"n":0,"why":"no query counts"}],"excluded":[],"queries":[]`) {
		t.Errorf("undefined is not null: %s", text)
	}
}

func nothingIsNaN(t *testing.T, name string, in Input) {
	t.Run(name, func(t *testing.T) {
		r := evaluate(t, in, everything()+" "+DefaultMeasures+" Sets@5 IPrec(judged_only=True)@0")
		for _, text := range []string{"R@5>=0.5", "R@5>=0.5@free", "Sets@5<=1@kind:mined", "IPrec(judged_only=True)@0>=0"} {
			g, err := ParseGate(text)
			if err != nil {
				t.Fatal(err)
			}
			r.Gates = append(r.Gates, g.Check(r))
		}
		text := asJSON(t, r)
		if !json.Valid([]byte(text)) {
			t.Fatalf("not JSON: %s", text)
		}
		for _, m := range slices.Concat(r.Measures, r.WithoutMissing, r.WithoutFailed) {
			if strings.HasPrefix(m.Name, "IPrec(judged") && m.Why != "" && m.Mean == nil {
				continue // trec_eval has no number, of however many
			}
			if m.N == 0 && (m.Mean != nil || m.Why == "") || m.N > 0 && m.Mean == nil {
				t.Errorf("%+v", m)
			}
		}
		if r.Measures[0].N == 0 && !warned(r, "no query counts: ") {
			t.Errorf("no reason given: %q", r.Warnings)
		}
		if len(r.Queries) == 0 {
			return
		}
		if len(r.Failed) == len(r.Queries) {
			if _, err := Compare([]Report{r, r}, CompareOptions{}); err == nil || !strings.Contains(err.Error(), "no query in common that was answered for both") {
				t.Errorf("nothing was answered, yet compared: %v", err)
			}
			return
		}
		c, err := Compare([]Report{r, r}, CompareOptions{Resamples: 20})
		if err != nil || !json.Valid([]byte(asJSON(t, c))) {
			t.Errorf("compared with itself: %v", err)
		}
		gates, _, err := NoWorse(r, r, 0, CompareOptions{Resamples: 20})
		if err != nil || !json.Valid([]byte(asJSON(t, gates))) {
			t.Errorf("gated by itself: %v", err)
		}
	})
}

// Public reports: amule-org/amule#312, rfjakob/gocryptfs#992: NFC and NFD ids miss each other and score a plain 0.
func TestB023IdsThatDifferByNormalisation(t *testing.T) {
	qrels := readQrels(t, bug("B023", "gold.tsv"))
	run := corpus.Run{Rankings: map[string]corpus.Ranking{"q1": {{ChunkID: "other", Score: 3}}}}
	for id := range idsIn(t, bug("B023", "corpus.jsonl")) {
		if qrels["q1"][id] == 0 {
			run.Rankings["q1"] = append(run.Rankings["q1"], corpus.Hit{ChunkID: id, Score: 1})
		}
	}
	r := evaluate(t, Input{Queries: QrelsQueries(qrels), Run: run}, "R@5")
	if mean(t, r.Measures, "R@5") != 0 || !warned(r, "differ only by normalisation or case") {
		t.Errorf("R@5 %v, warnings %q", *r.Measures[0].Mean, r.Warnings)
	}
}
