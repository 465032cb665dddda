package querylog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/rows"
)

// scraps are what random rows are made of.
var scraps = []string{
	`"id":1`, `"id":"1"`, `"id":null`, `"id":""`, `"_id":[1]`, `"query":"a"`, `"query":"A "`, `"query":"b"`, `"query":" "`,
	`"query":null`, `"query":7`, `"text":"c"`, `"count":2`, `"count":"x"`, `"turns":["d"]`, `"tags":"t;u"`, `"timestamp":"2024-05-01"`,
	`"metadata":{"lang":"en"}`, `"answer":"e"`, `"answer":{}`, `oops`,
}

func scrapLog(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(20) {
		parts := make([]string, rng.IntN(4))
		for i := range parts {
			parts[i] = scraps[rng.IntN(len(scraps))]
		}
		if len(parts) > 0 {
			b.WriteString("{" + strings.Join(parts, ",") + "}")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Whatever the rows, collectAll finds them all counted; and importing a log twice changes nothing.
func TestImportTwice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := scrapLog(rng)
		got, err := collect(t, text, "log.jsonl", Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept := shelf{}
		kept.put(PlanImport(kept.find, got.Queries))
		if p := PlanImport(kept.find, got.Queries); len(p.Same) != len(got.Queries) || len(p.New)+len(p.Changed) > 0 {
			t.Errorf("%+v", p)
		}
		if t.Failed() {
			t.Fatalf("%q", text)
		}
	}
}

// A log says the same whatever form it comes in.
func TestFormsOfOneLog(t *testing.T) {
	const jsonl = "{\"id\":\"1\",\"query\":\"refund, when?\",\"count\":3}\n{\"id\":\"2\",\"query\":\"24\\\" monitor\",\"count\":1}\n"
	wanted := []string{"1: refund, when? ×3", `2: 24" monitor ×1`}
	for name, text := range map[string]string{
		"a.jsonl": jsonl,
		"a.json":  "[" + strings.Replace(strings.TrimSpace(jsonl), "\n", ",\n", 1) + "]",
		"a.csv":   "id,query,count\n1,\"refund, when?\",3\n2,24\" monitor,1\n",
		"b.csv":   "id;query;count\r\n1;refund, when?;3\r\n2;\"24\"\" monitor\";1\r\n",
		"a.tsv":   "\ufeffid\tquery\tcount\n1\trefund, when?\t3\n2\t24\" monitor\t1\n",
	} {
		got, err := collect(t, text, name, Options{Source: "log"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want(t, name, list(got.Queries), wanted...)
	}
}

// The order of rows decides which spelling is kept, never the id or the count.
func TestOrderOfRows(t *testing.T) {
	lines := []string{"yahoo chat", "Yahoo Chat", "yahoo  chat", "other"}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		got, err := collect(t, strings.Join(lines, "\n"), "log.txt", Options{})
		if err != nil || len(got.Queries) != 2 {
			t.Fatalf("%+v, %v", got.Queries, err)
		}
		for _, q := range got.Queries {
			if n := map[string]int{TextID("yahoo chat"): 3, TextID("other"): 1}[q.ID]; n != q.Count {
				t.Errorf("%q: %s is asked %d times", lines, q.ID, q.Count)
			}
		}
		if got.Queries[0].Text != lines[0] || got.Queries[0].Order != 1 || got.Queries[1].Order != 2 {
			t.Errorf("%q: %+v", lines, got.Queries)
		}
	}
}

func TestHeaderOption(t *testing.T) {
	r, err := rows.New(strings.NewReader("frage,thema\na,x\n"), "log.csv", rows.Options{Header: rows.HeaderPresent})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gather(r, Options{}); err == nil || !strings.Contains(err.Error(), "no column is named like a query") {
		t.Errorf("%v", err)
	}
	opt := Options{TextField: "frage"}
	if got := fmt.Sprint(opt.Columns(), Options{}.Columns(), Options{IDField: "nr", TextField: "frage"}.Columns()); got != "[frage] [] [nr frage]" {
		t.Error(got)
	}
}

// Ids and texts are kept byte for byte; only comparing normalises.
func TestTextIsKept(t *testing.T) {
	const text = " cafe\u0301 \u200b<b>&\u202e"
	got, err := collect(t, "{\"id\":\" Q\\u00e9 \",\"query\":\""+text+"\"}", "log.jsonl", Options{Kind: corpus.Written})
	if err != nil || got.Queries[0].Text != text || got.Queries[0].ID != " Qé " {
		t.Errorf("%+v, %v", got.Queries, err)
	}
}
