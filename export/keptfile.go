package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"assay/corpus/rows"
)

// ErrRunLocked says that another process is writing the run.
var ErrRunLocked = errors.New("another process is writing it")

// ErrOtherRetriever says that a file keeps the answers of another retriever. The error that wraps it says which.
var ErrOtherRetriever = errors.New("it holds the answers of another retriever")

// syncEvery is how much of a kept run a crash of the machine may take: what came back in the last second.
const syncEvery = time.Second

// KeptRun is a run that is written as it comes in. It is for one goroutine.
type KeptRun struct {
	Header  RunHeader // the file's own: where it was there before, its name and start are the old ones
	Cut     int       // bytes of a last line that was torn, and cut off
	Rejects []*Reject // lines that can't be understood; they stay, and count for nothing

	path   string
	file   *os.File
	end    int64 // of the last whole line
	now    func() time.Time
	synced time.Time
	dirty  bool
}

// OpenKeptRun opens a kept run for appending, or begins it, its folder included. known is what it holds, by query id,
// the last line about each query. A run of another retriever, of another depth or over another corpus is refused, and
// so is any file that is no kept run. The file belongs to this process until Close: ErrRunLocked where it belongs to
// another. now is nil for time.Now.
func OpenKeptRun(path string, header RunHeader, now func() time.Time) (k *KeptRun, known map[string]RunAnswer, err error) {
	if now == nil {
		now = time.Now
	}
	k = &KeptRun{Header: header, path: path, now: now, synced: now()}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, nil, fmt.Errorf("keep the run: make %s: %w", filepath.Dir(path), bare(err))
	}
	_, missing := os.Lstat(path)
	if k.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, nil, k.fault(err)
	}
	known, err = k.begin()
	if err == nil && missing != nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		k.file.Close()
		return nil, nil, k.fault(err)
	}
	return k, known, nil
}

func (k *KeptRun) fault(err error) error {
	return fmt.Errorf("keep the run in %s: %w", k.path, bare(err))
}

// begin takes the lock, then reads what is there or writes the header.
func (k *KeptRun) begin() (map[string]RunAnswer, error) {
	info, err := k.file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	if err := lockRun(k.file); err != nil {
		return nil, err
	}
	if info, err = k.file.Stat(); err != nil { // another may have written it until now
		return nil, err
	}
	if there, err := os.Stat(k.path); err != nil || !os.SameFile(info, there) {
		return nil, ErrRunLocked // it was moved aside before the lock was taken
	}
	k.end = info.Size()
	if err := k.checkBegin(); err != nil {
		return nil, err
	}
	if err := k.mend(); err != nil {
		return nil, err
	}
	if k.end == 0 {
		if err := k.write(k.Header.line()); err != nil {
			return nil, err
		}
		return map[string]RunAnswer{}, k.sync()
	}
	return k.load()
}

// checkBegin refuses a file that does not begin as a kept run does, before anything in it is touched.
func (k *KeptRun) checkBegin() error {
	const sign = `{"assay":"run"`
	head := make([]byte, min(k.end, int64(len(sign))))
	if _, err := k.file.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if string(head) != sign[:len(head)] {
		return errors.New("there is another file, and no kept run in it")
	}
	return nil
}

// mend cuts off a last line that was torn when its writer was killed, and ends one that lacks but its line end.
func (k *KeptRun) mend() error {
	const block = 64 << 10
	var tail []byte
	for start := k.end; start > 0; {
		size := min(start, block)
		start -= size
		b := make([]byte, size, int(size)+len(tail))
		if _, err := k.file.ReadAt(b, start); err != nil {
			return err
		}
		at := bytes.LastIndexByte(b, '\n')
		tail = append(b[at+1:], tail...)
		if at >= 0 {
			break
		}
	}
	if len(tail) == 0 {
		return nil
	}
	if json.Valid(tail) {
		return k.write([]byte("\n"))
	}
	k.Cut = len(tail)
	k.end -= int64(len(tail))
	return k.file.Truncate(k.end)
}

func (k *KeptRun) load() (map[string]RunAnswer, error) {
	r, err := rows.New(io.NewSectionReader(k.file, 0, k.end), k.path, rows.Options{Format: rows.JSONLines})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	row, err := r.Next()
	if err != nil {
		return nil, err
	}
	was, err := readRunHeader(row)
	if err != nil {
		return nil, err
	}
	other := was.differs(k.Header)
	if other == "" {
		k.Header = was
	}
	answers := 0
	known := map[string]RunAnswer{}
	for {
		row, err := r.Next()
		var reject *Reject
		switch {
		case err == io.EOF && other == "":
			return known, nil
		case err == io.EOF && answers+len(k.Rejects) > 0:
			return nil, fmt.Errorf("%w: %s", ErrOtherRetriever, other)
		case err == io.EOF: // the other one never answered: nothing is lost
			return map[string]RunAnswer{}, k.restart()
		case errors.As(err, &reject):
			k.Rejects = append(k.Rejects, reject)
			continue
		case err != nil:
			return nil, err
		}
		a, err := readRunAnswer(row)
		if err != nil {
			k.Rejects = append(k.Rejects, row.Reject(err.Error(), ""))
			continue
		}
		known[a.QueryID] = a
		if a.Err == "" {
			answers++
		}
	}
}

// Append writes an answer, whole or not at all. It reaches the disk within a second of the next Append, or by Close.
func (k *KeptRun) Append(a RunAnswer) error {
	line, err := a.line()
	if err != nil {
		return k.fault(err)
	}
	if err := k.write(line); err != nil {
		return k.fault(err)
	}
	if k.now().Sub(k.synced) >= syncEvery {
		if err := k.sync(); err != nil {
			return k.fault(err)
		}
	}
	return nil
}

func (k *KeptRun) write(line []byte) error {
	if _, err := k.file.WriteAt(line, k.end); err != nil {
		_ = k.file.Truncate(k.end) // a full disk takes half a line; where this fails too, the next open cuts it off
		return err
	}
	k.end += int64(len(line))
	k.dirty = true
	return nil
}

// restart empties the file and begins it with the header at hand.
func (k *KeptRun) restart() error {
	if err := k.file.Truncate(0); err != nil {
		return err
	}
	k.end, k.Cut = 0, 0
	if err := k.write(k.Header.line()); err != nil {
		return err
	}
	return k.sync()
}

func (k *KeptRun) sync() error {
	k.synced, k.dirty = k.now(), false
	return k.file.Sync()
}

// Close makes sure that everything is on disk and gives the file free. Closing again does nothing.
func (k *KeptRun) Close() error {
	if k.file == nil {
		return nil
	}
	var err error
	if k.dirty {
		err = k.sync()
	}
	err = errors.Join(err, k.file.Close())
	k.file = nil
	if err != nil {
		return k.fault(err)
	}
	return nil
}

// MoveRunAside renames a kept run, to its own name and the time, so that another can take its place: what was paid for
// is not thrown away. Where there is no such file nothing happens; ErrRunLocked where another process is writing it.
func MoveRunAside(path string, now time.Time) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = moveAside(path, info, now)
	}
	if err != nil {
		return fmt.Errorf("move %s aside: %w", path, bare(err))
	}
	return nil
}

func moveAside(path string, info os.FileInfo, now time.Time) error {
	to, err := asideOf(path, now)
	if err != nil {
		return err
	}
	if target, err := os.Stat(path); err != nil || !target.Mode().IsRegular() {
		return os.Rename(path, to) // nobody writes a run there
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrPermission) {
		f, err = os.Open(path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lockRun(f); err != nil {
		return err
	}
	if now, err := os.Lstat(path); err != nil || !os.SameFile(info, now) {
		return ErrRunLocked // another moved it, and may have begun the next one
	}
	if runtime.GOOS == "windows" {
		f.Close() // an open file can't be renamed there, by nobody
	}
	return os.Rename(path, to)
}

// asideOf is a path beside that one which nothing has yet.
func asideOf(path string, now time.Time) (string, error) {
	ending := filepath.Ext(path)
	base := strings.TrimSuffix(path, ending) + "-" + now.UTC().Format("20060102-150405")
	to := base + ending
	for i := 1; ; i++ {
		_, err := os.Lstat(to)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return to, nil
		case err != nil:
			return "", err
		}
		to = fmt.Sprintf("%s-%d%s", base, i, ending)
	}
}
