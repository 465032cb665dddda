package mine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"

	"assay/corpus"
	"assay/corpus/querylog/frame"
)

// digest hashes a log as it is read, and remembers the hash at the lengths of earlier logs: a log whose first bytes are
// all of an earlier one continues it.
type digest struct {
	hash  hash.Hash
	bytes int64
	marks []mark // by length, those still ahead
	found []mark // those passed
}

type mark struct {
	length int64
	sum    corpus.Hash
}

func newDigest(earlier []frame.Source) *digest {
	d := &digest{hash: sha256.New()}
	for _, s := range earlier {
		d.marks = append(d.marks, mark{length: s.Bytes})
	}
	slices.SortFunc(d.marks, func(a, b mark) int { return cmp.Compare(a.length, b.length) })
	return d
}

// Write implements io.Writer. It never fails.
func (d *digest) Write(p []byte) (int, error) {
	n := len(p)
	for len(d.marks) > 0 && d.marks[0].length <= d.bytes+int64(len(p)) {
		k := d.marks[0].length - d.bytes
		d.hash.Write(p[:k])
		d.bytes, p = d.bytes+k, p[k:]
		d.found = append(d.found, mark{d.bytes, d.sum()})
		d.marks = d.marks[1:]
	}
	d.hash.Write(p)
	d.bytes += int64(len(p))
	return n, nil
}

func (d *digest) sum() corpus.Hash { return corpus.Hash(hex.EncodeToString(d.hash.Sum(nil))) }

// continues reports whether what was read begins with all of an earlier log, or is it.
func (d *digest) continues(s frame.Source) bool {
	return s.Bytes > 0 && slices.Contains(d.found, mark{s.Bytes, s.SHA256})
}
