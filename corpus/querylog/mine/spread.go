package mine

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
)

// defaultPartitions is how many files things are spread over: at five million queries each holds some 80,000.
const defaultPartitions = 64

// spread is records spread over files by a hash.
type spread struct {
	hash  func(*record) uint64
	path  string // of the files, without their number
	files []*os.File
	out   []*bufio.Writer
	size  []int64
	word  []common // of each file's last record
	last  []uint64 // the highest place in the logs of a file's rows
	mixed []bool   // whether a file's rows are in another order than in the logs
	buf   []byte
	count int64
}

// newSpread makes the files when the first record comes.
func newSpread(partitions int, path string, hash func(*record) uint64) *spread {
	if partitions <= 0 {
		partitions = defaultPartitions
	}
	return &spread{
		path: path, hash: hash, files: make([]*os.File, partitions), out: make([]*bufio.Writer, partitions),
		size: make([]int64, partitions), word: make([]common, partitions), last: make([]uint64, partitions), mixed: make([]bool, partitions),
	}
}

func (s *spread) add(r *record) error {
	n := int(s.hash(r) % uint64(len(s.files)))
	if s.files[n] == nil {
		f, err := os.OpenFile(fmt.Sprintf("%s-%d", s.path, n), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		s.files[n], s.out[n] = f, bufio.NewWriterSize(f, 32<<10)
	}
	s.buf = r.append(s.buf[:0], &s.word[n])
	size, err := writeSized(s.out[n], s.buf)
	if err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	if r.flags&fresh != 0 {
		s.mixed[n] = s.mixed[n] || r.seq < s.last[n]
		s.last[n] = max(s.last[n], r.seq)
	}
	s.size[n] += int64(size)
	s.count++
	return nil
}

// writeSized writes b behind its length.
func writeSized(w *bufio.Writer, b []byte) (int, error) {
	length := binary.AppendUvarint(w.AvailableBuffer(), uint64(len(b)))
	k, err := w.Write(length)
	if err != nil {
		return 0, err
	}
	_, err = w.Write(b)
	return k + len(b), err
}

// each reads one file's records, in the order in which they were added, and removes the file.
func (s *spread) each(n int, use func(*record) error) error {
	err := s.read(n, use)
	s.drop(n)
	return err
}

// read is each for a file that will be read again.
func (s *spread) read(n int, use func(*record) error) error {
	f := s.files[n]
	if f == nil {
		return nil
	}
	if s.out[n] != nil {
		if err := s.out[n].Flush(); err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		s.out[n] = nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	var r record
	var before common
	return eachSized(bufio.NewReaderSize(f, 256<<10), func(b []byte) error {
		if err := r.decode(string(b), &before); err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		r.size = len(b)
		return use(&r)
	})
}

// inOrder is read with the rows in the order of the logs and the frame so far behind them, for a file of so many bytes at
// most; what is larger comes as it was added.
func (s *spread) inOrder(n int, most int64, use func(*record) error) error {
	if !s.mixed[n] || s.size[n] > most {
		return s.read(n, use)
	}
	var all []*record
	if err := s.read(n, func(r *record) error { c := *r; all = append(all, &c); return nil }); err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.flags&known, b.flags&known), cmp.Compare(a.seq, b.seq))
	})
	for i, r := range all {
		if err := use(r); err != nil {
			return err
		}
		all[i] = nil
	}
	return nil
}

// eachSized reads what writeSized wrote. What use gets is valid until it returns.
func eachSized(in *bufio.Reader, use func([]byte) error) error {
	var buf []byte
	for {
		size, err := binary.ReadUvarint(in)
		if err == io.EOF {
			return nil
		}
		if err != nil || size > 1<<31 {
			return fmt.Errorf("mine: %w", errCutOff)
		}
		if uint64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if _, err := io.ReadFull(in, buf); err != nil {
			return fmt.Errorf("mine: %w", errCutOff)
		}
		if err := use(buf); err != nil {
			return err
		}
	}
}

// mostPieces bounds the files that are open at once.
const mostPieces = 128

// split spreads one file further, into pieces of about so many bytes. Nil where it is not larger than that. What has one
// hash stays together, so that a piece may be larger all the same.
func (s *spread) split(n int, bytes int64) (*spread, error) {
	if s.size[n] <= bytes {
		return nil, nil
	}
	pieces := min(int(s.size[n]/bytes)+1, mostPieces)
	beyond := uint64(len(s.files)) // that much of the hash is the same within the file
	out := newSpread(pieces, fmt.Sprintf("%s-%d", s.path, n), func(r *record) uint64 { return s.hash(r) / beyond })
	if err := s.each(n, out.add); err != nil {
		out.close()
		return nil, err
	}
	return out, nil
}

func (s *spread) drop(n int) {
	if f := s.files[n]; f != nil {
		f.Close()
		os.Remove(f.Name())
		s.files[n], s.out[n] = nil, nil
	}
}

func (s *spread) close() {
	for n := range s.files {
		s.drop(n)
	}
}

// spill identifies rows and writes them to the files that they belong in while others are read: each is about half of the
// work.
type spill struct {
	m     *miner
	batch []record
	out   chan []record
	used  chan []record // to be filled again: a batch is large
	ended chan struct{}
	err   error // once failed or ended
	shut  bool

	failed atomic.Bool
}

func newSpill(m *miner) *spill {
	s := &spill{m: m, out: make(chan []record, 4), used: make(chan []record, 8), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		for rows := range s.out {
			for i := range rows {
				if s.err == nil {
					s.err = s.write(&rows[i])
					s.failed.Store(s.err != nil)
				}
			}
			select {
			case s.used <- rows[:0]:
			default:
			}
		}
	}()
	return s
}

func (s *spill) write(r *record) error {
	if r.user != 0 {
		return s.m.byUser.add(r)
	}
	return s.m.toQuery(r)
}

// add sends a row on. The error is what went wrong with one before, so that nobody reads on for nothing.
func (s *spill) add(r record) error {
	if s.failed.Load() {
		return s.err
	}
	s.batch = append(s.batch, r)
	if len(s.batch) < batch {
		return nil
	}
	s.out <- s.batch
	select {
	case s.batch = <-s.used:
	default:
		s.batch = make([]record, 0, batch)
	}
	return nil
}

// close waits until all is written, and says what went wrong.
func (s *spill) close() error {
	if !s.shut {
		s.shut = true
		s.out <- s.batch
		s.batch = nil
		close(s.out)
	}
	<-s.ended
	return s.err
}
