package group

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strings"

	"assay/corpus/text"
)

// bandFiles hold for each band what each text has there, in order of the texts. They have no name any more, or one in
// the scratch folder that close removes.
type bandFiles struct {
	files []*os.File
	out   []*bufio.Writer
}

func newBandFiles(scratch string) (*bandFiles, error) {
	b := &bandFiles{}
	for range bands + 1 {
		f, err := os.CreateTemp(scratch, "band-*")
		if err != nil {
			b.close()
			return nil, fmt.Errorf("group: %w", err)
		}
		b.files, b.out = append(b.files, f), append(b.out, bufio.NewWriterSize(f, 64<<10))
	}
	return b, nil
}

func (b *bandFiles) close() {
	for _, f := range b.files {
		f.Close()
		os.Remove(f.Name())
	}
	b.files = nil
}

// sign reads all texts once, and notes what they have in each band. The last band holds the sets of words.
func (g *grouping) sign() (*bandFiles, error) {
	files, err := newBandFiles(g.opt.Scratch)
	if err != nil {
		return nil, err
	}
	signature := make([]uint32, bands*rows)
	var shingles []uint64
	var four [4]byte
	g.read = map[int32]question{}
	for i := range g.texts.Len() {
		if i%checkAll == 0 {
			if err := g.ctx.Err(); err != nil {
				files.close()
				return nil, err
			}
			g.opt.Progress(i, g.total)
		}
		s, err := g.texts.At(i)
		if err != nil {
			files.close()
			return nil, err
		}
		q := read(s)
		g.guard[i] = q.guard()
		subject := q.subject()
		shingles = text.Shingles(shingles[:0], subject, shingle)
		text.MinHash(signature, shingles)
		for band := range bands + 1 {
			key := hashOf(subject)
			if band < bands {
				key = signature[band*rows]*0x9e3779b1 ^ signature[band*rows+1]
			}
			binary.LittleEndian.PutUint32(four[:], key^g.guard[i])
			if _, err := files.out[band].Write(four[:]); err != nil {
				files.close()
				return nil, fmt.Errorf("group: %w", err)
			}
		}
	}
	var errs []error
	for _, out := range files.out {
		errs = append(errs, out.Flush())
	}
	if err := errors.Join(errs...); err != nil {
		files.close()
		return nil, fmt.Errorf("group: %w", err)
	}
	return files, nil
}

// guard is the hash of what must be equal of near-duplicates.
func (q *question) guard() uint32 {
	h := fnv.New32a()
	for _, w := range q.exact {
		io.WriteString(h, w)
		h.Write([]byte{0})
	}
	io.WriteString(h, q.asks)
	if q.negated {
		h.Write([]byte{1})
	}
	return h.Sum32()
}

// subject is what a text is found by: its stems, whatever their order, or its letters where it has no spaces.
func (q *question) subject() string {
	switch {
	case q.dense != "":
		return q.dense
	case len(q.stems) == 0:
		return q.bare
	}
	stems := slices.Clone(q.stems)
	slices.Sort(stems)
	return strings.Join(slices.Compact(stems), " ")
}

func hashOf(s string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, s)
	return h.Sum32()
}

// band brings together the texts that have the same in one band.
func (g *grouping) band(files *bandFiles, band int) error {
	band = (band + bands) % (bands + 1) // the sets of words first: what they find is the surest
	f := files.files[band]
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("group: %w", err)
	}
	in := bufio.NewReaderSize(f, 256<<10)
	keys := make([]uint64, g.texts.Len()) // what it has there above, its position below
	var four [4]byte
	for i := range keys {
		if _, err := io.ReadFull(in, four[:]); err != nil {
			return fmt.Errorf("group: %w", err)
		}
		keys[i] = uint64(binary.LittleEndian.Uint32(four[:]))<<32 | uint64(uint32(i))
	}
	slices.Sort(keys)
	var all []int32
	for from, n := 0, 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to]>>32 == keys[from]>>32 {
			to++
		}
		if to-from > 1 {
			if n += to - from; n > checkAll {
				n = 0
				if err := g.ctx.Err(); err != nil {
					return err
				}
			}
			all = all[:0]
			for _, k := range keys[from:to] {
				all = append(all, int32(uint32(k)))
			}
			if err := g.bucket(all); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}
