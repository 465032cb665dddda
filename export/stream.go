package export

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"assay/corpus/rows"
)

// stream is a file as lines of UTF-8, for the readers that look at bytes: package rows makes a value of each line,
// which costs more than reading a run does.
type stream struct {
	name  string
	in    *bufio.Reader
	long  []byte // a line that did not fit into the buffer
	max   int
	close []func() error
}

const streamBuffer = 1 << 20

// openStream opens a file, or stdin for "-". gzip, zstd and UTF-16 with a BOM are recognised by their first bytes; a
// BOM is skipped.
func openStream(path string, stdin io.Reader) (*stream, error) {
	s := &stream{name: path, max: MaxLine}
	var raw io.Reader
	if path == "-" {
		s.name = "standard input"
		if raw = stdin; raw == nil {
			raw = os.Stdin
		}
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, &rows.Error{File: path, Err: bare(err)}
		}
		s.close = append(s.close, f.Close)
		if info, err := f.Stat(); err == nil && info.IsDir() {
			s.Close()
			return nil, &rows.Error{File: path, Reason: "it is a folder, not a file"}
		}
		raw = f
	}
	if err := s.decode(raw); err != nil {
		s.Close()
		return nil, &rows.Error{File: s.name, Reason: "the file can't be decompressed", Err: err}
	}
	return s, nil
}

func (s *stream) decode(raw io.Reader) error {
	s.in = bufio.NewReaderSize(raw, streamBuffer)
	magic, _ := s.in.Peek(4) // errors come again with the first read
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b\x08")):
		z, err := gzip.NewReader(s.in)
		if err != nil {
			return err
		}
		s.close = append(s.close, z.Close)
		s.in = bufio.NewReaderSize(z, streamBuffer)
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		z, err := zstd.NewReader(s.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return err
		}
		s.close = append(s.close, func() error { z.Close(); return nil })
		s.in = bufio.NewReaderSize(z, streamBuffer)
	}
	head, _ := s.in.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		s.in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		s.in = bufio.NewReaderSize(transform.NewReader(s.in, decoder), streamBuffer)
	}
	return nil
}

// firstByte is the first byte that is no space, 0 where there is none nearby.
func (s *stream) firstByte() byte {
	head, _ := s.in.Peek(4 << 10)
	if head = bytes.TrimLeft(head, " \t\r\n\v\f"); len(head) > 0 {
		return head[0]
	}
	return 0
}

// next is the next line without its line end, valid until the next call. long says that it was too long and is not
// there. The error is io.EOF after the last line.
func (s *stream) next() (line []byte, long bool, err error) {
	line, err = s.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, long, err = s.nextLong(line)
	}
	if len(line) == 0 && !long || err != nil && err != io.EOF {
		return nil, false, err
	}
	return bytes.TrimSuffix(line, []byte("\n")), long, nil // a last line without an end is a line
}

// nextLong collects a line that is longer than the buffer, or skips one that is longer than any may be.
func (s *stream) nextLong(begin []byte) (line []byte, long bool, err error) {
	s.long = append(s.long[:0], begin...)
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
		var more []byte
		more, err = s.in.ReadSlice('\n')
		if long = long || len(s.long)+len(more) > s.max; !long {
			s.long = append(s.long, more...)
		}
	}
	if long {
		return nil, true, err
	}
	return s.long, false, err
}

// rest is what was not read yet.
func (s *stream) rest() io.Reader { return s.in }

// Close closes the file.
func (s *stream) Close() error {
	var errs []error
	for i := len(s.close) - 1; i >= 0; i-- {
		errs = append(errs, s.close[i]())
	}
	s.close = nil
	return errors.Join(errs...)
}
