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

// BenchmarkAccessLog reads a web server's log, of which every other request is a search.
func BenchmarkAccessLog(b *testing.B) {
	const n = 20_000
	var log bytes.Buffer
	rng := rand.New(rand.NewPCG(3, 4))
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for i := range n {
		at = at.Add(time.Duration(rng.IntN(5000)) * time.Millisecond)
		target := fmt.Sprintf("/search?page=%d&q=red+shoes+%d", i%3, rng.IntN(5000))
		if i%2 == 0 {
			target = "/static/logo.png"
		}
		fmt.Fprintf(&log, `192.0.2.%d - - [%s] "GET %s HTTP/1.1" 200 5120 "https://example.org/" "Mozilla/5.0 (X11; Linux x86_64)"`+"\n",
			rng.IntN(250), at.Format("02/Jan/2006:15:04:05 -0700"), target)
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		l, err := Open("-", Options{Stdin: bytes.NewReader(log.Bytes()), LeaveIDs: true})
		if err != nil {
			b.Fatal(err)
		}
		got := 0
		for _, err := range l.Rows() {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n/2 || l.Stats().NoQuery != n/2 {
			b.Fatal(got, "rows")
		}
	}
}
