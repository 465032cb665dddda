package corpus

import (
	"fmt"
	"testing"
)

func TestTakeInAndLetGo(t *testing.T) {
	inclusion := 0.5
	a := Query{ID: "a", Text: "lock card", Count: 5, Kind: Mined, Source: "log", Inclusion: &inclusion}
	b := Query{ID: "b", Text: "lock my card", Count: 2}
	c := Query{ID: "c", Text: "lock cards", Count: 3}
	if !a.TakeIn(&b) || !a.TakeIn(&c) {
		t.Fatal("not joined")
	}
	if a.Count != 10 || a.Group != "a" || *a.Weight != 20 || !b.Excluded || b.Group != "a" || c.Group != "a" {
		t.Errorf("joined: %+v, %+v, %+v", a, b, c)
	}
	if len(a.Variants) != 2 || a.Variants[0] != (Variant{"c", "lock cards", 3}) || a.Variants[1] != (Variant{"b", "lock my card", 2}) {
		t.Errorf("variants: %+v", a.Variants)
	}
	own, ok := a.LetGo("b")
	if !ok || own.ID != "b" || own.Text != "lock my card" || own.Count != 2 || own.Kind != Mined || own.Source != "log" || *own.Weight != 4 {
		t.Errorf("let go: %+v", own)
	}
	if a.Count != 8 || *a.Weight != 16 || len(a.Variants) != 1 || a.Group != "a" {
		t.Errorf("what stays: %+v", a)
	}
	if _, ok := a.LetGo("c"); !ok || a.Count != 5 || a.Variants != nil || a.Group != "" || *a.Weight != 10 {
		t.Errorf("alone again: %+v", a)
	}
}

func TestTakeInRefuses(t *testing.T) {
	a, b := Query{ID: "a", Text: "x"}, Query{ID: "b", Text: "y"}
	self := a
	if a.TakeIn(&self) {
		t.Error("it took itself in")
	}
	if !a.TakeIn(&b) || a.Count != 2 {
		t.Fatalf("one that was asked once, and once: %+v", a)
	}
	if a.TakeIn(&b) || b.TakeIn(&a) {
		t.Error("joined twice, or in a circle")
	}
	if _, ok := a.LetGo("nosuch"); ok {
		t.Error("let go what it never had")
	}
}

// A query keeps as many variants as are of use, and counts all.
func TestManyVariants(t *testing.T) {
	a := Query{ID: "a", Text: "x", Count: 1}
	for i := range MaxVariants + 50 {
		other := Query{ID: fmt.Sprintf("o%03d", i), Text: "y", Count: i + 1}
		if !a.TakeIn(&other) {
			t.Fatal("refused")
		}
	}
	if len(a.Variants) != MaxVariants || a.Variants[0].Count != MaxVariants+50 || a.Count != 1+(MaxVariants+50)*(MaxVariants+51)/2 {
		t.Errorf("%d variants, the first asked %d times, %d in all", len(a.Variants), a.Variants[0].Count, a.Count)
	}
}
