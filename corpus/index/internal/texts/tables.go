package texts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/corpus/index/internal/disk"
)

// The files of the tables, in the folder of a build.
const (
	rowsFile = "chunks.tbl"    // by ordinal
	idsFile  = "ids.tbl"       // by rank, that is by id bytes
	nameFile = "ids.bin"       // the ids themselves, one after the other
	docsFile = "documents.tbl" // by hash
)

// Row says what the index knows of a chunk. Chunks have ordinals in the order in which they came, which they keep
// for as long as they live.
type Row struct {
	Text  Ref
	Words uint32 // words of title and text, as the scorer counts them
	Rank  uint32 // position among the ids in byte order
	Shard uint8
	Live  bool // false: the chunk is gone, the ordinal is never used again
}

const rowSize = 32

func (r Row) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, r.Text.Segment)
	b = binary.LittleEndian.AppendUint64(b, r.Text.Block)
	b = binary.LittleEndian.AppendUint32(b, r.Text.At)
	b = binary.LittleEndian.AppendUint32(b, r.Text.Len)
	b = binary.LittleEndian.AppendUint32(b, r.Words)
	b = binary.LittleEndian.AppendUint32(b, r.Rank)
	live := byte(0)
	if r.Live {
		live = 1
	}
	return append(b, r.Shard, live, 0, 0)
}

func decodeRow(b []byte) Row {
	return Row{
		Text:  Ref{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])},
		Words: binary.LittleEndian.Uint32(b[20:]),
		Rank:  binary.LittleEndian.Uint32(b[24:]),
		Shard: b[28],
		Live:  b[29] == 1,
	}
}

// ID is a chunk's id with its ordinal and the SHA-256 of its text.
type ID struct {
	ID      string
	Ordinal uint32
	Hash    [32]byte
}

const idSize = 48

// Doc is a decoded document's hash with where it lies.
type Doc struct {
	Hash [32]byte
	Text Ref
}

const docSize = 52

// WriteTables writes the tables of a build. Rows come by ordinal, ids sorted by id, documents sorted by hash.
func WriteTables(create func(path string) (disk.File, error), dir string, rows []Row, ids []ID, docs []Doc) error {
	err := write(create, filepath.Join(dir, rowsFile), len(rows), func(b []byte, i int) []byte { return rows[i].append(b) })
	if err != nil {
		return err
	}
	at := uint64(0)
	err = write(create, filepath.Join(dir, idsFile), len(ids), func(b []byte, i int) []byte {
		b = binary.LittleEndian.AppendUint64(b, at)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(ids[i].ID)))
		b = binary.LittleEndian.AppendUint32(b, ids[i].Ordinal)
		at += uint64(len(ids[i].ID))
		return append(b, ids[i].Hash[:]...)
	})
	if err != nil {
		return err
	}
	err = write(create, filepath.Join(dir, nameFile), len(ids), func(b []byte, i int) []byte { return append(b, ids[i].ID...) })
	if err != nil {
		return err
	}
	return write(create, filepath.Join(dir, docsFile), len(docs), func(b []byte, i int) []byte {
		b = append(b, docs[i].Hash[:]...)
		b = binary.LittleEndian.AppendUint32(b, docs[i].Text.Segment)
		b = binary.LittleEndian.AppendUint64(b, docs[i].Text.Block)
		b = binary.LittleEndian.AppendUint32(b, docs[i].Text.At)
		return binary.LittleEndian.AppendUint32(b, docs[i].Text.Len)
	})
}

// write makes a file of n rows and syncs it.
func write(create func(path string) (disk.File, error), path string, n int, row func(b []byte, i int) []byte) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	var b []byte
	for i := range n {
		b = row(b[:0], i)
		if _, err = w.Write(b); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Tables reads the tables of a build, a row at a time. It may be used from several goroutines.
type Tables struct {
	rows, ids, names, docs *os.File
	nrows, nids, ndocs     int
}

// OpenTables opens the tables in the folder of a build.
func OpenTables(dir string) (*Tables, error) {
	t := &Tables{}
	for _, f := range []struct {
		name string
		file **os.File
		n    *int
		size int64
	}{{rowsFile, &t.rows, &t.nrows, rowSize}, {idsFile, &t.ids, &t.nids, idSize}, {nameFile, &t.names, nil, 1}, {docsFile, &t.docs, &t.ndocs, docSize}} {
		var err error
		if *f.file, err = os.Open(filepath.Join(dir, f.name)); err != nil {
			t.Close()
			return nil, err
		}
		info, err := (*f.file).Stat()
		if err == nil && info.Size()%f.size != 0 {
			err = fmt.Errorf("%s: half a row at the end", f.name)
		}
		if err != nil {
			t.Close()
			return nil, err
		}
		if f.n != nil {
			*f.n = int(info.Size() / f.size)
		}
	}
	return t, nil
}

// Rows, IDs and Docs count the tables' rows. Rows counts chunks that are gone too.
func (t *Tables) Rows() int { return t.nrows }

// IDs is the number of chunks.
func (t *Tables) IDs() int { return t.nids }

// Docs is the number of decoded documents.
func (t *Tables) Docs() int { return t.ndocs }

// Row is the chunk of the ordinal.
func (t *Tables) Row(ordinal uint32) (Row, error) {
	var b [rowSize]byte
	if int64(ordinal) >= int64(t.nrows) {
		return Row{}, fmt.Errorf("there is no chunk %d", ordinal)
	}
	if _, err := t.rows.ReadAt(b[:], int64(ordinal)*rowSize); err != nil {
		return Row{}, err
	}
	return decodeRow(b[:]), nil
}

// ID is the id of the rank.
func (t *Tables) ID(rank uint32) (ID, error) {
	if int64(rank) >= int64(t.nids) {
		return ID{}, fmt.Errorf("there is no id %d", rank)
	}
	var b [idSize]byte
	if _, err := t.ids.ReadAt(b[:], int64(rank)*idSize); err != nil {
		return ID{}, err
	}
	n := binary.LittleEndian.Uint32(b[8:])
	if n > 1<<20 {
		return ID{}, errors.New("an id is damaged")
	}
	name := make([]byte, n)
	if _, err := t.names.ReadAt(name, int64(binary.LittleEndian.Uint64(b[:]))); err != nil {
		return ID{}, err
	}
	id := ID{ID: string(name), Ordinal: binary.LittleEndian.Uint32(b[12:])}
	copy(id.Hash[:], b[16:])
	return id, nil
}

// Find is the rank of an id.
func (t *Tables) Find(id string) (rank uint32, found bool, err error) {
	lo, hi := 0, t.nids
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		got, err := t.ID(uint32(mid))
		if err != nil {
			return 0, false, err
		}
		switch c := strings.Compare(got.ID, id); {
		case c == 0:
			return uint32(mid), true, nil
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, false, nil
}

// EachID yields the ids in order with their ranks.
func (t *Tables) EachID(yield func(rank uint32, id ID) bool) error {
	return t.each(func(rank uint32, row, name []byte) bool {
		id := ID{ID: string(name), Ordinal: binary.LittleEndian.Uint32(row[12:])}
		copy(id.Hash[:], row[16:])
		return yield(rank, id)
	})
}

// EachName yields the ids alone. The bytes are good until yield returns.
func (t *Tables) EachName(yield func(rank uint32, name []byte) bool) error {
	return t.each(func(rank uint32, _, name []byte) bool { return yield(rank, name) })
}

func (t *Tables) each(yield func(rank uint32, row, name []byte) bool) error {
	rows := bufio.NewReaderSize(io.NewSectionReader(t.ids, 0, int64(t.nids)*idSize), 256<<10)
	names := bufio.NewReaderSize(io.NewSectionReader(t.names, 0, 1<<62), 256<<10)
	var row [idSize]byte
	var name []byte
	for rank := range uint32(t.nids) {
		if _, err := io.ReadFull(rows, row[:]); err != nil {
			return err
		}
		n := int(binary.LittleEndian.Uint32(row[8:]))
		if n > 1<<20 {
			return errors.New("an id is damaged")
		}
		name = slices.Grow(name[:0], n)[:n]
		if _, err := io.ReadFull(names, name); err != nil {
			return err
		}
		if !yield(rank, row[:], name) {
			return nil
		}
	}
	return nil
}

// EachRow yields the rows by ordinal.
func (t *Tables) EachRow(yield func(ordinal uint32, row Row) bool) error {
	rows := bufio.NewReaderSize(io.NewSectionReader(t.rows, 0, int64(t.nrows)*rowSize), 256<<10)
	var b [rowSize]byte
	for ordinal := range uint32(t.nrows) {
		if _, err := io.ReadFull(rows, b[:]); err != nil {
			return err
		}
		if !yield(ordinal, decodeRow(b[:])) {
			return nil
		}
	}
	return nil
}

func (t *Tables) doc(i int) (Doc, error) {
	var b [docSize]byte
	if _, err := t.docs.ReadAt(b[:], int64(i)*docSize); err != nil {
		return Doc{}, err
	}
	d := Doc{Text: Ref{binary.LittleEndian.Uint32(b[32:]), binary.LittleEndian.Uint64(b[36:]), binary.LittleEndian.Uint32(b[44:]), binary.LittleEndian.Uint32(b[48:])}}
	copy(d.Hash[:], b[:])
	return d, nil
}

// FindDoc is where the document of a hash lies.
func (t *Tables) FindDoc(hash [32]byte) (ref Ref, found bool, err error) {
	lo, hi := 0, t.ndocs
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		d, err := t.doc(mid)
		if err != nil {
			return Ref{}, false, err
		}
		switch c := bytes.Compare(d.Hash[:], hash[:]); {
		case c == 0:
			return d.Text, true, nil
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return Ref{}, false, nil
}

// Close closes the files.
func (t *Tables) Close() error {
	var first error
	for _, f := range []*os.File{t.rows, t.ids, t.names, t.docs} {
		if f == nil {
			continue
		}
		if err := f.Close(); first == nil {
			first = err
		}
	}
	return first
}

// SortIDs and SortDocs put tables in the order in which they are written.
func SortIDs(ids []ID) {
	slices.SortFunc(ids, func(a, b ID) int { return cmp.Compare(a.ID, b.ID) })
}

// SortDocs orders by hash.
func SortDocs(docs []Doc) {
	slices.SortFunc(docs, func(a, b Doc) int { return bytes.Compare(a.Hash[:], b.Hash[:]) })
}
