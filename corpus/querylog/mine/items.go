package mine

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"assay/corpus/querylog/redact"
)

// items are the queries in order of first appearance, in a file, with where each begins. They are group.Texts.
type items struct {
	file  *os.File
	out   *bufio.Writer
	at    offsets
	asked []uint32 // how often, at most clipped; above that whether it is fixed
	group []int32  // 0: in none yet, 1: alone since an earlier run, else a group's number and 2
	reps  []int32  // who stands for a group; -1 where it is gone

	numbers map[uint64]int32 // of groups, by their keys without the lowest bit, until all are there

	page  []byte // a piece of the file that was read last
	start int64  // where it begins
	next  int    // the one behind the last that was asked for

	single []byte // what apart read last
}

// offsets are where things begin that follow each other in a file, in little more than four bytes for each.
type offsets struct {
	base []int64  // of every sixteenth
	rest []uint32 // from there
	end  int64
}

// add is false where things are too long for it.
func (o *offsets) add(size int) bool {
	if len(o.rest)%16 == 0 {
		o.base = append(o.base, o.end)
	}
	from := o.end - o.base[len(o.base)-1]
	o.rest = append(o.rest, uint32(from))
	o.end += int64(size)
	return from <= math.MaxUint32
}

func (o *offsets) from(i int) int64 {
	if i == len(o.rest) {
		return o.end
	}
	return o.base[i/16] + int64(o.rest[i])
}

// clipped is what a larger count is kept as where only who is asked more matters.
const clipped = 1<<31 - 1

// pageSize is how much of the file is read at once: neighbours are often asked for next.
const pageSize = 64 << 10

func newItems(path string, n int) (*items, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("mine: %w", err)
	}
	return &items{
		file: f, out: bufio.NewWriterSize(f, 256<<10), numbers: map[uint64]int32{},
		at: offsets{base: make([]int64, 0, n/16+1), rest: make([]uint32, 0, n)}, asked: make([]uint32, 0, n), group: make([]int32, 0, n),
	}, nil
}

// appendItem encodes a query as items keep it: the text that it is compared by, where that is another than its own, then
// all of it.
func appendItem(b []byte, r *record) []byte {
	key := ""
	if bare := redact.Bare(r.query.Text); bare != r.query.Text {
		key = bare
	}
	return r.append(appendText(b, key), nil)
}

// add writes the next one.
func (t *items) add(item []byte, asked int, fixed bool, group uint64) error {
	if _, err := t.out.Write(item); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	if !t.at.add(len(item)) {
		return errors.New("mine: queries are too long to be kept together")
	}
	i := int32(len(t.asked))
	t.asked = append(t.asked, uint32(asked)|uint32(bit(fixed))<<31)
	if group <= alone {
		t.group = append(t.group, int32(group))
		return nil
	}
	n, ok := t.numbers[group&^1]
	if !ok {
		n = int32(len(t.reps))
		t.numbers[group&^1] = n
		t.reps = append(t.reps, -1)
	}
	if group&1 == 1 {
		t.reps[n] = i
	}
	t.group = append(t.group, n+2)
	return nil
}

// flush ends the adding.
func (t *items) flush() error {
	t.numbers = nil
	if err := t.out.Flush(); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return nil
}

func (t *items) close() {
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
}

// Len implements group.Texts.
func (t *items) Len() int { return len(t.asked) }

// Count implements group.Texts.
func (t *items) Count(i int) int { return int(t.asked[i] & clipped) }

// Fixed implements group.Texts.
func (t *items) Fixed(i int) bool { return t.asked[i] > clipped }

// At implements group.Texts.
func (t *items) At(i int) (string, error) {
	b, err := t.bytes(i)
	if err != nil {
		return "", err
	}
	d := decoder{s: string(b)}
	if key := d.text(); key != "" {
		return key, nil
	}
	var r record
	if err := r.decode(d.s, nil); err != nil {
		return "", err
	}
	return r.query.Text, nil
}

// Settled implements group.Texts.
func (t *items) Settled(i int) int {
	switch g := t.group[i]; {
	case g == int32(ungrouped):
		return -1
	case g > int32(alone) && t.reps[g-2] >= 0:
		return int(t.reps[g-2])
	}
	return i
}

// grouped gives back what only grouping needs.
func (t *items) grouped() { t.group, t.reps = nil, nil }

// record reads one of them.
func (t *items) record(i int, r *record) error {
	b, err := t.bytes(i)
	if err != nil {
		return err
	}
	return r.item(b)
}

// item reads what appendItem wrote.
func (r *record) item(b []byte) error {
	d := decoder{s: string(b)}
	d.text()
	if err := r.decode(d.s, nil); d.bad || err != nil {
		return fmt.Errorf("mine: %w", errCutOff)
	}
	return nil
}

// apart reads one that is far from those before, and leaves these at hand.
func (t *items) apart(i int, r *record) error {
	from, to := t.at.from(i), t.at.from(i+1)
	if from >= t.start && to <= t.start+int64(len(t.page)) {
		return t.record(i, r)
	}
	if t.single = slices.Grow(t.single[:0], int(to-from))[:to-from]; len(t.single) == 0 {
		return fmt.Errorf("mine: %w", errCutOff)
	}
	if _, err := t.file.ReadAt(t.single, from); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return r.item(t.single)
}

// bytes is what the file has of one; valid until the next call. Who asks for one after the other gets a page at a time, who
// jumps about only what was asked for.
func (t *items) bytes(i int) ([]byte, error) {
	from, to := t.at.from(i), t.at.from(i+1)
	inOrder := i == t.next
	t.next = i + 1
	if from >= t.start && to <= t.start+int64(len(t.page)) {
		return t.page[from-t.start : to-t.start], nil
	}
	size := to - from
	if inOrder {
		size = max(size, min(pageSize, t.at.end-from))
	}
	t.page, t.start = slices.Grow(t.page[:0], int(size))[:size], from
	if _, err := t.file.ReadAt(t.page, from); err != nil {
		t.page = t.page[:0]
		return nil, fmt.Errorf("mine: %w", err)
	}
	return t.page[:to-from], nil
}
