package sample

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func ids(d Drawn) (list []string) {
	for _, p := range d.Picks {
		list = append(list, p.ID)
	}
	return list
}

func TestTopTakesTheMostAsked(t *testing.T) {
	units := []Unit{{ID: "c", Count: 2}, {ID: "a", Count: 2}, {ID: "d", Count: 5}, {ID: "b", Count: 2}, {ID: "e"}}
	out := draw(t, units, Design{By: Top, N: 2, Seed: 9})
	want := []Pick{{ID: "d", New: true, Stratum: "head", Inclusion: 1, Weight: 5}, {ID: "a", New: true, Stratum: "torso", Inclusion: 1, Weight: 2}}
	if !reflect.DeepEqual(out.Picks, want) {
		t.Errorf("picks %+v, want %+v", out.Picks, want)
	}
	if math.Abs(out.Covered-7./12) > 1e-15 {
		t.Errorf("7 of 12 asked are covered, not %v", out.Covered)
	}
	more := draw(t, units, Design{By: Top, N: 2, Seed: 9})
	if got := ids(more); !slices.Equal(got, []string{"b", "c"}) || math.Abs(more.Covered-11./12) > 1e-15 {
		t.Errorf("then %v, %v covered", got, more.Covered)
	}
}

// By hand: of three queries the two with the lowest u are drawn, and the third's u is the limit.
func TestRandomByHand(t *testing.T) {
	units := []Unit{{ID: "a", Count: 3}, {ID: "b", Count: 7}, {ID: "c", Count: 1}}
	byU := slices.Clone(units)
	slices.SortFunc(byU, func(a, b Unit) int {
		if uniform(5, a.ID) < uniform(5, b.ID) {
			return -1
		}
		return 1
	})
	limit := uniform(5, byU[2].ID)
	out := draw(t, units, Design{By: Random, N: 2, Seed: 5})
	for _, p := range out.Picks {
		i := slices.IndexFunc(byU, func(u Unit) bool { return u.ID == p.ID })
		if i > 1 || p.Inclusion != limit || p.Weight != float64(byU[i].Count)/limit || !p.New {
			t.Errorf("%+v, limit %v", p, limit)
		}
	}
	// The rest makes all of them certain, which says so for those drawn before.
	rest := draw(t, units, Design{By: Random, N: 2, Seed: 5})
	if len(rest.Picks) != 3 || rest.Picks[0].ID != byU[2].ID || !rest.Picks[0].New || rest.Picks[1].New || rest.Picks[2].New {
		t.Fatalf("then %+v", rest.Picks)
	}
	for _, p := range rest.Picks {
		if p.Inclusion != 1 {
			t.Errorf("all are drawn, yet %+v", p)
		}
	}
	if rest.Covered != 1 {
		t.Errorf("covered %v of all", rest.Covered)
	}
	if again := draw(t, units, Design{By: Random, N: 2, Seed: 5}); len(again.Picks) != 0 || again.Covered != 1 {
		t.Errorf("from nothing: %+v", again)
	}
}

func TestProportionalByHand(t *testing.T) {
	units := zipf(200, 500, 1)
	out := draw(t, slices.Clone(units), Design{By: Proportional, N: 30, Seed: 1})
	ranks := make([]float64, len(units))
	count := map[string]int{}
	for i, u := range units {
		ranks[i], count[u.ID] = uniform(1, u.ID)/float64(u.Count), u.Count
	}
	slices.Sort(ranks)
	for _, p := range out.Picks {
		if want := min(1, float64(count[p.ID])*ranks[30]); math.Abs(p.Inclusion-want) > 1e-12 || math.Abs(p.Weight-float64(count[p.ID])/want) > 1e-9 {
			t.Errorf("%+v, want inclusion %v", p, want)
		}
	}
	if len(out.Picks) != 30 {
		t.Errorf("%d picks", len(out.Picks))
	}
}

// "80 more" after 120 are the 200 that one draw gives, with the same chances.
func TestMoreIsWhatAllWouldHaveBeen(t *testing.T) {
	for _, by := range []By{Random, Proportional, Top} {
		steps, once := zipf(3000, 4000, 1), zipf(3000, 4000, 1)
		draw(t, steps, Design{By: by, N: 120, Seed: 7})
		second := draw(t, steps, Design{By: by, N: 80, Seed: 7})
		all := draw(t, once, Design{By: by, N: 200, Seed: 7})
		if !reflect.DeepEqual(steps, once) {
			t.Errorf("%s: two steps differ from one", by)
		}
		if math.Abs(second.Covered-all.Covered) > 1e-12 {
			t.Errorf("%s: %v and %v covered", by, second.Covered, all.Covered)
		}
	}
}

// Whatever is drawn after whatever: nothing twice, N new ones or all, inclusion never falls, tables add up.
func TestDrawProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ways, dims := []By{Top, Random, Proportional, Stratified}, []Dimension{"", Frequency, Tag, Language, Time}
	for range 300 {
		units := zipf(1+r.IntN(120), 1+100*r.Float64(), r.Float64()*1.5)
		for i := range units {
			units[i].Language = []string{"", "en", "de"}[r.IntN(3)]
			for range r.IntN(3) {
				units[i].Tags = append(units[i].Tags, []string{"x", "y", "z"}[r.IntN(3)])
			}
			units[i].FirstSeen = day(r.IntN(200))
		}
		for range 1 + r.IntN(4) {
			before := slices.Clone(units)
			d := Design{By: ways[r.IntN(4)], N: 1 + r.IntN(40), Strata: dims[r.IntN(5)], Seed: 11}
			out := draw(t, units, d)
			left, byID, seen, news := 0, map[string]Unit{}, map[string]bool{}, 0
			for _, u := range before {
				if byID[u.ID] = u; u.Inclusion == 0 {
					left++
				}
			}
			olds := false
			for _, p := range out.Picks {
				u := byID[p.ID]
				switch {
				case seen[p.ID]:
					t.Fatalf("%s twice", p.ID)
				case p.New != (u.Inclusion == 0), p.New && olds:
					t.Fatalf("%+v of %+v among new ones, then old", p, u)
				case !(p.Inclusion > u.Inclusion && p.Inclusion <= 1), p.Stratum == "":
					t.Fatalf("%+v of %+v", p, u)
				case math.Abs(p.Weight*p.Inclusion-float64(u.Count)) > 1e-6:
					t.Fatalf("%+v of %+v", p, u)
				}
				if seen[p.ID], olds = true, !p.New; p.New {
					news++
				}
			}
			if news != min(d.N, left) {
				t.Fatalf("%+v drew %d of %d", d, news, left)
			}
			var want, got Stratum
			for _, u := range units {
				want.Queries++
				want.Asked += u.Count
				if u.Inclusion > 0 {
					want.Covered += u.Count
					want.Weight += float64(u.Count) / u.Inclusion
				}
			}
			for _, s := range out.Strata {
				got.Queries, got.Asked, got.Covered, got.Weight = got.Queries+s.Queries, got.Asked+s.Asked, got.Covered+s.Covered, got.Weight+s.Weight
				got.Before, got.New = got.Before+s.Before, got.New+s.New
			}
			if got.Queries != want.Queries || got.Asked != want.Asked || got.Covered != want.Covered || math.Abs(got.Weight-want.Weight) > 1e-6*want.Weight ||
				got.New != news || got.Before != len(units)-left || math.Abs(out.Covered-float64(want.Covered)/float64(want.Asked)) > 1e-12 {
				t.Fatalf("%+v: strata add up to %+v, want %+v", d, got, want)
			}
		}
	}
}

func TestTheOrderOfUnitsDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, by := range []By{Top, Random, Proportional, Stratified} {
		units := zipf(300, 200, 1)
		draw(t, units, Design{By: Random, N: 20, Seed: 2})
		shuffled := slices.Clone(units)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		a, b := draw(t, units, Design{By: by, N: 50, Seed: 2}), draw(t, shuffled, Design{By: by, N: 50, Seed: 2})
		if !slices.Equal(a.Picks[:50], b.Picks[:50]) || len(a.Picks) != len(b.Picks) {
			t.Errorf("%s: another order, another sample", by)
		}
		if c := draw(t, zipf(300, 200, 1), Design{By: by, N: 50, Seed: 3}); by != Top && slices.Equal(ids(a)[:50], ids(c)[:50]) {
			t.Errorf("%s: another seed, the same sample", by)
		}
	}
}

func TestQueriesThatCameLaterAreCaughtUp(t *testing.T) {
	units := zipf(400, 100, 1)
	draw(t, units[:200], Design{By: Random, N: 40, Seed: 6})
	out := draw(t, units, Design{By: Random, N: 60, Seed: 6})
	whole := draw(t, zipf(400, 100, 1), Design{By: Random, N: 100, Seed: 6})
	drawn := 0
	for _, u := range units {
		if u.Inclusion > 0 {
			drawn++
		}
	}
	later := 0
	for _, p := range whole.Picks {
		i := slices.IndexFunc(units, func(u Unit) bool { return u.ID == p.ID })
		if units[i].Inclusion == 0 {
			t.Errorf("%s has one of the lowest u and was not drawn", p.ID)
		}
		if i >= 200 {
			later++
		}
	}
	if drawn != 100 || later < 35 || len(out.Picks) < 60 {
		t.Errorf("%d drawn, %d of those that came later", drawn, later)
	}
}

func TestDrawRefuses(t *testing.T) {
	ok := Design{By: Random, N: 1}
	for _, c := range []struct {
		d     Design
		units []Unit
		want  string
	}{
		{Design{By: Random}, nil, "draw 0 queries: at least 1"},
		{Design{By: Random, N: -4}, nil, "at least 1"},
		{Design{N: 1}, nil, "top, random, proportional or stratified"},
		{Design{By: "Best", N: 1}, nil, `"Best": only by top, random, proportional or stratified`},
		{Design{By: Top, N: 1, Strata: "size"}, nil, `"size": only by frequency, tag, language or time`},
		{ok, []Unit{{ID: "a", Inclusion: 1.5}}, `"a" was drawn with an inclusion of 1.5`},
		{ok, []Unit{{ID: "a", Inclusion: -.1}}, "no probability"},
		{ok, []Unit{{ID: "a", Inclusion: math.NaN()}}, "no probability"},
	} {
		if _, err := Draw(walk(c.units), c.d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.d, err, c.want)
		}
	}
	bad := errors.New("torn")
	for pass := range 3 {
		at := 0
		_, err := Draw(func(yield func(Unit, error) bool) {
			if at++; at > pass {
				yield(Unit{}, bad)
				return
			}
			yield(Unit{ID: "a"}, nil)
		}, ok)
		if !errors.Is(err, bad) {
			t.Errorf("pass %d: %v", pass, err)
		}
	}
	if _, err := Draw(walk(nil), ok); err != nil {
		t.Errorf("from nothing: %v", err)
	}
	at := 0
	_, err := Draw(func(yield func(Unit, error) bool) {
		at++
		yield(Unit{ID: "a", Language: fmt.Sprint(at)}, nil)
	}, Design{By: Stratified, N: 1, Strata: Language})
	if err == nil || !strings.Contains(err.Error(), "was not there") {
		t.Errorf("units that change: %v", err)
	}
}

func TestCountsThatRunOver(t *testing.T) {
	units := []Unit{{ID: "a", Count: math.MaxInt}, {ID: "b", Count: math.MaxInt}, {ID: "c"}}
	out := draw(t, units, Design{By: Proportional, N: 2, Seed: 1})
	if len(out.Picks) != 2 || out.Strata[0].Asked != math.MaxInt || !(out.Covered > .49 && out.Covered <= 1) {
		t.Errorf("%+v", out)
	}
}

// What is allocated grows with the sample and not with the units.
func TestMemoryIsTheSamples(t *testing.T) {
	units := zipf(60000, 300, 1)
	for _, by := range []By{Top, Random, Proportional, Stratified} {
		allocs := testing.AllocsPerRun(1, func() {
			if _, err := Draw(walk(units), Design{By: by, N: 50, Seed: 1}); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 6000 {
			t.Errorf("%s: %v allocations for 50 of 60000", by, allocs)
		}
	}
}

func ExampleDraw() {
	units := walk([]Unit{{ID: "lock card", Count: 70}, {ID: "pin", Count: 20}, {ID: "iban", Count: 10}})
	out, _ := Draw(units, Design{By: Top, N: 1})
	fmt.Printf("%s stands for %.0f; %.0f%% of what was asked\n", out.Picks[0].ID, out.Picks[0].Weight, 100*out.Covered)
	// Output: lock card stands for 70; 70% of what was asked
}
