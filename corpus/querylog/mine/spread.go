package mine

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// defaultPartitions is how many files things are spread over: at five million queries each holds some 80,000.
const defaultPartitions = 64

// spread is records spread over files by a hash.
type spread struct {
	name  func(n int) string
	files []*os.File
	out   []*bufio.Writer
	size  []int64
	buf   []byte
	count int64
}

// newSpread makes the files when the first record comes.
func newSpread(partitions int, name func(n int) string) *spread {
	if partitions <= 0 {
		partitions = defaultPartitions
	}
	return &spread{name: name, files: make([]*os.File, partitions), out: make([]*bufio.Writer, partitions), size: make([]int64, partitions)}
}

func (s *spread) add(hash uint64, r *record) error {
	n := int(hash % uint64(len(s.files)))
	if s.files[n] == nil {
		f, err := os.OpenFile(s.name(n), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		s.files[n], s.out[n] = f, bufio.NewWriterSize(f, 32<<10)
	}
	var err error
	if s.buf, err = r.append(s.buf[:0]); err != nil {
		return err
	}
	var length [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(length[:], uint64(len(s.buf)))
	if _, err := s.out[n].Write(length[:k]); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	if _, err := s.out[n].Write(s.buf); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	s.size[n] += int64(k + len(s.buf))
	s.count++
	return nil
}

// each reads one file's records, in the order in which they were added, and removes the file.
func (s *spread) each(n int, use func(*record) error) error {
	f := s.files[n]
	if f == nil {
		return nil
	}
	if err := s.out[n].Flush(); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	s.out[n] = nil
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	err := eachRecord(bufio.NewReaderSize(f, 256<<10), use)
	f.Close()
	os.Remove(f.Name())
	s.files[n] = nil
	return err
}

func eachRecord(in *bufio.Reader, use func(*record) error) error {
	var buf []byte
	var r record
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
		if err := r.decode(buf); err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		if err := use(&r); err != nil {
			return err
		}
	}
}

func (s *spread) close() {
	for n, f := range s.files {
		if f != nil {
			f.Close()
			s.files[n] = nil
		}
	}
}
