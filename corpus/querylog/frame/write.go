package frame

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

// Writer writes a frame beside the one that is there. Commit puts it in its place, Abort leaves all as it was; one of
// them must be called.
type Writer struct {
	path string
	file *os.File
	z    *zstd.Encoder
	buf  *bufio.Writer
	line []byte
	want Header
	has  Header // of what was added
	err  error
}

// unfinished is the pattern of the names of frames that are being written for path.
func unfinished(path string) string { return "." + filepath.Base(path) + ".*" }

// sweep removes frames that were never finished because the process was killed. They hold what a finished one does, so
// that they must not stay. One that is being written by another process can't be finished then, and that one says so:
// a workspace has one writer at a time.
func sweep(path string) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ok, err := filepath.Match(unfinished(filepath.Base(path)), e.Name()); ok && err == nil && e.Type().IsRegular() {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Create begins a frame that is to be at path, and removes what others that were killed left of theirs. The header's
// totals must be those of the entries to come; what it calls itself and its version are filled in.
func Create(path string, h Header) (*Writer, error) {
	sweep(path)
	f, err := os.CreateTemp(filepath.Dir(path), unfinished(path))
	if err != nil {
		return nil, fmt.Errorf("write frame: %w", err)
	}
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	w := &Writer{path: path, file: f, z: z, buf: bufio.NewWriterSize(z, 256<<10), want: h}
	h.Assay, h.Version = "frame", version
	if h.Sources == nil {
		h.Sources = []Source{}
	}
	line, err := json.Marshal(h)
	w.note(err)
	_, err = w.buf.Write(append(line, '\n'))
	w.note(err)
	return w, w.err
}

func (w *Writer) note(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write frame: %w", err)
	}
}

// Add writes the next entry.
func (w *Writer) Add(e Entry) error {
	if w.err == nil {
		w.has.Queries++
		w.has.Asked = plus(w.has.Asked, e.Count)
		if e.Total > 0 {
			w.has.Groups++
		}
		var err error
		if w.line, err = appendJSON(w.line[:0], e); err == nil {
			_, err = w.buf.Write(w.line)
		}
		if err == nil && len(w.line) > maxLine {
			err = fmt.Errorf("a query of %d bytes is too long to be read back", len(w.line))
		}
		w.note(err)
	}
	return w.err
}

// plus adds counts, which logs may claim to be anything.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// Commit makes the frame durable and puts it in place of the old one. A frame that is not what its header says is a
// fault of the caller's: it is refused.
func (w *Writer) Commit() (err error) {
	if w.has.Queries != w.want.Queries || w.has.Asked != w.want.Asked || w.has.Groups != w.want.Groups {
		w.note(fmt.Errorf("%d queries in %d groups, asked %d times, where its header says %d, %d and %d", w.has.Queries, w.has.Groups,
			w.has.Asked, w.want.Queries, w.want.Groups, w.want.Asked))
	}
	if w.err == nil {
		w.note(w.buf.Flush())
	}
	if w.err == nil {
		w.note(w.z.Close())
	}
	if w.err == nil {
		w.note(w.file.Sync())
	}
	if w.err == nil {
		w.note(w.file.Close())
	}
	if w.err == nil {
		w.note(os.Rename(w.file.Name(), w.path))
	}
	if w.err != nil {
		w.Abort()
		return w.err
	}
	return syncFolder(filepath.Dir(w.path))
}

// Abort removes what was written so far.
func (w *Writer) Abort() {
	w.note(errors.New("given up"))
	w.z.Close()
	w.file.Close()
	os.Remove(w.file.Name())
}

// syncFolder makes a rename durable. Windows knows no such thing.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
