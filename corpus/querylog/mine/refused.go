package mine

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"assay/corpus/rows"
)

func (r *reading) reject(reject *rows.Reject) error {
	r.file.Rejected++
	return r.miner.reject(reject)
}

func (m *miner) reject(reject *rows.Reject) error {
	m.list(reject)
	return m.keepReject(reject.Raw)
}

func (m *miner) list(reject *rows.Reject) {
	if len(m.report.Rejects) < MaxRejects {
		m.report.Rejects = append(m.report.Rejects, Reject{reject.File, reject.Line, reject.Reason, reject.Hint})
	}
}

// keepReject writes a refused row as it was.
func (m *miner) keepReject(raw []byte) error {
	if m.opt.Rejects == nil || len(raw) == 0 {
		return nil
	}
	if !bytes.HasSuffix(raw, []byte("\n")) {
		raw = append(bytes.Clone(raw), '\n')
	}
	if _, err := m.opt.Rejects.Write(raw); err != nil {
		return fmt.Errorf("keep rejects: %w", err)
	}
	return nil
}

// refused are rows of one file whose id stands for another query already. They are settled when all files are added up,
// so that a report is the same whichever was ready first.
type refused struct {
	rows  map[int]int // how many, by log of this run
	first []refusal   // the MaxRejects that came first
	raw   *bufio.Writer
	file  *os.File // what raw writes to: the rows as they were, sealed
}

type refusal struct {
	seq      uint64
	source   int // of this run
	line     int
	id       string
	keptLine int
	keptLog  int
}

// refuse notes that r can't be, since its id stands for what kept asks.
func (m *miner) refuse(out *refused, name string, kept, r *record) error {
	if out.rows == nil {
		out.rows = map[int]int{}
	}
	out.rows[r.source-m.first]++
	out.first = append(out.first, refusal{r.seq, r.source - m.first, r.line, r.query.ID, kept.line, kept.source - m.first})
	if len(out.first) >= 2*MaxRejects {
		out.trim()
	}
	if len(r.raw) == 0 {
		return nil
	}
	if out.file == nil {
		f, err := os.OpenFile(m.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		out.file, out.raw = f, bufio.NewWriterSize(f, 32<<10)
	}
	if _, err := writeSized(out.raw, r.raw); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return nil
}

func (out *refused) trim() {
	slices.SortFunc(out.first, func(a, b refusal) int { return cmp.Compare(a.seq, b.seq) })
	out.first = out.first[:min(len(out.first), MaxRejects)]
}

func (out *refused) close() {
	if out.file != nil {
		out.file.Close()
		os.Remove(out.file.Name())
		out.file = nil
	}
}

// settleRefused reports all rows that were refused while adding up, in the order of the logs.
func (m *miner) settleRefused(files []refused) error {
	var all refused
	for i := range files {
		for source, n := range files[i].rows {
			f := &m.report.Files[source]
			f.Accepted -= n
			f.Rejected += n
		}
		all.first = append(all.first, files[i].first...)
		all.trim()
	}
	for _, r := range all.first {
		where := fmt.Sprintf("line %d", r.keptLine)
		if r.keptLog != r.source {
			where += " of " + filepath.Base(m.report.Files[r.keptLog].File)
		}
		m.list(&rows.Reject{
			File: m.report.Files[r.source].File, Line: r.line, Reason: fmt.Sprintf("the id %q already stands for another query, on %s", r.id, where),
			Hint: "the first is kept; give one of them another id",
		})
	}
	for i := range files {
		if err := m.keepRefused(&files[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *miner) keepRefused(out *refused) error {
	if out.file == nil {
		return nil
	}
	if err := out.raw.Flush(); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	if _, err := out.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return eachSized(bufio.NewReaderSize(out.file, 64<<10), func(b []byte) error { return m.keepReject(m.seal.open(b)) })
}

// seal makes rows unreadable for all but this run: a row that may yet be refused has to be kept as it was until then, and
// what it holds must not be on the disk. The key is nowhere but in memory.
type seal struct {
	block cipher.Block
	count uint64
}

func newSeal() (*seal, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	return &seal{block: block}, err
}

// close is the row, sealed: eight bytes that tell rows apart, then the row under AES in counter mode.
func (s *seal) close(raw []byte) []byte {
	s.count++
	out := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(raw)), s.count)
	out = append(out, raw...)
	s.apply(out)
	return out
}

// open is the row again.
func (s *seal) open(sealed []byte) []byte {
	if len(sealed) < 8 {
		return nil
	}
	out := append([]byte(nil), sealed...)
	s.apply(out)
	return out[8:]
}

func (s *seal) apply(b []byte) {
	var iv [aes.BlockSize]byte
	copy(iv[:8], b[:8])
	cipher.NewCTR(s.block, iv[:]).XORKeyStream(b[8:], b[8:])
}
