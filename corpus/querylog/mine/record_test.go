package mine

import (
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/frame"
)

// someRecord has a random part of all that a record can have.
func someRecord(rng *rand.Rand) record {
	text := func() string {
		if rng.Intn(3) == 0 {
			return ""
		}
		v, _ := quick.Value(reflect.TypeFor[string](), rng)
		return v.String()
	}
	at := func() *time.Time {
		if rng.Intn(3) == 0 {
			return nil
		}
		t := time.UnixMicro(rng.Int63n(1<<50) - 1<<49 | 1).UTC()
		return &t
	}
	r := record{seq: rng.Uint64(), source: rng.Intn(5) - 1, line: rng.Intn(1000), flags: flags(rng.Intn(64))}
	r.query = corpus.Query{ID: text(), Text: text(), Count: rng.Intn(4), Kind: corpus.Kind(text()), Source: text(), Language: text(), FirstSeen: at(), LastSeen: at()}
	if rng.Intn(2) == 0 {
		r.query.LastSeen, r.at = r.query.FirstSeen, micros(r.query.FirstSeen)
	} else {
		r.at = rng.Int63() - 1<<62
	}
	if rng.Intn(2) == 0 {
		r.user = rng.Uint64()
	}
	if rng.Intn(2) == 0 {
		return r
	}
	w := rng.NormFloat64()
	r.query.Weight = &w
	r.query.ParentID, r.query.Standalone, r.query.ReferenceAnswer, r.query.Stratum, r.query.Group = text(), text(), text(), text(), text()
	for range rng.Intn(3) {
		r.query.Turns = append(r.query.Turns, corpus.Turn{Role: text(), Content: text()})
		r.tags = append(r.tags, text())
		r.asked = append(r.asked, frame.Asked{Source: rng.Intn(9), Count: rng.Int()})
		r.raw = append(r.raw, byte(rng.Intn(256)))
	}
	return r
}

// Records come back as they were, one after the other and each by itself; cut off anywhere they are an error.
func TestRecords(t *testing.T) {
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		var put, got common
		kept := someRecord(rng)
		for range 10 {
			r := someRecord(rng)
			if rng.Intn(2) == 0 { // as its neighbour
				r.query.Kind, r.query.Source, r.query.Language = kept.query.Kind, kept.query.Source, kept.query.Language
			}
			kept = r
			var back record
			b := r.append(nil, &put)
			if err := back.decode(string(b), &got); err != nil || !reflect.DeepEqual(back, r) {
				t.Fatalf("seed %d: %v\n%+v\nwant\n%+v", seed, err, back, r)
			}
			item := appendItem(nil, &r)
			if err := back.item(item); err != nil || !reflect.DeepEqual(back, r) {
				t.Fatalf("seed %d, by itself: %v\n%+v\nwant\n%+v", seed, err, back, r)
			}
			for n := range b {
				before := got
				if err := new(record).decode(string(b[:n]), &before); err == nil {
					t.Fatalf("seed %d: %d of %d bytes are a record", seed, n, len(b))
				}
			}
		}
	}
}

// Whatever stands in a temporary file is a record or an error, and takes no more room than it has.
func FuzzRecord(f *testing.F) {
	for seed := range int64(20) {
		r := someRecord(rand.New(rand.NewSource(seed)))
		f.Add(string(r.append(nil, nil)))
	}
	f.Fuzz(func(t *testing.T, s string) {
		var r record
		if r.decode(s, nil) != nil {
			return
		}
		if len(r.query.Turns)+len(r.tags)+len(r.asked)+len(r.raw)+len(r.query.ID)+len(r.query.Text) > len(s) {
			t.Errorf("%d bytes are %+v", len(s), r)
		}
	})
}
