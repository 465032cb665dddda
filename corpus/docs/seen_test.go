package docs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/corpus"
)

func TestSeen(t *testing.T) {
	s := newSeen()
	for i, tt := range []struct {
		chunk corpus.Chunk
		want  verdict
	}{
		{corpus.Chunk{ID: "a", Text: "x"}, verdict{}},
		{corpus.Chunk{ID: "b", Text: "x"}, verdict{}},
		{corpus.Chunk{ID: "a", Text: "x"}, verdict{known: true, same: true, first: Place{"f", 0}}},
		{corpus.Chunk{ID: "a", Text: "y"}, verdict{known: true, differs: "text", first: Place{"f", 0}}},
		{corpus.Chunk{ID: "a", Text: "x", Title: "t"}, verdict{known: true, differs: "title, document or metadata", first: Place{"f", 0}}},
		{corpus.Chunk{ID: "a", Text: "x", DocID: "d"}, verdict{known: true, differs: "title, document or metadata", first: Place{"f", 0}}},
		{corpus.Chunk{ID: "a", Text: "x", Meta: json.RawMessage("{}")}, verdict{known: true, differs: "title, document or metadata", first: Place{"f", 0}}},
		{corpus.Chunk{ID: "A", Text: "x"}, verdict{alike: "a", first: Place{"f", 0}}},
		{corpus.Chunk{ID: "A", Text: "x"}, verdict{known: true, same: true, first: Place{"f", 7}}},
		{corpus.Chunk{ID: "a", Text: "x"}, verdict{known: true, same: true, first: Place{"f", 0}}},
		{corpus.Chunk{ID: "Ü", Text: "x"}, verdict{}},
		{corpus.Chunk{ID: "U\u0308", Text: "x"}, verdict{alike: "Ü", first: Place{"f", 10}}},
		{corpus.Chunk{ID: "ü", Text: "x"}, verdict{alike: "Ü", first: Place{"f", 10}}},
		{corpus.Chunk{ID: "u\u0308", Text: "x"}, verdict{alike: "Ü", first: Place{"f", 10}}},
		{corpus.Chunk{ID: "ü", Text: "y"}, verdict{known: true, differs: "text", first: Place{"f", 12}}},
		{corpus.Chunk{ID: " a", Text: "x"}, verdict{}},
		{corpus.Chunk{ID: "a\u200b", Text: "x"}, verdict{}},
	} {
		if got := s.meet(tt.chunk, Place{"f", i}); got != tt.want {
			t.Errorf("%d, %q: %+v, want %+v", i, tt.chunk.ID, got, tt.want)
		}
	}
}

// The parts of what a hash covers can't run into each other.
func TestExtraHash(t *testing.T) {
	seen := map[uint32]corpus.Chunk{}
	for _, c := range []corpus.Chunk{
		{Title: "ab"}, {Title: "a", DocID: "b"}, {DocID: "ab"}, {Title: "a", Meta: json.RawMessage("b")}, {Meta: json.RawMessage("ab")},
		{DocID: "a", Meta: json.RawMessage("b")}, {}, {Meta: json.RawMessage(`""`)},
	} {
		h := extraHash(c)
		if other, taken := seen[h]; taken {
			t.Errorf("%+v and %+v have the same hash", c, other)
		}
		seen[h] = c
	}
	if extraHash(corpus.Chunk{ID: "a", Text: "x"}) != extraHash(corpus.Chunk{ID: "b", Text: "y"}) {
		t.Error("id and text are part of the hash")
	}
}

func TestSeenNamesFiles(t *testing.T) {
	s := newSeen()
	for i := range 3 {
		for n := range 4 {
			at := Place{fmt.Sprintf("file%d", i), n}
			s.meet(corpus.Chunk{ID: at.String()}, at)
		}
	}
	if len(s.files) != 3 {
		t.Errorf("%d names kept for 3 files", len(s.files))
	}
	if v := s.meet(corpus.Chunk{ID: "file1:2"}, Place{"other", 1}); v.first != (Place{"file1", 2}) {
		t.Errorf("first met at %v", v.first)
	}
}

func BenchmarkSeen(b *testing.B) {
	s := newSeen()
	text := strings.Repeat("words of a chunk ", 60)
	for i := 0; b.Loop(); i++ {
		s.meet(corpus.Chunk{ID: fmt.Sprintf("doc-%d", i), Text: text}, Place{"f", i})
	}
}
