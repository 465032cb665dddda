package texts

import (
	"encoding/binary"
	"encoding/hex"
	"errors"

	"assay/corpus"
)

const (
	recordVersion = 1
	hasSpan       = 1 << 0
	hasMeta       = 1 << 1
	hasRawHash    = 1 << 2
)

// AppendChunk appends the chunk as a record. The same chunk gives the same bytes: that is how a build knows that
// nothing changed.
func AppendChunk(dst []byte, c corpus.Chunk) []byte {
	var flags byte
	raw, err := hex.DecodeString(string(c.DocHash))
	if err == nil && len(raw) == 32 && hex.EncodeToString(raw) == string(c.DocHash) {
		flags |= hasRawHash
	} else {
		raw = []byte(c.DocHash)
	}
	if c.Span != nil {
		flags |= hasSpan
	}
	if c.Meta != nil {
		flags |= hasMeta
	}
	dst = append(dst, recordVersion, flags)
	dst = binary.AppendVarint(dst, int64(c.Ordinal))
	if c.Span != nil {
		dst = binary.AppendVarint(dst, int64(c.Span.Start))
		dst = binary.AppendVarint(dst, int64(c.Span.End))
	}
	for _, s := range []string{c.ID, c.DocID, string(raw), c.Title, string(c.Meta), c.Text} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	return dst
}

var errRecord = errors.New("the record is damaged")

// DecodeChunk reads what AppendChunk wrote.
func DecodeChunk(record []byte) (corpus.Chunk, error) {
	if len(record) < 2 || record[0] != recordVersion {
		return corpus.Chunk{}, errRecord
	}
	flags, b := record[1], record[2:]
	number := func() int {
		n, size := binary.Varint(b)
		if size <= 0 {
			b = nil
			return 0
		}
		b = b[size:]
		return int(n)
	}
	bad := false
	text := func() string {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			bad, b = true, nil
			return ""
		}
		s := string(b[size : size+int(n)])
		b = b[size+int(n):]
		return s
	}
	c := corpus.Chunk{Ordinal: number()}
	if flags&hasSpan != 0 {
		c.Span = &corpus.Span{Start: number(), End: number()}
	}
	c.ID, c.DocID = text(), text()
	hash := text()
	if flags&hasRawHash != 0 {
		hash = hex.EncodeToString([]byte(hash))
	}
	c.DocHash = corpus.Hash(hash)
	c.Title = text()
	if meta := text(); flags&hasMeta != 0 {
		c.Meta = []byte(meta)
	}
	c.Text = text()
	if bad || len(b) > 0 {
		return corpus.Chunk{}, errRecord
	}
	return c, nil
}
