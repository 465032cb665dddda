package terminal

import (
	"bytes"
	"io"
	"runtime"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"assay/tui/input"
)

// Hangup says that the terminal can't be read any more.
type Hangup struct{}

// ttyFile is what Bubble Tea needs to set raw mode (Fd) and to cancel a read (all of them).
type ttyFile interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

// readBytes is how much one read of the terminal may bring. Kernels give 4 KiB at a time.
const readBytes = 16 << 10

// reader stands between the terminal and Bubble Tea: it hands what it reads to the root model, undecoded, and tells
// Bubble Tea that it read nothing. Bubble Tea so keeps what it does well (raw mode, waiting, cancelling, suspending)
// and never gets to decode.
type reader struct {
	from   io.Reader
	now    func() time.Time
	send   func(tea.Msg)
	failed func(any) tea.Msg
	buf    [readBytes]byte
}

// Read implements io.Reader. It returns 0 bytes without an error after each read that went well.
func (r *reader) Read([]byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.send(r.failed(p))
			err = io.EOF
		}
	}()
	n, err = r.from.Read(r.buf[:])
	if n > 0 {
		r.send(input.Raw{Bytes: bytes.Clone(r.buf[:n]), At: r.now()})
	}
	if err != nil {
		// At the end of input, or when the terminal was closed (EIO), there is nobody left to ask.
		r.send(Hangup{})
		return 0, io.EOF
	}
	return 0, nil
}

// readerFile is a reader of a file, with what Bubble Tea looks for in one.
type readerFile struct {
	ttyFile
	reader *reader
}

// Read implements io.Reader.
func (f readerFile) Read(p []byte) (int, error) { return f.reader.Read(p) }

// Source is what Bubble Tea reads from: in, wrapped. What it reads goes to send as input.Raw, its end as Hangup, and a
// panic while reading as what failed makes of it. On Windows the console is read by other means and Bubble Tea decodes.
func Source(in io.Reader, now func() time.Time, send func(tea.Msg), failed func(any) tea.Msg) io.Reader {
	if runtime.GOOS == "windows" {
		return in
	}
	r := &reader{from: in, now: now, send: send, failed: failed}
	if f, ok := in.(ttyFile); ok {
		return readerFile{f, r}
	}
	return r
}

// Is reports whether a file is a terminal. What is no file at all (an SSH session's channel) is taken for one:
// whoever handed it over knows.
func Is(v any) bool {
	f, ok := v.(interface{ Fd() uintptr })
	return !ok || term.IsTerminal(f.Fd())
}
