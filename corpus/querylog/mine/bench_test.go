package mine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/corpus/querylog/frame"
	"assay/corpus/rows"
)

// megabytes is how large the generated log of the benchmarks is: ASSAY_MINE_MB, or 32. 1000 makes the log of a gigabyte
// with five million different queries.
func megabytes() int {
	if n, err := strconv.Atoi(os.Getenv("ASSAY_MINE_MB")); err == nil && n > 0 {
		return n
	}
	return 32
}

var things = []string{
	"card", "account", "refund", "transfer", "signing key", "invoice", "password", "subscription", "delivery", "webhook", "dashboard", "cluster",
	"certificate", "backup", "gateway", "payment", "receipt", "passport", "statement", "limit", "device", "token", "region", "address",
}

var actions = []string{
	"how do i cancel", "why was it declined for", "where can i find", "how long does it take to get", "is it possible to change", "what is the fee for",
	"can i rotate", "how to restore", "error while opening", "need help with", "who approves", "what happens to",
}

// generate writes a log of JSON Lines of about so many bytes: some ten rows a kilobyte, half of them queries that come
// once, the others some that come again. A gigabyte has some five million different ones; how many are alike of a thousand
// is the same at any size.
func generate(path string, size int64, seed int64, users bool) (rows int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewSource(seed))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	orders := max(1, int(size/500_000))
	var written int64
	for written < size {
		at = at.Add(time.Duration(rng.Intn(2000)) * time.Millisecond)
		query := actions[rng.Intn(len(actions))] + " " + things[rng.Intn(len(things))]
		switch rng.Intn(8) {
		case 0, 1, 2, 3: // one of many that come again
			query += " for order " + strconv.Itoa(rng.Intn(orders))
		default:
			query += " with " + things[rng.Intn(len(things))] + " " + strconv.FormatInt(rng.Int63n(1<<40), 36)
		}
		who := "page" // says nothing of who asked: no conversations are made
		if users {
			who = "user"
		}
		n, err := fmt.Fprintf(w, "{\"timestamp\":%q,%q:\"u%d\",\"query\":%q}\n", at.Format(time.RFC3339), who, rng.Intn(500_000), query)
		if err != nil {
			return rows, err
		}
		written += int64(n)
		rows++
	}
	return rows, errors.Join(w.Flush(), f.Close())
}

// peak runs f and returns the most memory that the process had meanwhile, as far as the system tells.
func peak(f func()) int64 {
	runtime.GC()
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	f()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kb int64
	for line := range strings.Lines(string(b)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 && err == nil {
			break
		}
	}
	return kb << 10
}

// cpu is the time that the process's threads have run so far, as far as the system tells: on a machine that others use
// too it says more than the clock.
func cpu() time.Duration {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	var ticks time.Duration
	for _, at := range []int{11, 12} { // in user and in system mode, in hundredths of a second
		n, _ := strconv.Atoi(fields[at])
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}

func decodeAlone(path string) error {
	r, err := rows.Open(path, rows.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		_, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// BenchmarkCount compares reading, normalising and counting with decoding alone, in the same run: the bar is a third of
// its speed, in less than 300 MB.
func BenchmarkCount(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "log.jsonl")
	if _, err := generate(path, int64(megabytes())<<20, 1, false); err != nil {
		b.Fatal(err)
	}
	var alone, counted, written, cpuAlone, cpuCounted time.Duration
	var most int64
	var last Report
	for b.Loop() {
		start, used := time.Now(), cpu()
		if err := decodeAlone(path); err != nil {
			b.Fatal(err)
		}
		alone += time.Since(start)
		cpuAlone += cpu() - used
		frameAt := filepath.Join(dir, frame.Name)
		os.Remove(frameAt)
		start, used = time.Now(), cpu()
		var ready time.Time // when all is counted, and only the frame is left to write
		writing := false
		stage := func(name string, _, _ int64) {
			if name == "writing" && !writing {
				writing, ready = true, time.Now()
				cpuCounted += cpu() - used
			}
		}
		most = max(most, peak(func() {
			r, err := Run(context.Background(), []Source{file(path)}, Options{New: frameAt, Scratch: dir, Now: now, NoClean: true, NoRedact: true, NoGroup: true, Progress: stage})
			if err != nil {
				b.Fatal(err)
			}
			last = r
		}))
		counted += ready.Sub(start)
		written += time.Since(start)
	}
	b.ReportMetric(float64(megabytes()*b.N)/alone.Seconds(), "decode-MB/s")
	b.ReportMetric(float64(megabytes()*b.N)/counted.Seconds(), "count-MB/s")
	b.ReportMetric(alone.Seconds()/counted.Seconds(), "ratio")
	b.ReportMetric(alone.Seconds()/written.Seconds(), "ratio-with-frame")
	b.ReportMetric(float64(cpuAlone)/float64(max(1, cpuCounted)), "cpu-ratio")
	b.ReportMetric(float64(most)/(1<<20), "peak-MB")
	b.ReportMetric(float64(last.Distinct), "distinct")
}

// BenchmarkMine does everything, at a quarter, a half and the whole of the size: seconds a gigabyte should not grow.
func BenchmarkMine(b *testing.B) {
	for _, part := range []int{4, 2, 1} {
		mb := max(1, megabytes()/part)
		b.Run(strconv.Itoa(mb)+"MB", func(b *testing.B) {
			dir := b.TempDir()
			path := filepath.Join(dir, "log.jsonl")
			if _, err := generate(path, int64(mb)<<20, 1, true); err != nil {
				b.Fatal(err)
			}
			var most int64
			var last Report
			start, used := time.Now(), cpu()
			for b.Loop() {
				frameAt := filepath.Join(dir, frame.Name)
				os.Remove(frameAt)
				most = max(most, peak(func() {
					r, err := Run(context.Background(), []Source{file(path)}, Options{New: frameAt, Scratch: dir, Now: now})
					if err != nil {
						b.Fatal(err)
					}
					last = r
				}))
			}
			b.ReportMetric(time.Since(start).Seconds()/float64(b.N)/float64(mb)*1000, "s/GB")
			b.ReportMetric((cpu()-used).Seconds()/float64(b.N)/float64(mb)*1000, "cpu-s/GB")
			b.ReportMetric(float64(most)/(1<<20), "peak-MB")
			b.ReportMetric(float64(last.Distinct), "distinct")
		})
	}
}
