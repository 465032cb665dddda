package texts

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
)

func someChunks() []corpus.Chunk {
	return []corpus.Chunk{
		{},
		{ID: "c1", Text: "text"},
		{ID: "a/b#1", DocID: "a/b", DocHash: corpus.HashText("x"), Span: &corpus.Span{Start: 3, End: 9}, Ordinal: 1, Title: "A > B", Text: "text\n", Meta: json.RawMessage(`{"a": 1e6}`)},
		{ID: "\x00\xff", DocID: "\t", DocHash: "no hash", Text: "\xff\xfe\x00", Meta: json.RawMessage{}},
		{ID: "upper", DocHash: corpus.Hash(strings.ToUpper(string(corpus.HashText("x"))))},
		{ID: "odd", Span: &corpus.Span{Start: -1, End: math.MaxInt}, Ordinal: math.MinInt},
		{ID: strings.Repeat("i", corpus.MaxIDLen), Text: strings.Repeat("long ", 1<<16)},
	}
}

func TestChunksComeBack(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range someChunks() {
		record := AppendChunk([]byte("before"), c)[len("before"):]
		back, err := DecodeChunk(record)
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%+v came back as %+v (%v)", c, back, err)
		}
		if seen[string(record)] {
			t.Errorf("two chunks have the same record: %+v", c)
		}
		seen[string(record)] = true
	}
	with, without := AppendChunk(nil, corpus.Chunk{Meta: json.RawMessage{}}), AppendChunk(nil, corpus.Chunk{})
	if bytes.Equal(with, without) {
		t.Error("empty metadata is the same as none")
	}
}

func FuzzDecodeChunk(f *testing.F) {
	for _, c := range someChunks() {
		f.Add(AppendChunk(nil, c))
	}
	f.Add([]byte{1, 7, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, record []byte) {
		c, err := DecodeChunk(record)
		if err != nil {
			return
		}
		again, err := DecodeChunk(AppendChunk(nil, c))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v came back as %+v (%v)", c, again, err)
		}
	})
}
