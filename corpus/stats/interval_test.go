package stats

import (
	"math"
	"math/big"
	"testing"
)

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		level        float64
		lo, hi       float64
	}{
		{81, 263, .95, .2552885198782742, .3662095769828000}, // this and the next three: Newcombe 1998, table I, method 3,
		{15, 148, .95, .0623863995307363, .1604872417233080}, // to more digits from SciPy
		{0, 20, .95, 0, .1611251580528194},
		{1, 29, .95, .0061132142927627, .1717552187932028},
		{29, 29, .9, .9146665485165832, 1},
		{500, 1000, .99, .4594070052120848, .5405929947879151},
	} {
		i, ok := Wilson(c.successes, c.n, c.level)
		if !ok || !near(i.Lo, c.lo, 1e-12) || !near(i.Hi, c.hi, 1e-12) {
			t.Errorf("%d of %d at %v: %v %v, want %v to %v", c.successes, c.n, c.level, i, ok, c.lo, c.hi)
		}
	}
}

func TestWilsonMirrorsNestsAndHoldsTheShare(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for k := 0; k <= n; k++ {
			i, ok := Wilson(k, n, .95)
			m, _ := Wilson(n-k, n, .95)
			wide, _ := Wilson(k, n, .99)
			share := float64(k) / float64(n)
			switch {
			case !ok || i.Lo > share || i.Hi < share || i.Lo < 0 || i.Hi > 1:
				t.Fatalf("%d of %d: %v %v", k, n, i, ok)
			case !near(i.Lo, 1-m.Hi, 1e-15) || !near(i.Hi, 1-m.Lo, 1e-15):
				t.Fatalf("%d of %d: %v, but %v the other way", k, n, i, m)
			case wide.Lo > i.Lo || wide.Hi < i.Hi:
				t.Fatalf("%d of %d: %v at .95, %v at .99", k, n, i, wide)
			case k == 0 && i.Lo != 0 || k == n && i.Hi != 1:
				t.Fatalf("%d of %d: %v ends beside the end", k, n, i)
			}
		}
	}
}

func TestWilsonRefuses(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		level        float64
	}{{0, 0, .95}, {-1, 5, .95}, {6, 5, .95}, {1, 5, 0}, {1, 5, 1}, {1, 5, nan}, {0, -3, .95}} {
		if i, ok := Wilson(c.successes, c.n, c.level); ok || i != (Interval{}) {
			t.Errorf("%+v: %v %v", c, i, ok)
		}
	}
}

// Student's t as every book prints it, over 1.960, times √(n/(n−1)).
func TestWidening(t *testing.T) {
	for _, c := range []struct {
		n           int
		level, t, z float64
	}{
		{2, .95, 12.7062, 1.95996}, {3, .95, 4.30265, 1.95996}, {5, .95, 2.77645, 1.95996}, {10, .95, 2.26216, 1.95996},
		{20, .95, 2.09302, 1.95996}, {31, .95, 2.04227, 1.95996}, {121, .95, 1.97993, 1.95996},
		{2, .90, 6.31375, 1.64485}, {6, .90, 2.01505, 1.64485}, {11, .99, 3.16927, 2.57583},
	} {
		want := c.t / c.z * math.Sqrt(float64(c.n)/float64(c.n-1))
		if got := Widening(c.n, c.level); math.Abs(got-want) > 2e-5*want {
			t.Errorf("of %d at %v: %v, want %v", c.n, c.level, got, want)
		}
	}
	for n := 2; n < 300; n++ {
		if a, b := Widening(n, .95), Widening(n+1, .95); !(a > b && b > 1) {
			t.Fatalf("of %d %v, of one more %v", n, a, b)
		}
	}
	if got := Widening(10_000_000, .95); !near(got, 1, 1e-6) {
		t.Errorf("of very many: %v", got)
	}
	for _, c := range []struct {
		n     int
		level float64
	}{{1, .95}, {0, .95}, {-3, .95}, {10, 0}, {10, 1}, {10, -1}, {10, nan}} {
		if got := Widening(c.n, c.level); got != 1 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestSignPAgainstWholeNumbers(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 15, 20, 57, 300, foldsFrom - 1, foldsFrom, foldsFrom + 1, 1500} {
		all := new(big.Int).Lsh(big.NewInt(1), uint(n))
		below := new(big.Int)
		for k := 0; k <= n/2; k++ {
			below.Add(below, new(big.Int).Binomial(int64(n), int64(k)))
			want, _ := new(big.Rat).SetFrac(new(big.Int).Lsh(below, 1), all).Float64()
			if 2*k >= n {
				want = 1
			}
			want = min(1, want)
			if got := signP(k, n); !near(got, want, want*1e-10+1e-320) || got != signP(n-k, n) {
				t.Fatalf("%d of %d: %v, want %v", k, n, got, want)
			}
		}
	}
	for _, c := range []struct { // SciPy's binomtest
		k, n int
		want float64
	}{{460, 1000, .012444146277171799}, {480, 1001, .206107310832953}, {3400, 7000, .017376785909842294}, {3000, 7000, 5.7143006822603136e-33}} {
		if got := signP(c.k, c.n); !near(got, c.want, c.want*1e-9) {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
}
