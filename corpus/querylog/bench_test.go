package querylog

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"assay/corpus/rows"
)

// scrapes are rows of a search log as services write them, n of them.
func scrapes(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"red", "shoes", "return", "order", "blue", "weather", "in", "bonn", "track", "parcel", "size", "cheap", "café"}
	var b bytes.Buffer
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for range n {
		at = at.Add(time.Duration(rng.IntN(5000)) * time.Millisecond)
		fmt.Fprintf(&b, `{"timestamp":"%s","user_id":"u%05d","session_id":"s%06d","query":"%s %s %s","results":%d}`+"\n",
			at.Format("2006-01-02T15:04:05.000Z07:00"), rng.IntN(20000), rng.IntN(90000), words[rng.IntN(len(words))], words[rng.IntN(len(words))], words[rng.IntN(len(words))], rng.IntN(500))
	}
	return b.Bytes()
}

// BenchmarkRows compares reading a log with reading its rows alone, in turn over the same bytes.
func BenchmarkRows(b *testing.B) {
	const n = 20_000
	log := scrapes(n)
	var bare, whole time.Duration
	for b.Loop() {
		began := time.Now()
		r, err := rows.New(bytes.NewReader(log), "log.jsonl", rows.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := r.Next(); err == io.EOF {
				break
			}
		}
		bare += time.Since(began)
		began = time.Now()
		l, err := Open("-", Options{Stdin: bytes.NewReader(log), LeaveIDs: true})
		if err != nil {
			b.Fatal(err)
		}
		got := 0
		for asked, err := range l.Rows() {
			if err != nil || asked.At.IsZero() || asked.User == "" {
				b.Fatal(asked, err)
			}
			got++
		}
		if whole += time.Since(began); got != n {
			b.Fatal(got, "rows")
		}
	}
	b.ReportMetric(float64(bare.Nanoseconds())/float64(b.N*n), "bare-ns/row")
	b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N*n), "ns/row")
	b.ReportMetric(float64(whole)/float64(bare), "ratio")
}
