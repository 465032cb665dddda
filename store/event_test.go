package store

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"assay/corpus"
)

func fullEvent() corpus.Event {
	return corpus.Event{
		V: 1, Kind: corpus.EventLabel, ID: "00-7", Seq: 1 << 60, HLC: 0xfedcba9876543210,
		At: time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.UTC), Annotator: "ann", Role: "import", CorpusID: "c", ScaleID: "s",
		Subject: corpus.Subject{Query: "q", Corpus: "c", Chunk: "k\x00/<&>\u2028", Annotator: "a", What: "w", Value: "v", Scale: "x"},
		Before:  json.RawMessage(`{"a":9007199254740993}`), After: json.RawMessage(`{"b":"<&>"}`), Parent: "00-6", Reverts: "00-5",
		Batch: "b", Found: &corpus.Found{Route: corpus.RoutePool, Search: "x", Run: "r", Rank: 3, Revealed: true}, ActiveMS: 5,
		GuidelinesHash: "g", Program: "p",
	}
}

func TestEventCodec(t *testing.T) {
	full := fullEvent()
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Extra" {
			t.Errorf("the test leaves %s out", name)
		}
	}
	strange := full
	strange.Extra = map[string]json.RawMessage{"zeal": json.RawMessage("9007199254740993"), "mood": json.RawMessage(`{"x":[1,2,null]}`), "ÿ": json.RawMessage("null")}
	for name, e := range map[string]corpus.Event{"full": full, "empty": {}, "with unknown fields": strange} {
		t.Run(name, func(t *testing.T) {
			b, err := encodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decodeEvent(b)
			if err != nil || !reflect.DeepEqual(got, e) {
				t.Errorf("%s\nreads back as %+v, %v", b, got, err)
			}
			again, err := encodeEvent(got)
			if err != nil || !bytes.Equal(again, b) {
				t.Errorf("written again it is\n%s, not\n%s", again, b)
			}
			if bytes.Contains(b, []byte(`\u003c`)) {
				t.Errorf("escaped: %s", b)
			}
		})
	}
}

// Unknown fields are kept wherever they are, also within the subject and the way a chunk was found.
func TestUnknownFieldsSurvive(t *testing.T) {
	tests := []string{
		`{"v":2,"kind":"label","id":"a-1","seq":1,"hlc":"0000000000000001","at":"2024-01-01T00:00:00Z","subject":{"query":"q"},"confidence":0.75}`,
		`{"v":1,"kind":"mood","id":"a-1","seq":1,"hlc":"0000000000000001","at":"2024-01-01T00:00:00Z","subject":{"query":"q","tone":{"x":1}}}`,
		`{"v":1,"kind":"label","id":"a-1","seq":1,"hlc":"0000000000000001","at":"2024-01-01T00:00:00Z","subject":{},"found":{"route":"pool","depth":12345678901234567890},"a":[],"b":"\u00e9"}`,
	}
	for _, src := range tests {
		e, err := decodeEvent([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		b, err := encodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != src {
			t.Errorf("%s\nis written back as\n%s", src, b)
		}
	}
}

func TestNullIsNothing(t *testing.T) {
	e, err := decodeEvent([]byte(`{"kind":"label","hlc":"0000000000000001","before":null,"after":null}`))
	if err != nil || e.Before != nil || e.After != nil {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestBadEventsAreErrors(t *testing.T) {
	for _, src := range []string{"", "{", "[]", `"x"`, "1", `{"seq":-1}`, `{"hlc":"1"}`, `{"hlc":1}`, `{"at":"yesterday"}`, `{"v":1}{"v":2}`, "\xff", "{\"id\":\"\xff\x00\"}"} {
		if e, err := decodeEvent([]byte(src)); err == nil {
			t.Errorf("%q reads as %+v", src, e)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	b, err := encodeEvent(fullEvent())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"v":2,"x":{"y":[]},"subject":{"z":1},"found":{"a":null}}`))
	f.Add([]byte(`{"Kind":"a","kind":"b","KIND":null,"before":null}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, src []byte) {
		e, err := decodeEvent(src)
		if err != nil {
			return
		}
		b, err := encodeEvent(e)
		if err != nil {
			t.Fatalf("%q can't be written back: %v", src, err)
		}
		again, err := decodeEvent(b)
		if err != nil {
			t.Fatalf("%s can't be read back: %v", b, err)
		}
		b2, err := encodeEvent(again)
		if err != nil || !bytes.Equal(b, b2) {
			t.Fatalf("%s becomes %s, %v", b, b2, err)
		}
	})
}

func TestNextHLC(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(ms) }
	tests := []struct {
		name string
		last corpus.HLC
		wall time.Time
		want corpus.HLC
	}{
		{"first", 0, at(5), 5 << 16},
		{"later", 5 << 16, at(6), 6 << 16},
		{"the same millisecond", 5 << 16, at(5), 5<<16 + 1},
		{"the clock stepped back", 9<<16 + 3, at(2), 9<<16 + 4},
		{"the counter runs over into time", 5<<16 + 0xffff, at(5), 6 << 16},
		{"before 1970", 0, at(-100), 1},
		{"far away", 0, at(math.MaxInt64), (1<<48 - 1) << 16},
	}
	for _, tt := range tests {
		if got, err := nextHLC(tt.last, tt.wall); err != nil || got != tt.want {
			t.Errorf("%s: got %x, %v, want %x", tt.name, uint64(got), err, uint64(tt.want))
		}
	}
	if got, err := nextHLC(math.MaxUint64, at(1)); err == nil {
		t.Errorf("at the end of time: %x", uint64(got))
	}
	if got := wallTime(1714565000123<<16 + 7); !got.Equal(at(1714565000123)) {
		t.Errorf("wall time is %v", got)
	}
}

func TestKeys(t *testing.T) {
	whole := func(a, b, c string) bool {
		ids := []string{strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?"), strings.ToValidUTF8(c, "?")}
		got, rest, whole, err := splitKey(joinKey(ids...), 3)
		return err == nil && whole && len(rest) == 0 && slices.Equal(got, ids)
	}
	if err := quick.Check(whole, nil); err != nil {
		t.Error(err)
	}
	apart := func(a, b, c, d string) bool {
		one := []string{strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?")}
		two := []string{strings.ToValidUTF8(c, "?"), strings.ToValidUTF8(d, "?")}
		return slices.Equal(one, two) == bytes.Equal(joinKey(one...), joinKey(two...))
	}
	if err := quick.Check(apart, nil); err != nil {
		t.Error(err)
	}
	long := strings.Repeat("l", maxKeyID+1)
	ids, rest, isWhole, err := splitKey(append(joinKey("a", long, ""), "tail\xff"...), 2)
	if err != nil || isWhole || ids[0] != "a" || string(rest) != "tail\xff" {
		t.Errorf("split into %q, %q, whole %v, %v", ids, rest, isWhole, err)
	}
	if _, _, _, err := splitKey(joinKey("a", "b"), 3); err == nil {
		t.Error("two ids were split into three")
	}
	// Even the longest ids make keys that bbolt takes.
	most := strings.Repeat("\x00", corpus.MaxIDLen)
	if n := len(joinKey(most, most, most, most, most, most)); n > 1<<15 {
		t.Errorf("a key of %d bytes", n)
	}
}

func TestRecordCodec(t *testing.T) {
	for _, r := range []record{
		{hlc: 1, event: "a-1", value: []byte("{}")},
		{hlc: math.MaxUint64, event: corpus.EventID(strings.Repeat("x", 65535)), grade: corpus.CannotJudge, value: []byte{}},
		{grade: -2, value: []byte("\xff")},
		{grade: math.MaxInt32, value: []byte{}},
	} {
		got, err := decodeRecord(r.encode())
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%+v reads back as %+v, %v", r, got, err)
		}
	}
	good := record{event: "abc", value: []byte("v")}.encode()
	for n := range recordHead + 3 {
		if _, err := decodeRecord(good[:n]); err == nil {
			t.Errorf("%d bytes read as a record", n)
		}
	}
	good[0] = 9
	if _, err := decodeRecord(good); err == nil {
		t.Error("a record of another version was read")
	}
}

func TestReplayOrder(t *testing.T) {
	r := record{hlc: 5, event: "m"}
	for _, tt := range []struct {
		hlc  corpus.HLC
		id   corpus.EventID
		want bool
	}{{6, "a", true}, {4, "z", false}, {5, "n", true}, {5, "l", false}, {5, "m", false}} {
		if got := r.olderThan(tt.hlc, tt.id); got != tt.want {
			t.Errorf("(5, m) before (%d, %s): %v", tt.hlc, tt.id, got)
		}
	}
}
