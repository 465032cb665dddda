package frame

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/quick"
	"time"

	"assay/corpus"
)

// What is written by hand is what encoding/json writes, byte for byte.
func TestEncodeLikeJSON(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 120_000_000, time.UTC)
	berlin := at.In(time.FixedZone("", 3600))
	weight := 1.5
	same := func(e Entry) {
		t.Helper()
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
		got, err := appendJSON([]byte("before"), e)
		if err != nil || string(got) != "before"+want.String() {
			t.Errorf("%s\nwant %s, %v", got, want.String(), err)
		}
	}
	for _, text := range []string{"lock card", "<b>&amp;", "é 返金 💳", "\"\\\n\t\x01\x7f", "\u2028\u2029", "\xff", ""} {
		same(Entry{Query: corpus.Query{ID: text, Text: text, Kind: corpus.Mined, Count: 3, Source: text, Language: "en", Group: text}, Asked: []Asked{{0, 1}, {2, 2}}, Derived: true})
	}
	same(Entry{Query: corpus.Query{ID: "a", FirstSeen: &at, LastSeen: &at}})
	same(Entry{Query: corpus.Query{ID: "a", FirstSeen: &berlin}, Asked: []Asked{}})
	same(Entry{Query: corpus.Query{ID: "a", Weight: &weight, Turns: []corpus.Turn{{Role: "user", Content: "<x>"}}, Proposed: []string{"y"}}, Total: 4, Tags: []string{"t"}})
	same(Entry{Query: corpus.Query{ID: "a", Variants: []corpus.Variant{{ID: "v", Text: "<", Count: 1}}, Order: 3, Excluded: true}})
	err := quick.Check(func(id, text, source, group string, count int, derived bool, asked []Asked) bool {
		e := Entry{Query: corpus.Query{ID: id, Text: text, Source: source, Group: group, Count: count}, Derived: derived, Asked: asked}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		got, err := appendJSON(nil, e)
		return enc.Encode(e) == nil && err == nil && bytes.Equal(got, want.Bytes())
	}, nil)
	if err != nil {
		t.Error(err)
	}
}
