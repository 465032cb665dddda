package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// benchLabels makes n labels on distinct chunks, from number first on, per labels each for a query.
func benchLabels(first, n, per int) []Change {
	changes := make([]Change, n)
	for j := range changes {
		i := first + j
		text := fmt.Sprintf("chunk %d is about nothing in particular, at some length so that it weighs something", i)
		c := corpus.Chunk{ID: fmt.Sprintf("docs/%04d.md#%d", i/20, i%20+1), DocID: fmt.Sprintf("docs/%04d.md", i/20),
			DocHash: corpus.HashText("doc"), Span: &corpus.Span{Start: i % 20 * 100, End: i%20*100 + 90}, Text: text}
		changes[j] = PutLabel(corpus.Label{QueryID: fmt.Sprintf("q%05d", i/per), CorpusID: "c1", ChunkID: c.ID,
			Annotator: "ann", Grade: corpus.Grade(i % 4), Anchor: corpus.AnchorOf("c1", c)},
			corpus.Found{Route: corpus.RouteImport}, text)
	}
	return changes
}

func benchDB(b *testing.B) *DB {
	b.Helper()
	db, err := Open(filepath.Join(b.TempDir(), "labels.db"), Options{Create: true, Program: "assay test"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if _, err := db.Write(context.Background(), Author{Annotator: "ann"}, SetScale(corpus.DefaultScale()),
		PutCorpus(corpus.Info{ID: "c1"})); err != nil {
		b.Fatal(err)
	}
	return db
}

// BenchmarkLabel saves one label after the other and, in turn with it, appends 128 bytes to a file and puts as many
// into a bare bbolt bucket, each on disk before the next. It reports the medians, and how many times the append the
// others take.
func BenchmarkLabel(b *testing.B) {
	for _, before := range []int{0, 20_000} {
		b.Run(fmt.Sprintf("after%d", before), func(b *testing.B) {
			ctx := context.Background()
			db := benchDB(b)
			for i := 0; i < before; i += 5000 {
				if _, err := db.Write(ctx, Author{Batch: "import"}, benchLabels(i, 5000, 8)...); err != nil {
					b.Fatal(err)
				}
			}
			plain, err := os.Create(filepath.Join(b.TempDir(), "append"))
			if err != nil {
				b.Fatal(err)
			}
			defer plain.Close()
			bare, err := bolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer bare.Close()
			line := make([]byte, 128)
			i := 0
			ways := []struct {
				name string
				run  func() error
				took []time.Duration
			}{
				{name: "append", run: func() error {
					_, err := plain.Write(line)
					return errors.Join(err, plain.Sync())
				}},
				{name: "bbolt", run: func() error {
					return bare.Update(func(tx *bolt.Tx) error {
						bucket, err := tx.CreateBucketIfNotExists([]byte("bucket"))
						if err != nil {
							return err
						}
						return bucket.Put(seqKey(uint64(i)), line)
					})
				}},
				{name: "label", run: func() error {
					_, err := db.Write(ctx, Author{Annotator: "ann"}, benchLabels(before+i, 1, 8)...)
					return err
				}},
			}
			for b.Loop() {
				for w := range ways {
					start := time.Now()
					if err := ways[w].run(); err != nil {
						b.Fatal(err)
					}
					ways[w].took = append(ways[w].took, time.Since(start))
				}
				i++
			}
			var limit float64
			for _, w := range ways {
				slices.Sort(w.took)
				median := float64(w.took[len(w.took)/2])
				if w.name == "append" {
					limit = median
				}
				b.ReportMetric(median/1e3, w.name+"-µs")
				b.ReportMetric(median/limit, w.name+"/append")
			}
		})
	}
}

// BenchmarkImport is an import of 100,000 labels in slices of 5,000.
func BenchmarkImport(b *testing.B) {
	changes := benchLabels(0, 100_000, 8)
	for b.Loop() {
		db := benchDB(b)
		for i := 0; i < len(changes); i += 5000 {
			if _, err := db.Write(context.Background(), Author{Batch: "import"}, changes[i:i+5000]...); err != nil {
				b.Fatal(err)
			}
		}
		if info, err := os.Stat(db.path); err == nil {
			b.ReportMetric(float64(info.Size())/1e6, "MB")
		}
	}
	b.ReportMetric(float64(len(changes)*b.N)/b.Elapsed().Seconds(), "labels/s")
}

// BenchmarkRead reads 100,000 labels in each of the ways that there are.
func BenchmarkRead(b *testing.B) {
	db := benchDB(b)
	ctx := context.Background()
	changes := benchLabels(0, 100_000, 8)
	for i := 0; i < len(changes); i += 5000 {
		if _, err := db.Write(ctx, Author{Batch: "import"}, changes[i:i+5000]...); err != nil {
			b.Fatal(err)
		}
	}
	check := func(b *testing.B, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("labels", func(b *testing.B) {
		for b.Loop() {
			check(b, db.EachLabel(ctx, func(corpus.Label) error { return nil }))
		}
	})
	b.Run("grades", func(b *testing.B) {
		for b.Loop() {
			check(b, db.EachGrade(ctx, func(corpus.LabelKey, corpus.Grade) error { return nil }))
		}
	})
	b.Run("query", func(b *testing.B) {
		for b.Loop() {
			_, err := db.Labels("q00042")
			check(b, err)
		}
	})
	b.Run("counts", func(b *testing.B) {
		for b.Loop() {
			_, err := db.Counts()
			check(b, err)
		}
	})
	b.Run("fingerprint", func(b *testing.B) {
		for b.Loop() {
			_, err := db.LabelsFingerprint()
			check(b, err)
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			r, err := db.Verify(ctx)
			check(b, err)
			if !r.Clean() {
				b.Fatal(r.Differences)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			c, err := OpenCopy(db.path, Options{})
			check(b, err)
			check(b, c.Close())
		}
	})
	b.Run("open", func(b *testing.B) {
		check(b, db.Close())
		for b.Loop() {
			c, err := Open(db.path, Options{})
			check(b, err)
			check(b, c.Close())
		}
	})
}
