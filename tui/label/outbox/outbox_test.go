package outbox

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/port"
)

var errDisk = errors.New("disk full")

func never(error) bool { return false }

// desk writes down what reaches it.
type desk struct {
	done []string
	err  error
}

func (d *desk) write(kind Kind, words string) Write {
	return Write{Kind: kind, Words: words, Do: func(context.Context) (port.Saved, error) {
		if d.err != nil {
			return port.Saved{}, d.err
		}
		d.done = append(d.done, words)
		return port.Saved{Words: words, Changed: true}, nil
	}}
}

// noTick fires at once, so that each Cmd brings both messages.
func noTick(_ time.Duration, msg func(time.Time) tea.Msg) tea.Cmd {
	return func() tea.Msg { return msg(time.Time{}) }
}

// run starts what can be started and hands back the answer.
func run(t *testing.T, b *Box) (SavedMsg, bool) {
	t.Helper()
	cmd := b.Next(noTick)
	if cmd == nil {
		return SavedMsg{}, false
	}
	for _, c := range cmd().(tea.BatchMsg) {
		if m, ok := c().(SavedMsg); ok {
			return m, true
		}
	}
	t.Fatal("no answer")
	return SavedMsg{}, false
}

func TestWritesGoOneAtATimeInOrder(t *testing.T) {
	var b Box
	d := &desk{}
	for _, w := range []string{"a", "b", "c"} {
		b.Add(d.write(Grade, w))
	}
	first, _ := run(t, &b)
	if _, more := run(t, &b); more {
		t.Error("a second write started before the first was answered")
	}
	if w, done := b.Got(first, never); !done || w.Words != "a" || b.Len() != 2 || b.Landed() != 1 {
		t.Errorf("%+v done %v, %d left, %d landed", w, done, b.Len(), b.Landed())
	}
	if _, done := b.Got(first, never); done {
		t.Error("the same answer counts twice")
	}
	for b.Len() > 0 {
		m, _ := run(t, &b)
		b.Got(m, never)
	}
	if len(d.done) != 3 || d.done[0] != "a" || d.done[2] != "c" {
		t.Errorf("done %v", d.done)
	}
	if b.Next(noTick) != nil {
		t.Error("an empty box starts something")
	}
}

// B012: a failed write stops the rest, is kept, and goes first when it is tried again.
func TestFailureStopsTheQueue(t *testing.T) {
	var b Box
	d := &desk{err: errDisk}
	b.Add(d.write(Grade, "a"))
	b.Add(d.write(Grade, "b"))
	m, _ := run(t, &b)
	if w, done := b.Got(m, never); done || w.Words != "a" || b.Failed() != "disk full" || b.Len() != 2 {
		t.Errorf("done %v, failed %q, %d left", done, b.Failed(), b.Len())
	}
	if _, more := run(t, &b); more {
		t.Error("the queue goes on past a failure")
	}
	d.err = nil
	b.Retry()
	for b.Len() > 0 {
		m, ok := run(t, &b)
		if !ok {
			t.Fatal("stuck")
		}
		b.Got(m, never)
	}
	if len(d.done) != 2 || d.done[0] != "a" {
		t.Errorf("done %v", d.done)
	}
}

func TestNewWriteTriesTheFailedOneAgain(t *testing.T) {
	var b Box
	d := &desk{err: errDisk}
	b.Add(d.write(Grade, "a"))
	m, _ := run(t, &b)
	b.Got(m, never)
	d.err = nil
	b.Add(d.write(Grade, "b"))
	if m, ok := run(t, &b); !ok || m.Saved.Words != "a" {
		t.Errorf("ran %+v", m)
	}
}

// An error that needs no second try leaves the box, and is no landing.
func TestErrorsThatNeedNoRetry(t *testing.T) {
	var b Box
	d := &desk{err: port.ErrNothing}
	b.Add(d.write(Undo, "undo"))
	m, _ := run(t, &b)
	if _, done := b.Got(m, func(err error) bool { return errors.Is(err, port.ErrNothing) }); !done || b.Len() != 0 || b.Landed() != 0 {
		t.Errorf("done %v, %d left, %d landed", done, b.Len(), b.Landed())
	}
}

func TestSlow(t *testing.T) {
	var b Box
	d := &desk{}
	b.Add(d.write(Grade, "a"))
	b.GotSlow(SlowMsg{1})
	if b.Slow() {
		t.Error("slow before it began")
	}
	m, _ := run(t, &b)
	b.GotSlow(SlowMsg{7})
	if b.Slow() {
		t.Error("slow by another one's message")
	}
	b.GotSlow(SlowMsg{1})
	if !b.Slow() {
		t.Error("not slow")
	}
	b.Got(m, never)
	if b.GotSlow(SlowMsg{1}); b.Slow() {
		t.Error("slow when it is done")
	}
}

func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name   string
		kinds  []Kind
		busy   bool // the head is under way
		failed bool // the head failed
		want   int  // index of what is dropped, -1 for nothing
	}{
		{"nothing", nil, false, false, -1},
		{"what is under way", []Kind{Grade}, true, false, -1},
		{"the newest waiting", []Kind{Grade, Grade, Clear}, true, false, 2},
		{"past what says nothing", []Kind{Grade, Grade, Search, Draft}, true, false, 1},
		{"the head that failed", []Kind{Grade}, false, true, 0},
		{"a search that failed, where it is all there is", []Kind{Search}, false, true, 0},
		{"what was said after a search that failed", []Kind{Search, Grade, Draft}, false, true, 1},
		{"an undo is followed by an undo", []Kind{Grade, Undo}, true, false, -1},
		{"an undo behind a failure is dropped", []Kind{Grade, Undo}, false, true, 1},
	} {
		var b Box
		d := &desk{}
		if c.failed {
			d.err = errDisk
		}
		for _, k := range c.kinds {
			b.Add(d.write(k, "x"))
		}
		if c.busy || c.failed {
			m, _ := run(t, &b)
			if c.failed {
				b.Got(m, never)
			}
		}
		w, ok := b.Drop()
		got := -1
		if ok {
			got = w.ID - 1
		}
		if got != c.want {
			t.Errorf("%s: dropped %d, want %d", c.name, got, c.want)
		}
		if ok && c.failed && got == 0 && b.Failed() != "" {
			t.Errorf("%s: still failed", c.name)
		}
	}
}

func TestNewestIsWhatCounts(t *testing.T) {
	var b Box
	for g := range corpus.Grade(3) {
		b.Add(Write{Kind: Grade, QueryID: "q", ChunkID: "c", Grade: g})
	}
	b.Add(Write{Kind: Clear, QueryID: "q", ChunkID: "d"})
	b.Add(Write{Kind: State, QueryID: "q", State: corpus.Later})
	b.Add(Write{Kind: State, QueryID: "q", State: corpus.Done})
	b.Add(Write{Kind: Search, QueryID: "q"})
	if w, ok := b.GradeOf("q", "c"); !ok || w.Grade != 2 {
		t.Errorf("grade %+v", w)
	}
	if w, ok := b.GradeOf("q", "d"); !ok || w.Kind != Clear {
		t.Errorf("clearing %+v", w)
	}
	if _, ok := b.GradeOf("p", "c"); ok {
		t.Error("another query's")
	}
	if s, ok := b.StateOf("q"); !ok || s != corpus.Done {
		t.Errorf("state %q", s)
	}
	if n := b.Changes(); n != 6 {
		t.Errorf("%d changes", n)
	}
}
