package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrapped is a column's interval; OK says whether it has one.
type Bootstrapped struct {
	Interval
	OK bool
}

// Bootstrap is the percentile bootstrap interval of the mean at the given level (.95), from so many resamples (2000).
// Not ok where fewer than two values are defined (NaN is undefined), one is ±Inf, resamples < 1 or level is outside 0…1.
func Bootstrap(x []float64, level float64, resamples int, seed uint64) (Interval, bool) {
	b := Bootstraps([][]float64{x}, level, resamples, seed)[0]
	return b.Interval, b.OK
}

// Bootstraps does what Bootstrap does for several columns over the same resampled rows, so that columns stay comparable
// and one draw of an index serves all of them. NaN is undefined: it is left out of its column's mean, and a resample
// without any defined value is left out of that column. A column's result does not depend on the other columns. It
// panics where columns differ in length.
func Bootstraps(columns [][]float64, level float64, resamples int, seed uint64) []Bootstrapped {
	out := make([]Bootstrapped, len(columns))
	if len(columns) == 0 {
		return out
	}
	n := len(columns[0])
	for _, c := range columns {
		if len(c) != n {
			panic("stats: columns to bootstrap differ in length")
		}
	}
	if n < 2 || resamples < 1 || !proper(level) {
		return out
	}
	t := layOut(columns)
	means := t.resample(n, resamples, rand.NewPCG(seed, streamBootstrap))
	for i, place := range t.places {
		if !place.used {
			continue
		}
		sums := means[place.sum]
		if place.count != noCount {
			sums = divide(sums, means[place.count])
		} else {
			for r := range sums {
				sums[r] /= float64(n)
			}
		}
		if len(sums) == 0 || !allFinite(sums) {
			continue
		}
		slices.Sort(sums)
		tail := (1 - level) / 2
		out[i] = Bootstrapped{Interval{quantile(sums, tail), quantile(sums, 1-tail)}, true}
	}
	return out
}

// streamBootstrap and streamSigns keep apart what one seed draws for different purposes.
const (
	streamBootstrap = 0x626f6f7473747261
	streamSigns     = 0x7369676e666c6970
)

// width is how many columns are summed at once: their sums stay in registers while the rows are visited.
const width = 4

const noCount = -1

// place says in which lanes a column's values, and 1 for each defined one if some aren't, were laid.
type place struct {
	used       bool
	sum, count int
}

// table holds columns row by row, in blocks of so many lanes.
type table struct {
	blocks [][][width]float64
	places []place
}

func layOut(columns [][]float64) table {
	t := table{places: make([]place, len(columns))}
	var lanes int
	lane := func(value func(row int) float64) int {
		if lanes%width == 0 {
			t.blocks = append(t.blocks, make([][width]float64, len(columns[0])))
		}
		block := t.blocks[lanes/width]
		for row := range block {
			block[row][lanes%width] = value(row)
		}
		lanes++
		return lanes - 1
	}
	for i, c := range columns {
		defined, infinite := 0, false
		for _, v := range c {
			if !math.IsNaN(v) {
				defined++
			}
			infinite = infinite || math.IsInf(v, 0)
		}
		if defined < 2 || infinite {
			continue
		}
		p := place{used: true, count: noCount}
		if defined == len(c) {
			p.sum = lane(func(row int) float64 { return c[row] })
		} else {
			p.sum = lane(func(row int) float64 {
				if math.IsNaN(c[row]) {
					return 0
				}
				return c[row]
			})
			p.count = lane(func(row int) float64 {
				if math.IsNaN(c[row]) {
					return 0
				}
				return 1
			})
		}
		t.places[i] = p
	}
	return t
}

// resample gives, for each lane, the sum of each resample.
func (t table) resample(n, resamples int, source *rand.PCG) [][]float64 {
	sums := make([][]float64, len(t.blocks)*width)
	for i := range sums {
		sums[i] = make([]float64, resamples)
	}
	rows := make([]uint32, n)
	for r := range resamples {
		drawRows(rows, source)
		for b, block := range t.blocks {
			var s0, s1, s2, s3 float64
			for _, row := range rows {
				v := &block[row]
				s0 += v[0]
				s1 += v[1]
				s2 += v[2]
				s3 += v[3]
			}
			lanes := sums[b*width : b*width+width]
			lanes[0][r], lanes[1][r], lanes[2][r], lanes[3][r] = s0, s1, s2, s3
		}
	}
	return sums
}

// drawRows fills rows with draws from 0 to len(rows)−1, two from each random word: the upper half of draw·n is uniform
// once the few draws that would favour some rows are refused (Lemire 2019).
func drawRows(rows []uint32, source *rand.PCG) {
	n := uint64(len(rows))
	refuse := uint32(-uint32(n) % uint32(n))
	for i := 0; i < len(rows); {
		word := source.Uint64()
		for half := 0; half < 2 && i < len(rows); half++ {
			m := (word & math.MaxUint32) * n
			word >>= 32
			if uint32(m) >= refuse {
				rows[i] = uint32(m >> 32)
				i++
			}
		}
	}
}

// divide gives sums over counts where there is a count, in the place of sums.
func divide(sums, counts []float64) []float64 {
	kept := sums[:0]
	for r, s := range sums {
		if counts[r] > 0 {
			kept = append(kept, s/counts[r])
		}
	}
	return kept
}
