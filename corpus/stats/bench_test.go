package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func benchColumns(rows, columns int, undefined float64) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]float64, columns)
	for c := range all {
		all[c] = make([]float64, rows)
		for i := range all[c] {
			if all[c][i] = r.Float64(); r.Float64() < undefined {
				all[c][i] = math.NaN()
			}
		}
	}
	return all
}

func BenchmarkBootstraps7000x7x2000(b *testing.B) {
	columns := benchColumns(7000, 7, 0)
	b.ReportAllocs()
	for b.Loop() {
		Bootstraps(columns, .95, 2000, 1)
	}
}

func BenchmarkBootstraps7000x10x2000WithUndefined(b *testing.B) {
	columns := benchColumns(7000, 10, .1)
	b.ReportAllocs()
	for b.Loop() {
		Bootstraps(columns, .95, 2000, 1)
	}
}

func BenchmarkBootstrap7000x2000(b *testing.B) {
	column := benchColumns(7000, 1, 0)[0]
	b.ReportAllocs()
	for b.Loop() {
		Bootstrap(column, .95, 2000, 1)
	}
}

func BenchmarkSignFlipRandomized7000x10000(b *testing.B) {
	diffs := benchColumns(7000, 1, 0)[0]
	for i := range diffs {
		diffs[i] -= .5
	}
	b.ReportAllocs()
	for b.Loop() {
		SignFlip(diffs, 10000, 1)
	}
}

func BenchmarkSignFlipEnumerated20(b *testing.B) {
	diffs := benchColumns(20, 1, 0)[0]
	for b.Loop() {
		SignFlip(diffs, 10000, 1)
	}
}

func BenchmarkSignFlipMcNemar7000(b *testing.B) {
	diffs := make([]float64, 7000)
	for i := range diffs {
		diffs[i] = float64(i%3 - 1)
	}
	for b.Loop() {
		SignFlip(diffs, 10000, 1)
	}
}
