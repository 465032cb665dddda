package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// replayRows is how many events one transaction of a replay applies.
const replayRows = 10_000

// maxDifferences is how many differences a report lists.
const maxDifferences = 100

// VerifyReport says whether the state is what the events make it.
type VerifyReport struct {
	Events      int
	Keys        int // compared, of all projected buckets
	Texts       int
	TextsAbsent int          // labels whose chunk's text was not at hand: no fault
	Differences []Difference // the first hundred
	Total       int          // of all differences
}

// Clean reports whether there is no difference.
func (r VerifyReport) Clean() bool { return r.Total == 0 }

func (r *VerifyReport) add(path, what string) {
	r.Total++
	if len(r.Differences) < maxDifferences {
		r.Differences = append(r.Differences, Difference{path, what})
	}
}

// Difference is one place where something is not as it should be.
type Difference struct {
	Path string // bucket names and key, quoted
	What string
}

func (d Difference) String() string { return d.Path + ": " + d.What }

// Verify proves that the state is what the events make it: it replays them all, in replay order, into an empty file
// and compares. It also looks at the journal's own order, at each text's hash, and at labels' texts. Writes wait until
// it is done; run it on OpenCopy where that matters. The replay needs about as much room in the temporary folder as
// the file has.
func (db *DB) Verify(ctx context.Context) (VerifyReport, error) {
	var report VerifyReport
	err := db.view(func(tx *bolt.Tx) error {
		order, err := replayOrder(ctx, tx, &report)
		if err != nil {
			return err
		}
		if err := checkTexts(ctx, tx, &report); err != nil {
			return err
		}
		return withReplay(ctx, tx, order, &report, func(again *bolt.Tx) error {
			for _, name := range projected() {
				if err := compareBuckets(ctx, name, tx.Bucket([]byte(name)), again.Bucket([]byte(name)), &report); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return report, fmt.Errorf("verify labels: %w", err)
	}
	return report, nil
}

// moment is an event's place in replay order.
type moment struct {
	hlc corpus.HLC
	seq uint64
}

// replayOrder reads the journal once, looks whether it is sound, and sorts it.
func replayOrder(ctx context.Context, tx *bolt.Tx, report *VerifyReport) ([]moment, error) {
	var order []moment
	var newest corpus.HLC
	next := uint64(1)
	c := tx.Bucket([]byte(bucketEvents)).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if report.Events++; report.Events%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		seq := seqOfKey(k)
		path := fmt.Sprintf("%s/%d", bucketEvents, seq)
		e, err := decodeEvent(v)
		switch {
		case err != nil:
			report.add(path, err.Error())
			continue
		case e.Seq != seq:
			report.add(path, fmt.Sprintf("it says that it is number %d", e.Seq))
			continue
		case e.ID == "" || len(e.ID) > bolt.MaxKeySize:
			report.add(path, "it has no usable id")
			continue
		case seq != next:
			report.add(path, fmt.Sprintf("the event before it is missing: %d was expected", next))
		}
		if known := seqOf(tx, e.ID); known != 0 && known != seq {
			report.add(path, fmt.Sprintf("event %d has the same id", known))
			continue
		}
		next = seq + 1
		newest = max(newest, e.HLC)
		order = append(order, moment{e.HLC, seq})
	}
	if clock := corpus.HLC(seqOfKey(tx.Bucket([]byte(bucketMeta)).Get([]byte(keyClock)))); clock < newest {
		report.add(bucketMeta+"/"+keyClock, "the clock is behind the events")
	}
	id := func(m moment) corpus.EventID { // only asked where two processes wrote at the same logical time
		e, _ := eventAt(tx, m.seq)
		return e.ID
	}
	slices.SortFunc(order, func(a, b moment) int {
		if c := cmp.Compare(a.hlc, b.hlc); c != 0 || a.seq == b.seq {
			return c
		}
		return strings.Compare(string(id(a)), string(id(b)))
	})
	return order, nil
}

// withReplay applies the events to an empty file of the same schema and hands that to fn.
func withReplay(ctx context.Context, tx *bolt.Tx, order []moment, report *VerifyReport, fn func(*bolt.Tx) error) (err error) {
	dir, err := os.MkdirTemp("", "assay-verify-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	scratch, err := bolt.Open(filepath.Join(dir, "replay.db"), 0o600, &bolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	if err := scratch.Update(currentSchema().create); err != nil {
		return err
	}
	for chunk := range slices.Chunk(order, replayRows) {
		err := scratch.Update(func(again *bolt.Tx) error {
			p := &projector{tx: again, replay: true}
			p.bulk()
			for i, m := range chunk {
				if i%256 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				e, err := eventAt(tx, m.seq)
				if err != nil {
					return err
				}
				if err := p.apply(e); err != nil {
					report.add(fmt.Sprintf("%s/%d", bucketEvents, m.seq), err.Error())
				}
			}
			return p.flush()
		})
		if err != nil {
			return err
		}
	}
	return scratch.View(fn)
}

// compareBuckets walks a bucket in the state and in the replay in step.
func compareBuckets(ctx context.Context, name string, state, replayed *bolt.Bucket, report *VerifyReport) error {
	a, b := state.Cursor(), replayed.Cursor()
	ka, va := a.First()
	kb, vb := b.First()
	for ; ka != nil || kb != nil; report.Keys++ {
		if report.Keys%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		order := bytes.Compare(ka, kb)
		switch {
		case kb == nil || ka != nil && order < 0:
			report.add(place{name, ka}.String(), "no event says so")
			ka, va = a.Next()
		case ka == nil || order > 0:
			report.add(place{name, kb}.String(), "an event says so, and it is missing")
			kb, vb = b.Next()
		default:
			if !bytes.Equal(va, vb) {
				report.add(place{name, ka}.String(), "it is not what the events say")
			}
			ka, va = a.Next()
			kb, vb = b.Next()
		}
	}
	return nil
}

// checkTexts looks at each text's hash, and at which labels have none.
func checkTexts(ctx context.Context, tx *bolt.Tx, report *VerifyReport) error {
	texts := tx.Bucket([]byte(bucketTexts))
	c := texts.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if report.Texts++; report.Texts%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if sum := sha256.Sum256(v); !bytes.Equal(sum[:], k) {
			report.add(fmt.Sprintf("%s/%x", bucketTexts, k), "the text is not the one that was labeled")
		}
	}
	empty := corpus.HashText("")
	return eachLive(tx, bucketLabels, func(_ []byte, r record) error {
		var l struct {
			Anchor struct {
				ChunkSHA256 corpus.Hash `json:"chunk_sha256"`
			} `json:"anchor"`
		}
		if err := json.Unmarshal(r.value, &l); err != nil {
			return nil // the replay will differ
		}
		if key, ok := textKey(l.Anchor.ChunkSHA256); !ok || texts.Get(key) == nil && l.Anchor.ChunkSHA256 != empty {
			report.TextsAbsent++
		}
		return nil
	})
}
