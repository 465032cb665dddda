package text

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"
)

func TestShingles(t *testing.T) {
	if n := len(Shingles(nil, "abc", 3)); n != 3 { // " ab", "abc", "bc "
		t.Errorf("%d shingles", n)
	}
	for s, want := range map[string]int{"": 1, "a": 1, "ab": 2, "日本語": 3} {
		if got := Shingles(nil, s, 3); len(got) != want {
			t.Errorf("%q: %d shingles, want %d", s, len(got), want)
		}
	}
	if slices.Equal(Shingles(nil, "ab", 3), Shingles(nil, "ba", 3)) {
		t.Error("order makes no difference")
	}
	kept := Shingles([]uint64{7}, "ab", 3)
	if kept[0] != 7 || len(kept) != 3 {
		t.Errorf("%v", kept)
	}
}

// The share of equal places estimates the similarity.
func TestMinHashEstimatesJaccard(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, common := range []int{0, 10, 30, 60, 100} {
		var a, b []uint64
		for range common {
			x := rng.Uint64()
			a, b = append(a, x), append(b, x)
		}
		for range 100 - common {
			a, b = append(a, rng.Uint64()), append(b, rng.Uint64())
		}
		want := float64(common) / float64(200-common)
		x, y := make([]uint32, 4000), make([]uint32, 4000)
		MinHash(x, a)
		MinHash(y, b)
		same := 0
		for i := range x {
			if x[i] == y[i] {
				same++
			}
		}
		if got := float64(same) / 4000; math.Abs(got-want) > 0.03 {
			t.Errorf("%d in common: %.3f, want %.3f", common, got, want)
		}
	}
}

// Signatures are compared across runs and machines.
func TestMinHashIsStable(t *testing.T) {
	x := make([]uint32, 3)
	MinHash(x, Shingles(nil, "how do I lock my card?", 3))
	if got := fmt.Sprint(x); got != "[754828033 1410281711 3366663982]" {
		t.Errorf("signature %s", got)
	}
}
