package mine

import (
	"math/rand"
	"slices"
	"testing"
)

func TestOffsets(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var o offsets
	want := []int64{0}
	for range 1000 {
		size := rng.Intn(1 << rng.Intn(25))
		if !o.add(size) {
			t.Fatal("too long")
		}
		want = append(want, want[len(want)-1]+int64(size))
	}
	for i, at := range want {
		if got := o.from(i); got != at {
			t.Fatalf("%d begins at %d, not %d", i, got, at)
		}
	}
	o = offsets{}
	for range 16 {
		if ok := o.add(1 << 29); !ok {
			return
		}
	}
	t.Error("what is too long for it was taken")
}

// Whoever stands for whom, each group has its others in order, each once.
func TestGroups(t *testing.T) {
	for seed := range int64(50) {
		rng := rand.New(rand.NewSource(seed))
		reps := make([]int32, rng.Intn(60))
		want := map[int32][]int32{}
		for i := range reps { // a third stand for themselves; the others join one of them
			reps[i] = int32(i)
		}
		for i := range reps {
			if k := int32(rng.Intn(len(reps))); i%3 != 0 && k%3 == 0 {
				reps[i] = k
				want[k] = append(want[k], int32(i))
			}
		}
		g := newGroups(reps)
		n := 0
		for i := range reps {
			got := g.others(i)
			if !slices.Equal(got, want[int32(i)]) {
				t.Fatalf("seed %d: %d stands for %v, not %v", seed, i, got, want[int32(i)])
			}
			n += len(got)
		}
		if g.many != len(want) || g.grouped != n {
			t.Errorf("seed %d: %d groups of %d, want %d of %d", seed, g.many, g.grouped, len(want), n)
		}
	}
}

// Whatever order they are asked for in, items are what was added.
func TestItems(t *testing.T) {
	m := &miner{dir: t.TempDir()}
	all, err := newItems(m.path("queries"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer all.close()
	rng := rand.New(rand.NewSource(1))
	var want []record
	for i := range 2000 {
		r := someRecord(rng)
		r.query.Text += "x"
		want = append(want, r)
		if err := all.add(appendItem(nil, &r), 1+i%5, i%3 == 0, []uint64{ungrouped, alone, 4, 5, 8}[i%5]); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.flush(); err != nil {
		t.Fatal(err)
	}
	for n := range 6000 {
		i := n
		if n >= 2000 {
			i = rng.Intn(2000)
		}
		var a, b record
		if err := all.record(i, &a); err != nil || a.query.Text != want[i].query.Text {
			t.Fatalf("%d: %v, %+v", i, err, a)
		}
		k := rng.Intn(2000)
		if err := all.apart(k, &b); err != nil || b.query.ID != want[k].query.ID {
			t.Fatalf("%d apart: %v, %+v", k, err, b)
		}
		if all.Count(i) != 1+i%5 || all.Fixed(i) != (i%3 == 0) {
			t.Fatalf("%d: asked %d, fixed %v", i, all.Count(i), all.Fixed(i))
		}
		settled := []int{-1, i, 1998, 1998, i}[i%5] // the last with key 5 stands for those with 4; nobody for those with 8
		if got := all.Settled(i); got != settled {
			t.Fatalf("%d is settled with %d, not %d", i, got, settled)
		}
	}
}
