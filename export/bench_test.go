package export

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// bigRun writes a run of the shape of the bar in performance.md (7,000 queries of 1,000 hits there).
func bigRun(tb testing.TB, queries, hits int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "big.run")
	rnd := rand.New(rand.NewPCG(1, 1))
	err := WriteFile(path, func(w io.Writer) error {
		var line []byte
		for q := range queries {
			for i := range hits {
				line = append(strconv.AppendInt(line[:0], int64(q+1048585), 10), " Q0 "...)
				line = append(strconv.AppendInt(line, int64(rnd.IntN(8_841_823)), 10), ' ')
				line = append(strconv.AppendInt(line, int64(i+1), 10), ' ')
				line = append(strconv.AppendFloat(line, 30-float64(i)*0.013579, 'f', 6, 64), " anserini\n"...)
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

func benchmarkFile(b *testing.B, do func(path string) error) {
	path := bigRun(b, 700, 1000)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if err := do(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadRun is what check --run does before it measures; BenchmarkReadAndSplit is what it is held against: the
// same lines read and parted, nothing kept.
func BenchmarkReadRun(b *testing.B) {
	benchmarkFile(b, func(path string) error {
		r, err := ReadRun(path, ReadOptions{})
		if err == nil && r.Hits != 700_000 {
			err = fmt.Errorf("%d hits", r.Hits)
		}
		return err
	})
}

func BenchmarkReadAndSplit(b *testing.B) {
	benchmarkFile(b, func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(make([]byte, 1<<20), 1<<20)
		n := 0
		for lines.Scan() {
			n += len(bytes.Fields(lines.Bytes()))
		}
		if n != 6*700_000 {
			return fmt.Errorf("%d fields", n)
		}
		return lines.Err()
	})
}
