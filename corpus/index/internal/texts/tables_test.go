package texts

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/corpus/index/internal/disk"
)

func someTables() ([]Row, []ID, []Doc) {
	var rows []Row
	var ids []ID
	var docs []Doc
	for i := range uint32(1000) {
		rows = append(rows, Row{Text: Ref{i % 3, uint64(i) << 33, i, i + 1}, Words: i * 7, Rank: 999 - i, Shard: uint8(i % 4), Live: i%5 != 0})
		if i%5 != 0 {
			id := fmt.Sprintf("chunk/%d", i*7919%1000)
			ids = append(ids, ID{id, i, sha256.Sum256([]byte(id))})
		}
		if i%10 == 0 {
			docs = append(docs, Doc{sha256.Sum256([]byte{byte(i), byte(i >> 8)}), Ref{1, uint64(i), i, 5}})
		}
	}
	ids = append(ids, ID{"a\x00b", 5, [32]byte{1}}, ID{"\xff", 10, [32]byte{2}}, ID{"é", 15, [32]byte{3}}, ID{"e\u0301", 20, [32]byte{4}})
	SortIDs(ids)
	SortDocs(docs)
	return rows, ids, docs
}

func TestTables(t *testing.T) {
	dir := t.TempDir()
	rows, ids, docs := someTables()
	if err := WriteTables(disk.Create, dir, rows, ids, docs); err != nil {
		t.Fatal(err)
	}
	tables, err := OpenTables(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if tables.Rows() != len(rows) || tables.IDs() != len(ids) || tables.Docs() != len(docs) {
		t.Fatalf("%d rows, %d ids, %d documents", tables.Rows(), tables.IDs(), tables.Docs())
	}
	for i, want := range rows {
		if got, err := tables.Row(uint32(i)); err != nil || got != want {
			t.Errorf("row %d: %+v (%v)", i, got, err)
		}
	}
	for i, want := range ids {
		if got, err := tables.ID(uint32(i)); err != nil || got != want {
			t.Errorf("id %d: %+v (%v)", i, got, err)
		}
		if rank, ok, err := tables.Find(want.ID); err != nil || !ok || rank != uint32(i) {
			t.Errorf("%q is at %d, %v (%v)", want.ID, rank, ok, err)
		}
	}
	for _, id := range []string{"", "chunk/", "chunk/0000", "zzz", "\xff\xff", "E"} {
		if _, ok, err := tables.Find(id); ok || err != nil {
			t.Errorf("%q is there (%v)", id, err)
		}
	}
	for _, d := range docs {
		if ref, ok, err := tables.FindDoc(d.Hash); err != nil || !ok || ref != d.Text {
			t.Errorf("document %x: %+v, %v (%v)", d.Hash, ref, ok, err)
		}
	}
	if _, ok, err := tables.FindDoc([32]byte{9}); ok || err != nil {
		t.Errorf("a document that is not there: %v (%v)", ok, err)
	}
	var got []ID
	if err := tables.EachID(func(rank uint32, id ID) bool { got = append(got, id); return true }); err != nil || !slices.Equal(got, ids) {
		t.Errorf("%d ids in a row (%v)", len(got), err)
	}
	n := 0
	if err := tables.EachName(func(rank uint32, name []byte) bool {
		if string(name) != ids[rank].ID {
			t.Errorf("name %d is %q", rank, name)
		}
		n++
		return n < 10
	}); err != nil || n != 10 {
		t.Errorf("%d names (%v)", n, err)
	}
	n = 0
	if err := tables.EachRow(func(ordinal uint32, row Row) bool { n++; return row == rows[ordinal] }); err != nil || n != len(rows) {
		t.Errorf("%d rows (%v)", n, err)
	}
	if _, err := tables.Row(1000); err == nil {
		t.Error("a row behind the last")
	}
	if _, err := tables.ID(uint32(len(ids))); err == nil {
		t.Error("an id behind the last")
	}
}

func TestEmptyTables(t *testing.T) {
	dir := t.TempDir()
	if err := WriteTables(disk.Create, dir, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	tables, err := OpenTables(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if _, ok, err := tables.Find("x"); ok || err != nil {
		t.Errorf("an empty table has x (%v)", err)
	}
}

func TestDamagedTables(t *testing.T) {
	rows, ids, docs := someTables()
	for _, name := range []string{rowsFile, idsFile, nameFile, docsFile} {
		dir := t.TempDir()
		if err := WriteTables(disk.Create, dir, rows, ids, docs); err != nil {
			t.Fatal(err)
		}
		if name != nameFile {
			if err := os.Truncate(filepath.Join(dir, name), 33); err != nil {
				t.Fatal(err)
			}
			if tables, err := OpenTables(dir); err == nil {
				tables.Close()
				t.Errorf("half a row of %s was not noticed", name)
			}
		}
		if err := os.Truncate(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
		if tables, err := OpenTables(dir); err == nil {
			if err := tables.EachID(func(uint32, ID) bool { return true }); name == nameFile && err == nil {
				t.Error("ids without names")
			}
			tables.Close()
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTables(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	// An id that claims a length that no id has.
	dir := t.TempDir()
	if err := WriteTables(disk.Create, dir, rows, ids, docs); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, idsFile))
	if err != nil {
		t.Fatal(err)
	}
	b[11] = 0xff
	if err := os.WriteFile(filepath.Join(dir, idsFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
	tables, err := OpenTables(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if _, err := tables.ID(0); err == nil {
		t.Error("an id of gigabytes")
	}
	if err := tables.EachID(func(uint32, ID) bool { return true }); err == nil {
		t.Error("an id of gigabytes in a row")
	}
}

func TestTablesOnAFullDisk(t *testing.T) {
	rows, ids, docs := someTables()
	for at := range 4 {
		n := 0
		create := func(path string) (disk.File, error) {
			if n++; n == at+1 {
				return &full{room: 100}, nil
			}
			return disk.Create(path)
		}
		if err := WriteTables(create, t.TempDir(), rows, ids, docs); !errors.Is(err, errFull) {
			t.Errorf("file %d: %v", at, err)
		}
		failing := func(path string) (disk.File, error) { return nil, errFull }
		if err := WriteTables(failing, t.TempDir(), rows, ids, docs); !errors.Is(err, errFull) {
			t.Errorf("no file at all: %v", err)
		}
	}
}
