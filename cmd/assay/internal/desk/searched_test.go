package desk

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestRankingsAreBoundedAndEven(t *testing.T) {
	ctx := context.Background()
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("refund and cancel and warranty text %d", i)
	}
	p := newPlace(t, many...)
	d := p.desk("ann")
	p.grade(d, "q1", "c1", 2)
	p.done(d, "q1")
	c := p.checker("RR")
	c.Depth, c.searched.most = 30, 40
	if _, err := c.Check(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if got := c.searched.kept(c.Depth); got != 30 {
		t.Fatalf("one query is kept to depth %d", got)
	}
	for _, f := range []struct{ depth, least, queries, want int }{
		{30, 5, 1, 30}, {30, 5, 2, 20}, {30, 5, 4, 10}, {30, 5, 100, 5}, {30, 5, 1, 5},
	} {
		list := make([]asked, f.queries)
		for i := range list {
			list[i].text = fmt.Sprint(i)
		}
		if got := c.searched.fit(list, f.depth, f.least); got != f.want {
			t.Errorf("%d queries are kept to depth %d, want %d", f.queries, got, f.want)
		}
		for text, r := range c.searched.by {
			if len(r) > f.want || cap(r) > 2*f.want {
				t.Errorf("%q keeps %d hits in room for %d, more than %d", text, len(r), cap(r), f.want)
			}
		}
	}
	r, err := c.Check(ctx, "")
	if err != nil || !strings.Contains(strings.Join(r.Warnings, "\n"), "depth 5 here, not 30: assay check looks at all of it") {
		t.Errorf("%q %v", r.Warnings, err)
	}
	if got := p.checker("RR R@500").floor(); got != 500 {
		t.Error("measures look deeper than what is kept:", got)
	}

	// Queries that are no longer asked are forgotten once there are many.
	for i := range 2 * leastKept {
		c.searched.by[fmt.Sprint("old", i)] = nil
	}
	if _, err := c.Check(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if n := len(c.searched.by); n != 1 {
		t.Errorf("%d rankings are kept for one query", n)
	}
}

// Ids are the same strings in all rankings, not copies.
func TestIdsAreKeptOnce(t *testing.T) {
	p := newPlace(t, texts...)
	c := p.checker("RR")
	one, err := c.searched.ranking(context.Background(), p.ix, "refunds paid", 10)
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.searched.ranking(context.Background(), p.ix, "refunds", 10)
	if err != nil || len(one) == 0 || len(two) == 0 {
		t.Fatal(one, two, err)
	}
	if len(c.searched.ids) == 0 || len(c.searched.ids) > len(texts) {
		t.Errorf("%d ids for %d chunks", len(c.searched.ids), len(texts))
	}
}
