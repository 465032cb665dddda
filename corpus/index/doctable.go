package index

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"assay/corpus/index/internal/texts"
)

// docTable says, for each number that a shard gives its chunks, which chunk it is. bleve numbers chunks as it likes
// and keeps no lengths that BM25 can use: the table is what makes scores and ties the same in every build. It is
// read with the first search, from a file that is open since the index is: a build may take its name away meanwhile.
type docTable struct {
	file  *os.File
	size  int
	once  sync.Once
	err   error
	ranks []uint32 // position of the chunk's id in byte order; gone where the chunk is no more
	words []uint32 // the chunk's length
}

const gone = ^uint32(0)

func docTablePath(folder, shard string) string { return filepath.Join(folder, shard+".docs") }

func (t *docTable) load() error {
	t.once.Do(func() {
		b, err := readAll(t.file)
		if err == nil && len(b) != 8*t.size {
			err = fmt.Errorf("%s has %d bytes, not %d", filepath.Base(t.file.Name()), len(b), 8*t.size)
		}
		if err != nil {
			t.err = err
			return
		}
		t.ranks, t.words = make([]uint32, t.size), make([]uint32, t.size)
		for i := range t.ranks {
			t.ranks[i] = binary.LittleEndian.Uint32(b[8*i:])
			t.words[i] = binary.LittleEndian.Uint32(b[8*i+4:])
		}
	})
	return t.err
}

// readAll reads a file that is open from its beginning.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, info.Size()), b)
	return b, err
}

// writeDocTable makes the table of a shard as it is now.
func writeDocTable(ctx context.Context, create func(string) (texts.File, error), folder string, s *shard, rows []texts.Row) (err error) {
	f, err := create(docTablePath(folder, s.name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	defer func() {
		if err == nil {
			err = w.Flush()
		}
		if err == nil {
			err = f.Sync()
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	var b [8]byte
	for _, snapshot := range s.snapshot.Segments() {
		deleted := snapshot.Deleted()
		for n := range snapshot.Segment().Count() {
			if n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			rank, length := gone, uint32(0)
			if deleted == nil || !deleted.Contains(uint32(n)) {
				id, err := snapshot.DocID(n)
				if err != nil {
					return err
				}
				ordinal, err := ordinalOf(id)
				if err != nil || int(ordinal) >= len(rows) || !rows[ordinal].Live {
					return fmt.Errorf("%s holds %q, which is no chunk", s.name, id)
				}
				rank, length = rows[ordinal].Rank, rows[ordinal].Words
			}
			binary.LittleEndian.PutUint32(b[:], rank)
			binary.LittleEndian.PutUint32(b[4:], length)
			if _, err := w.Write(b[:]); err != nil {
				return err
			}
		}
	}
	return nil
}
