package mine

import (
	"bufio"
	"fmt"
	"os"
	"slices"

	"assay/corpus/querylog/redact"
)

// items are the queries in order of first appearance, in a file, with where each begins. They are group.Texts.
type items struct {
	file  *os.File
	out   *bufio.Writer
	at    []int64 // where each begins, and where the last one ends
	asked []int32 // how often, as far as that matters for who stands for whom
	fixed []bool
	group []uint64         // see groupKey
	reps  map[uint64]int32 // of group keys without their lowest bit, those that stand for them

	page  []byte // a piece of the file that was read last
	start int64  // where it begins
	next  int    // the one behind the last that was asked for

	single []byte // what apart read last
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
	return &items{file: f, out: bufio.NewWriterSize(f, 256<<10), reps: map[uint64]int32{},
		at: append(make([]int64, 0, n+1), 0), asked: make([]int32, 0, n), fixed: make([]bool, 0, n), group: make([]uint64, 0, n)}, nil
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
	t.at = append(t.at, t.at[len(t.at)-1]+int64(len(item)))
	t.asked = append(t.asked, int32(asked))
	if t.fixed = append(t.fixed, fixed); group > alone && group&1 == 1 {
		t.reps[group&^1] = int32(len(t.group))
	}
	t.group = append(t.group, group)
	return nil
}

func (t *items) flush() error {
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
func (t *items) Count(i int) int { return int(t.asked[i]) }

// Fixed implements group.Texts.
func (t *items) Fixed(i int) bool { return t.fixed[i] }

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
	case g == ungrouped:
		return -1
	case g > alone:
		if rep, ok := t.reps[g&^1]; ok {
			return int(rep)
		}
	}
	return i
}

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
	from, to := t.at[i], t.at[i+1]
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
	from, to := t.at[i], t.at[i+1]
	inOrder := i == t.next
	t.next = i + 1
	if from >= t.start && to <= t.start+int64(len(t.page)) {
		return t.page[from-t.start : to-t.start], nil
	}
	size := to - from
	if inOrder {
		size = max(size, min(pageSize, t.at[len(t.at)-1]-from))
	}
	t.page, t.start = slices.Grow(t.page[:0], int(size))[:size], from
	if _, err := t.file.ReadAt(t.page, from); err != nil {
		t.page = t.page[:0]
		return nil, fmt.Errorf("mine: %w", err)
	}
	return t.page[:to-from], nil
}
