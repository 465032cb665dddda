package terminal

import (
	"io"
	"os"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

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
	r := Source(&script{parts: []string{"ab", "\x1b"}, err: os.ErrClosed}, func() time.Time { return at }, func(m tea.Msg) { got = append(got, m) }, nil)
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
	if _, ok := got[2].(Hangup); !ok {
		t.Error("the end is not told")
	}
}

func TestAPanicWhileReadingIsACrash(t *testing.T) {
	var got []tea.Msg
	r := Source(&script{panic: true}, time.Now, func(m tea.Msg) { got = append(got, m) }, func(v any) tea.Msg { return v })
	if _, err := r.Read(nil); err != io.EOF {
		t.Error(err)
	}
	if len(got) != 1 || got[0] != "reading" {
		t.Error(got)
	}
}
