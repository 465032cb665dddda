package mine

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"
)

// run is one file's queries in order of first appearance, each as items keep it.
type run struct {
	file     *os.File
	in       *bufio.Reader // nil until the reading begins
	out      *bufio.Writer // nil once it has
	head     []byte
	buf      []byte // of the query at hand, as what follows
	seq      uint64
	asked    int
	standing bool
	group    uint64
}

// The group keys of queries that are in no group yet: new ones, and those that stand alone.
const (
	ungrouped uint64 = iota
	alone
)

// groupKey is what queries of one group have in common since an earlier run; the one that stands for it has it too, with
// the lowest bit set.
func groupKey(q *record) uint64 {
	switch {
	case q.flags&known == 0:
		return ungrouped
	case q.query.Group == "":
		return alone
	}
	return xxhash.Sum64String(q.query.Group)&^1 | 2 | bit(q.query.Group == q.query.ID)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// newRun makes the file that put writes to.
func (m *miner) newRun(name string) (*run, error) {
	f, err := os.OpenFile(m.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("mine: %w", err)
	}
	return &run{file: f, out: bufio.NewWriterSize(f, 256<<10)}, nil
}

// put writes the next query: what is known of it in r, its bytes in buf.
func (r *run) put() error {
	r.head = binary.AppendUvarint(r.head[:0], r.seq)
	r.head = binary.AppendUvarint(r.head, uint64(r.asked)<<1|bit(r.standing))
	r.head = binary.AppendUvarint(r.head, r.group)
	if _, err := r.out.Write(r.head); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	if _, err := writeSized(r.out, r.buf); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return nil
}

// rewind ends the writing and begins the reading.
func (r *run) rewind() error {
	if err := r.out.Flush(); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	r.out = nil
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return nil
}

// writeRun writes one file's queries; nil where there are none.
func (m *miner) writeRun(name string, queries []*record) (*run, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	r, err := m.newRun(name)
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		q.user, q.raw, q.at = 0, nil, micros(q.query.FirstSeen)
		r.seq, r.asked, r.group = q.seq, min(q.query.Count, clipped), groupKey(q)
		r.standing = q.flags&derived == 0 || m.opt.Standing != nil && m.opt.Standing(q.query.ID)
		r.buf = appendItem(r.buf[:0], q)
		if err := r.put(); err != nil {
			r.close()
			return nil, err
		}
	}
	if err := r.rewind(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// next reads the next query's bytes; false at the end.
func (r *run) next() (bool, error) {
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.file, 64<<10)
	}
	seq, err := binary.ReadUvarint(r.in)
	if err == io.EOF {
		return false, nil
	}
	asked, err2 := binary.ReadUvarint(r.in)
	group, err3 := binary.ReadUvarint(r.in)
	size, err4 := binary.ReadUvarint(r.in)
	if err != nil || err2 != nil || err3 != nil || err4 != nil {
		return false, fmt.Errorf("mine: %w", errCutOff)
	}
	if uint64(cap(r.buf)) < size {
		r.buf = make([]byte, size)
	}
	r.buf, r.seq, r.asked, r.standing, r.group = r.buf[:size], seq, int(asked>>1), asked&1 == 1, group
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return false, fmt.Errorf("mine: %w", errCutOff)
	}
	return true, nil
}

// close is for nil too.
func (r *run) close() {
	if r != nil && r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
		r.file = nil
	}
}

// earliest is a heap of runs, the one with the earliest query on top. It is by hand since each query goes through it.
type earliest []*run

// sink puts the run at i, whose query is later than before, where it belongs.
func (h earliest) sink(i int) {
	r := h[i]
	for {
		k := 2*i + 1
		if k >= len(h) {
			break
		}
		if k+1 < len(h) && h[k+1].seq < h[k].seq {
			k++
		}
		if r.seq <= h[k].seq {
			break
		}
		h[i], i = h[k], k
	}
	h[i] = r
}

// merge gives the queries of several runs in order of first appearance. Runs may be nil.
func merge(ctx context.Context, runs []*run, use func(*run) error) error {
	var h earliest
	for _, r := range runs {
		if r == nil {
			continue
		}
		more, err := r.next()
		if err != nil {
			return err
		}
		if more {
			h = append(h, r)
		}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	for n := 0; len(h) > 0; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		r := h[0]
		if err := use(r); err != nil {
			return err
		}
		more, err := r.next()
		if err != nil {
			return err
		}
		if !more {
			r.close()
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		if len(h) > 0 {
			h.sink(0)
		}
	}
	return nil
}

// joinRuns makes one run of several.
func (m *miner) joinRuns(ctx context.Context, name string, runs []*run) (*run, error) {
	out, err := m.newRun(name)
	if err != nil {
		return nil, err
	}
	err = merge(ctx, runs, func(r *run) error {
		out.seq, out.asked, out.standing, out.group, out.buf = r.seq, r.asked, r.standing, r.group, r.buf
		return out.put()
	})
	out.buf = nil // it is another run's
	if err == nil {
		err = out.rewind()
	}
	if err != nil {
		out.close()
		return nil, err
	}
	return out, nil
}

// gatherItems makes items of runs.
func (m *miner) gatherItems(ctx context.Context, runs []*run) (*items, error) {
	out, err := newItems(m.path("queries"), m.report.Frame)
	if err != nil {
		return nil, err
	}
	err = merge(ctx, runs, func(r *run) error { return out.add(r.buf, r.asked, r.standing, r.group) })
	if err == nil {
		err = out.flush()
	}
	if err != nil {
		out.close()
		return nil, err
	}
	return out, nil
}
