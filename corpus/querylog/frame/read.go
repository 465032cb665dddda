package frame

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

// ErrNone says that there is no frame.
var ErrNone = errors.New("no log was imported yet")

// Error is a frame that can't be read.
type Error struct {
	Path string
	Line int // 0 where it has none
	Err  error
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("read %s:%d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("read %s: %v", e.Path, e.Err)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *Error) Hint() string {
	if errors.Is(e.Err, errNewer) {
		return "update assay"
	}
	return "remove the file and import the logs again: no label is in it"
}

var (
	errNewer   = errors.New("a newer assay wrote this frame")
	errDamaged = errors.New("the frame is damaged or cut off")
)

// maxLine is the longest line that is read: a query of the longest allowed kind, escaped.
const maxLine = 512 << 20

// Frame reads a frame. It holds no file open between walks.
type Frame struct {
	path   string
	header Header
}

// Open reads a frame's header. ErrNone says that there is no such file.
func Open(path string) (*Frame, error) {
	f := &Frame{path: path}
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	defer in.close()
	return f, nil
}

// Header is what the frame says of itself.
func (f *Frame) Header() Header { return f.header }

// Entries walks through all entries, from the first one at each call. An error is the last thing that it yields.
func (f *Frame) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in, err := f.open()
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer in.close()
		for n := 0; ; n++ {
			e, err := in.next()
			if err == io.EOF && n == f.header.Queries {
				return
			}
			if err == io.EOF {
				err = &Error{f.path, in.line, fmt.Errorf("%w: %d of %d queries are there", errDamaged, n, f.header.Queries)}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Groups walks through those entries that stand for themselves or a group.
func (f *Frame) Groups() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range f.Entries() {
			if (err != nil || e.Stands()) && !yield(e, err) {
				return
			}
		}
	}
}

// stream is an open frame behind its header.
type stream struct {
	path string
	file *os.File
	z    *zstd.Decoder
	in   *bufio.Reader
	long []byte
	line int

	sources int
}

// open opens the file and reads the header, which must be the one known, if one is: between walks the file may have
// been replaced.
func (f *Frame) open() (*stream, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, ErrNone
	}
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, &Error{f.path, 0, err}
	}
	z, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		file.Close()
		return nil, &Error{f.path, 0, err}
	}
	s := &stream{path: f.path, file: file, z: z, in: bufio.NewReaderSize(z, 256<<10)}
	var h Header
	err = s.read(&h)
	switch {
	case err == io.EOF, err == nil && h.Assay != "frame":
		err = &Error{f.path, 0, errDamaged}
	case err == nil && h.Version > version:
		err = &Error{f.path, 0, errNewer}
	case err == nil && f.header.Assay != "" && (h.Queries != f.header.Queries || h.Asked != f.header.Asked || len(h.Sources) != len(f.header.Sources)):
		err = &Error{f.path, 0, errors.New("another import replaced the frame meanwhile")}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	f.header, s.sources = h, len(h.Sources)
	return s, nil
}

func (s *stream) close() {
	s.z.Close()
	s.file.Close()
}

// next is the next entry, or io.EOF.
func (s *stream) next() (Entry, error) {
	var e Entry
	if err := s.read(&e); err != nil {
		return Entry{}, err
	}
	sound := e.ID != "" && e.Text != "" && e.Count > 0 && len(e.Asked) > 0
	for _, a := range e.Asked {
		sound = sound && a.Source >= 0 && a.Source < s.sources && a.Count > 0
	}
	if !sound {
		return Entry{}, &Error{s.path, s.line, errDamaged}
	}
	return e, nil
}

func (s *stream) read(v any) error {
	s.line++
	s.long = s.long[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		if err == nil && len(s.long) == 0 {
			return s.decode(part, v)
		}
		s.long = append(s.long, part...)
		switch {
		case err == nil:
			return s.decode(s.long, v)
		case err == io.EOF && len(s.long) == 0:
			return io.EOF
		case err != bufio.ErrBufferFull, len(s.long) > maxLine:
			return &Error{s.path, s.line, errDamaged}
		}
	}
}

func (s *stream) decode(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return &Error{s.path, s.line, errDamaged}
	}
	return nil
}
