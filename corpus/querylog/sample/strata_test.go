package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func day(n int) *time.Time {
	t := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	return &t
}

// table is the strata in short: name:queries/asked.
func table(t *testing.T, units []Unit, d Dimension) string {
	t.Helper()
	var list []string
	for _, s := range draw(t, slices.Clone(units), Design{By: Random, N: 1, Strata: d}).Strata {
		list = append(list, fmt.Sprintf("%s:%d/%d", s.Name, s.Queries, s.Asked))
	}
	return strings.Join(list, " ")
}

func TestFrequencyStrata(t *testing.T) {
	times := func(counts ...int) (units []Unit) {
		for i, c := range counts {
			units = append(units, Unit{ID: fmt.Sprint(i), Count: c})
		}
		return units
	}
	for _, c := range []struct {
		name  string
		units []Unit
		want  string
	}{
		{"thirds", times(30, 15, 15, 10, 10, 5, 5), "head:1/30 torso:2/30 tail:4/30"},
		{"ties stay together", times(6, 6, 6, 6, 6, 2, 2, 2), "torso:5/30 tail:3/6"},
		{"one query with most of it", times(90, 2, 2, 1, 1), "torso:1/90 tail:4/6"},
		{"one with a bit more than a third", times(40, 10, 10, 10, 10, 10, 2, 2, 2, 2, 2), "head:1/40 torso:5/50 tail:5/10"},
		{"all once", times(1, 1, 1, 0, -5), "tail:5/5"},
		{"all equal", times(3, 3, 3), "torso:3/9"},
		{"many once", times(30, 25, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), "head:1/30 torso:1/25 tail:15/15"},
	} {
		if got := table(t, c.units, Frequency); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTagStrataGoToTheRarest(t *testing.T) {
	units := []Unit{
		{ID: "1", Tags: []string{"question"}, Count: 9}, {ID: "2", Tags: []string{"question", "identifier"}}, {ID: "3", Tags: []string{"question", "question"}},
		{ID: "4", Tags: []string{"other_language", "identifier"}}, {ID: "5", Count: 100}, {ID: "6", Tags: []string{"question"}},
	}
	// question: 4 queries, identifier: 2, other_language: 1
	if got, want := table(t, units, Tag), "question:3/11 identifier:1/1 other_language:1/1 no tag:1/100"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLanguageStrata(t *testing.T) {
	units := []Unit{{ID: "1", Language: "de", Count: 2}, {ID: "2", Count: 50}, {ID: "3", Language: "en", Count: 4}, {ID: "4", Language: "de"}}
	if got, want := table(t, units, Language), "en:1/4 de:2/3 unknown:1/50"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTimeStrataTakeAFittingPeriod(t *testing.T) {
	span := func(step, n int) []Unit {
		units := []Unit{{ID: "none"}}
		for i := range n {
			units = append(units, Unit{ID: fmt.Sprint(i), FirstSeen: day(i * step)})
		}
		return units
	}
	for _, c := range []struct {
		name        string
		units       []Unit
		rows        int
		first, last string
	}{
		{"days", span(1, 10), 11, "2026-01-01", "2026-01-10"},
		{"weeks", span(1, 60), 10, "2026-W01", "2026-W09"},
		{"months", span(3, 100), 11, "2026-01", "2026-10"},
		{"quarters", span(10, 73), 9, "2026-Q1", "2027-Q4"},
		{"years", span(100, 40), 12, "2026", "2036"},
		{"more than twelve years", span(365, 30), 30, "2026", "2054"},
	} {
		out := draw(t, c.units, Design{By: Random, N: 1, Strata: Time})
		if n := len(out.Strata); n != c.rows || out.Strata[0].Name != c.first || out.Strata[n-2].Name != c.last || out.Strata[n-1].Name != "unknown" {
			t.Errorf("%s: %d strata, %s to %s", c.name, n, out.Strata[0].Name, out.Strata[max(0, n-2)].Name)
		}
	}
	// One query with a clock that was never set does not make years of a month.
	units := span(1, 31)
	units[1].FirstSeen = day(-20000)
	if out := draw(t, units, Design{By: Random, N: 1, Strata: Time}); len(out.Strata) < 4 || out.Strata[0].Name[:4] != "1971" {
		t.Errorf("%d strata from %s", len(out.Strata), out.Strata[0].Name)
	}
	// Times count in UTC.
	late := time.Date(2026, 1, 1, 23, 0, 0, 0, time.FixedZone("", -5*60*60))
	if got := table(t, []Unit{{ID: "a", FirstSeen: &late}}, Time); got != "2026-01-02:1/1" {
		t.Error(got)
	}
	before := time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC)
	if dayOf(before) != -1 || dayOf(time.Unix(0, 0)) != 0 || dayOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)) != -719162 {
		t.Errorf("days %d, %d", dayOf(before), dayOf(time.Unix(0, 0)))
	}
}

func TestTooManyStrata(t *testing.T) {
	tags, languages := zipf(2000, 5, 1), zipf(2000, 5, 1)
	for i := range tags {
		tags[i].Tags, languages[i].Language = []string{fmt.Sprint("t", i)}, fmt.Sprint("l", i)
	}
	for d, units := range map[Dimension][]Unit{Tag: tags, Language: languages} {
		if _, err := Draw(walk(units), Design{By: Top, N: 1, Strata: d}); err == nil || !strings.Contains(err.Error(), "strata by "+string(d)+": more than 1000") {
			t.Errorf("%s: %v", d, err)
		}
	}
}

func TestAllocate(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		sizes []float64
		have  []int
		want  []int
	}{
		{"by size", 30, []float64{1, 2, 3}, []int{100, 100, 100}, []int{5, 10, 15}},
		{"largest remainders", 10, []float64{1, 1, 1.5}, []int{100, 100, 100}, []int{3, 3, 4}},
		{"two each", 20, []float64{1, 1, 1000}, []int{9, 9, 900}, []int{2, 2, 16}},
		{"one each where two are too many", 5, []float64{1, 1, 1000}, []int{9, 9, 900}, []int{1, 1, 3}},
		{"fewer than strata", 1, []float64{1, 1, 1000}, []int{9, 9, 900}, []int{0, 0, 1}},
		{"no more than there are", 50, []float64{10, 1, 1}, []int{4, 100, 100}, []int{4, 23, 23}},
		{"nothing left in one", 10, []float64{5, 1, 1}, []int{0, 30, 30}, []int{0, 5, 5}},
		{"one left in one", 10, []float64{5, 1, 1}, []int{1, 30, 30}, []int{1, 5, 4}},
		{"all", 100, []float64{1, 2}, []int{3, 4}, []int{3, 4}},
		{"of nothing", 3, nil, nil, []int{}},
	} {
		if got := allocate(c.n, c.sizes, c.have); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAllocateProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		k := 1 + r.IntN(20)
		sizes, have, all := make([]float64, k), make([]int, k), 0
		for i := range k {
			sizes[i], have[i] = math.Exp(6*r.Float64()), r.IntN(200)
			all += have[i]
		}
		n := 1 + r.IntN(300)
		parts, sum, need := allocate(n, sizes, have), 0, 0
		for i, p := range parts {
			if p < 0 || p > have[i] {
				t.Fatalf("%d of %d", p, have[i])
			}
			sum += p
			need += min(2, have[i])
		}
		if sum != min(n, all) {
			t.Fatalf("%d of %v make %v", n, have, parts)
		}
		for i, p := range parts {
			if need <= n && p < min(2, have[i]) {
				t.Fatalf("%d of %v leave stratum %d with %d", n, have, i, p)
			}
			for j, q := range parts { // larger strata don't get less, unless they are empty
				if sizes[i] > sizes[j] && p < q-1 && p < have[i] {
					t.Fatalf("%v of %v by %v", parts, have, sizes)
				}
			}
		}
	}
}
