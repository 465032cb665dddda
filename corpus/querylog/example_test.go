package querylog_test

import (
	"fmt"
	"strings"

	"assay/corpus"
	"assay/corpus/querylog"
	"assay/corpus/rows"
)

// Read a log, then see what importing it again with a row more would do.
func Example() {
	read := func(log string) querylog.Log {
		r, err := rows.New(strings.NewReader(log), "log.csv", rows.Options{})
		if err != nil {
			panic(err)
		}
		got, err := querylog.Collect(r, querylog.Options{})
		if err != nil {
			panic(err)
		}
		return got
	}
	kept := map[string]corpus.Query{}
	first := read("query,channel\nrefund time,web\nRefund  time,app\ncancel order,web\n,web\n")
	for _, q := range first.Queries {
		kept[q.ID] = q
		fmt.Printf("%s, asked %d times\n", q.Text, q.Count)
	}
	for _, r := range first.Rejects {
		fmt.Println(r)
	}
	second := read("query,channel\nrefund time,web\ncancel order,web\nwhere is my card,app\n")
	plan := querylog.PlanImport(func(id string) (corpus.Query, bool) { q, ok := kept[id]; return q, ok }, second.Queries)
	fmt.Printf("%d new, %d the same, %d changed\n", len(plan.New), len(plan.Same), len(plan.Changed))
	// Output:
	// refund time, asked 2 times
	// cancel order, asked 1 times
	// log.csv:5: the query is empty
	// 1 new, 2 the same, 0 changed
}
