package desk

import (
	"context"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/store"
	"assay/tui/port"
)

// mined gives the place a query as an import of a log leaves it.
func (p *place) mined() {
	p.t.Helper()
	inclusion, weight := 0.5, 10.0
	q := corpus.Query{
		ID: "m1", Text: "lock my card", Count: 5, Kind: corpus.Mined, Source: "web.log", Order: 4, Inclusion: &inclusion, Weight: &weight,
		Group: "m1", Variants: []corpus.Variant{{ID: "v1", Text: "lock card", Count: 2}}, ParentID: "q1",
		Proposed: []string{corpus.TagFollowUp, corpus.TagQuestion},
	}
	if _, err := p.db.Write(context.Background(), store.Author{Role: "import"}, store.PutQuery(q)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) query(id string) corpus.Query {
	p.t.Helper()
	q, ok, err := p.db.Query(id)
	if err != nil || !ok {
		p.t.Fatalf("query %s: %v, %v", id, ok, err)
	}
	return q
}

func (p *place) tags(d *Desk, query string) []string {
	var tags []string
	for _, s := range p.sheet(d, query).Said {
		if s.What == corpus.SaidTag {
			tags = append(tags, s.Value)
		}
	}
	return tags
}

func TestSettle(t *testing.T) {
	p := newPlace(t, "refunds take a week")
	p.mined()
	d, ctx := p.desk("ann"), context.Background()
	guesses := []port.Guess{{QueryID: "m1", Tag: corpus.TagFollowUp}, {QueryID: "m1", Tag: corpus.TagQuestion}, {QueryID: "q1", Tag: "nothing"}, {QueryID: "gone", Tag: "x"}}
	saved, err := d.Settle(ctx, true, guesses)
	if err != nil || !saved.Changed || saved.Words != "accepted 2 proposals on 2 queries" {
		t.Fatalf("%+v, %v", saved, err)
	}
	if got := p.tags(d, "m1"); !slices.Equal(got, []string{corpus.TagFollowUp, corpus.TagQuestion}) || p.query("m1").Proposed != nil {
		t.Errorf("tags %q, proposed %q", got, p.query("m1").Proposed)
	}
	for _, s := range p.sheet(d, "m1").Said {
		if s.Value == corpus.TagFollowUp && !strings.Contains(string(s.Proof), `"parent_id":"q1"`) {
			t.Errorf("the follow-up names no turn: %s", s.Proof)
		}
	}
	if _, err := d.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	if got := p.tags(d, "m1"); got != nil || len(p.query("m1").Proposed) != 2 {
		t.Errorf("one undo takes all back: tags %q, proposed %q", got, p.query("m1").Proposed)
	}
	if saved, err := d.Settle(ctx, false, guesses[:1]); err != nil || saved.Words != "rejected #follow-up" {
		t.Errorf("%+v, %v", saved, err)
	}
	if got := p.query("m1").Proposed; !slices.Equal(got, []string{corpus.TagQuestion}) || p.tags(d, "m1") != nil {
		t.Errorf("rejected: proposed %q", got)
	}
	if saved, err := d.Settle(ctx, false, guesses[:1]); err != nil || saved.Changed {
		t.Errorf("rejecting again changed something: %+v, %v", saved, err)
	}
}

func TestATagThatIsSaidIsProposedNoMore(t *testing.T) {
	p := newPlace(t, "refunds take a week")
	p.mined()
	d, ctx := p.desk("ben"), context.Background()
	if _, err := d.Say(ctx, corpus.Said{QueryID: "m1", What: corpus.SaidTag, Value: corpus.TagQuestion}); err != nil {
		t.Fatal(err)
	}
	if got := p.query("m1").Proposed; !slices.Equal(got, []string{corpus.TagFollowUp}) {
		t.Errorf("%q", got)
	}
	if _, err := d.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	if got := p.query("m1").Proposed; len(got) != 2 || p.tags(d, "m1") != nil {
		t.Errorf("taken back: %q", got)
	}
}

func TestSplitAndJoin(t *testing.T) {
	p := newPlace(t, "refunds take a week")
	p.mined()
	d, ctx := p.desk("ann"), context.Background()
	if _, err := d.Split(ctx, "m1", "v1"); err != nil {
		t.Fatal(err)
	}
	own, rest := p.query("v1"), p.query("m1")
	if own.Text != "lock card" || own.Count != 2 || *own.Weight != 4 || own.Kind != corpus.Mined || own.Order <= rest.Order {
		t.Errorf("%+v", own)
	}
	if rest.Count != 3 || *rest.Weight != 6 || len(rest.Variants) != 0 {
		t.Errorf("%+v", rest)
	}
	p.grade(d, "v1", "c1", 2)
	if _, err := d.Join(ctx, "m1", []string{"v1", "q2"}); err != nil {
		t.Fatal(err)
	}
	if into := p.query("m1"); into.Count != 6 || len(into.Variants) != 2 || *into.Weight != 12 {
		t.Errorf("%+v", into)
	}
	if v := p.query("v1"); !v.Excluded || v.Group != "m1" || len(p.sheet(d, "v1").Labels) != 1 {
		t.Errorf("joined, its labels stay: %+v", v)
	}
	if _, err := d.Split(ctx, "m1", "v1"); err != nil {
		t.Fatal(err)
	}
	if v := p.query("v1"); v.Excluded || v.Group != "" || v.Count != 2 {
		t.Errorf("as it was before: %+v", v)
	}
	if _, err := d.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	if v := p.query("v1"); !v.Excluded || p.query("m1").Count != 6 {
		t.Errorf("one undo takes a split back: %+v", v)
	}
	if _, err := d.Split(ctx, "m1", "nosuch"); err == nil {
		t.Error("split what is not there")
	}
	if _, err := d.Join(ctx, "m1", []string{"gone"}); err == nil {
		t.Error("joined what is not there")
	}
}
