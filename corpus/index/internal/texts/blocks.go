package texts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"assay/corpus/index/internal/disk"
)

// Ref says where a record lies.
type Ref struct {
	Segment uint32 // number of the file
	Block   uint64 // where its block begins in the file
	At      uint32 // where it begins in the block, unpacked
	Len     uint32
}

const (
	magic      = "assaytx1"
	blockSize  = 16 << 10 // unpacked; a longer record has a block of its own
	headSize   = 8        // packed length, unpacked length
	maxRecord  = 1 << 30
	cachedSize = 4 << 20
)

// Writer appends records to a new file of blocks. The file is whole only after Close.
type Writer struct {
	segment uint32
	file    disk.File
	enc     *zstd.Encoder
	block   []byte
	packed  []byte
	offset  uint64
	err     error
}

// NewWriter starts the file of the given number.
func NewWriter(file disk.File, segment uint32) (*Writer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{segment: segment, file: file, enc: enc, offset: uint64(len(magic))}
	_, w.err = io.WriteString(file, magic)
	return w, w.err
}

// Append adds a record and says where it will lie.
func (w *Writer) Append(record []byte) (Ref, error) {
	if w.err != nil {
		return Ref{}, w.err
	}
	if len(record) > maxRecord {
		return Ref{}, fmt.Errorf("a record of %d bytes is too long", len(record))
	}
	if len(w.block) > 0 && len(w.block)+len(record) > blockSize {
		if err := w.flush(); err != nil {
			return Ref{}, err
		}
	}
	ref := Ref{w.segment, w.offset, uint32(len(w.block)), uint32(len(record))}
	w.block = append(w.block, record...)
	return ref, nil
}

func (w *Writer) flush() error {
	if len(w.block) == 0 || w.err != nil {
		return w.err
	}
	w.packed = append(w.packed[:0], make([]byte, headSize)...)
	w.packed = w.enc.EncodeAll(w.block, w.packed)
	binary.LittleEndian.PutUint32(w.packed, uint32(len(w.packed)-headSize))
	binary.LittleEndian.PutUint32(w.packed[4:], uint32(len(w.block)))
	_, w.err = w.file.Write(w.packed)
	w.offset += uint64(len(w.packed))
	if cap(w.block) > 4*blockSize {
		w.block = nil
	}
	w.block = w.block[:0]
	return w.err
}

// Close writes what is left and syncs the file.
func (w *Writer) Close() error {
	err := w.flush()
	if err == nil {
		err = w.file.Sync()
	}
	if cerr := w.file.Close(); err == nil {
		err = cerr
	}
	w.enc.Close()
	if w.err == nil {
		w.err = errors.New("the file is closed")
	}
	return err
}

// Blocks reads records from files of blocks. It may be used from several goroutines.
type Blocks struct {
	files map[uint32]*os.File
	dec   *zstd.Decoder

	mu     sync.Mutex
	cached map[place][]byte
	order  []place
	size   int
}

type place struct {
	segment uint32
	block   uint64
}

// OpenBlocks opens the files of the given numbers.
func OpenBlocks(paths map[uint32]string) (*Blocks, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxRecord+blockSize))
	if err != nil {
		return nil, err
	}
	b := &Blocks{files: map[uint32]*os.File{}, dec: dec, cached: map[place][]byte{}}
	for segment, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			b.Close()
			return nil, err
		}
		b.files[segment] = f
	}
	return b, nil
}

// Read is the record at ref. It must not be changed.
func (b *Blocks) Read(ref Ref) ([]byte, error) {
	block, err := b.block(place{ref.Segment, ref.Block})
	if err != nil {
		return nil, fmt.Errorf("read text %d at %d: %w", ref.Segment, ref.Block, err)
	}
	if uint64(ref.At)+uint64(ref.Len) > uint64(len(block)) {
		return nil, fmt.Errorf("read text %d at %d: the block is shorter than its records", ref.Segment, ref.Block)
	}
	return block[ref.At : ref.At+ref.Len : ref.At+ref.Len], nil
}

func (b *Blocks) block(p place) ([]byte, error) {
	b.mu.Lock()
	block, ok := b.cached[p]
	b.mu.Unlock()
	if ok {
		return block, nil
	}
	f := b.files[p.segment]
	if f == nil {
		return nil, errors.New("there is no such file")
	}
	buf := make([]byte, 12<<10)
	n, err := f.ReadAt(buf, int64(p.block))
	if n < headSize {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	packed := int(binary.LittleEndian.Uint32(buf))
	size := int(binary.LittleEndian.Uint32(buf[4:]))
	if size > maxRecord || packed > maxRecord+maxRecord/8 {
		return nil, errors.New("the block is damaged")
	}
	if buf = buf[headSize:n]; len(buf) >= packed {
		buf = buf[:packed]
	} else {
		have := len(buf)
		// grown as it is read, so that a damaged length does not take memory that no file holds
		rest, err := io.ReadAll(io.NewSectionReader(f, int64(p.block)+headSize+int64(have), int64(packed-have)))
		if err != nil {
			return nil, err
		}
		if buf = append(buf, rest...); len(buf) < packed {
			return nil, io.ErrUnexpectedEOF
		}
	}
	block, err = b.dec.DecodeAll(buf, make([]byte, 0, min(size, 1<<20)))
	if err != nil {
		return nil, err
	}
	if len(block) != size {
		return nil, errors.New("the block is damaged")
	}
	b.keep(p, block)
	return block, nil
}

// keep remembers a block, and forgets the oldest ones beyond a few megabytes.
func (b *Blocks) keep(p place, block []byte) {
	if len(block) > cachedSize/4 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.cached[p]; ok {
		return
	}
	b.cached[p] = block
	b.order = append(b.order, p)
	b.size += len(block)
	for b.size > cachedSize {
		b.size -= len(b.cached[b.order[0]])
		delete(b.cached, b.order[0])
		b.order = b.order[1:]
	}
}

// Close closes the files.
func (b *Blocks) Close() error {
	var first error
	for _, f := range b.files {
		if err := f.Close(); first == nil {
			first = err
		}
	}
	b.dec.Close()
	return first
}
