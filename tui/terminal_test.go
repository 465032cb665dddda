package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/fake"
	"assay/tui/input"
)

// script is a reader that brings one string a read, then an error.
type script struct {
	parts []string
	err   error
	panic bool
}

func (s *script) Read(p []byte) (int, error) {
	if s.panic {
		panic("reading")
	}
	if len(s.parts) == 0 {
		return 0, s.err
	}
	n := copy(p, s.parts[0])
	s.parts = s.parts[1:]
	return n, nil
}

func TestTheReaderHandsOverWhatItReads(t *testing.T) {
	var got []tea.Msg
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	r := source(&script{parts: []string{"ab", "\x1b"}, err: os.ErrClosed}, func() time.Time { return at }, func(m tea.Msg) { got = append(got, m) })
	buf := make([]byte, 1)
	for range 2 {
		if n, err := r.Read(buf); n != 0 || err != nil {
			t.Errorf("Bubble Tea gets %d bytes, %v", n, err)
		}
	}
	if n, err := r.Read(buf); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
	if len(got) != 3 || string(got[0].(input.Raw).Bytes) != "ab" || string(got[1].(input.Raw).Bytes) != "\x1b" || got[0].(input.Raw).At != at {
		t.Error(got)
	}
	if _, ok := got[2].(hangupMsg); !ok {
		t.Error("the end is not told")
	}
}

func TestAPanicWhileReadingIsACrash(t *testing.T) {
	var got []tea.Msg
	r := source(&script{panic: true}, time.Now, func(m tea.Msg) { got = append(got, m) })
	if _, err := r.Read(nil); err != io.EOF {
		t.Error(err)
	}
	if _, ok := got[0].(crashMsg); !ok {
		t.Error(got)
	}
}

// B061 (public reports: runmedev/runme#547, charmbracelet/bubbletea#761).
func TestB061NoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	k := fake.Sample(fake.Plain, nil)
	for name, o := range map[string]Options{"in": {In: f, Out: noFile{}}, "out": {In: noFile{}, Out: f}, "both": {In: f, Out: f}} {
		o.Desk, o.Finder = k.Desk, k.Finder
		if err := Run(context.Background(), o); !errors.Is(err, ErrNoTerminal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, _ := f.Stat(); info.Size() != 0 {
		t.Error("something was written all the same")
	}
	if err := Run(context.Background(), Options{In: noFile{}, Out: noFile{}}); err == nil {
		t.Error("no desk, no error")
	}
}

func TestOptionsAreCompleted(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	o, err := Options{Desk: k.Desk, Finder: k.Finder, In: noFile{}, Out: noFile{}, Theme: "auto"}.complete()
	if err != nil || o.Theme != "dark" || o.Now == nil || o.Tick == nil || o.Start != Label {
		t.Error(o, err)
	}
	o, _ = Options{Desk: k.Desk, Finder: k.Finder, In: noFile{}, Out: noFile{}, Theme: "light", NoColor: true}.complete()
	if o.Theme != "none" {
		t.Error("NO_COLOR is not honoured:", o.Theme)
	}
}

func TestRunOverSomethingThatIsNoFileEndsWithItsInput(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	err := Run(context.Background(), Options{Desk: k.Desk, Finder: k.Finder, In: &script{err: io.EOF}, Out: noFile{}})
	if !errors.Is(err, ErrHangup) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	block, _ := io.Pipe()
	err = Run(ctx, Options{Desk: k.Desk, Finder: k.Finder, In: block, Out: noFile{}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
