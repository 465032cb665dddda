package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/store/internal/boltfile"
)

// schema is a version of the file's layout and how to get there. A change that older programs can live with (a new
// optional field) needs no new version.
type schema struct {
	version int
	steps   []step // in order; the step to n starts from n-1
}

// step brings a file from the version before to the version to.
type step struct {
	to   int
	name string // what it does, for errors
	run  func(*bolt.Tx) error
}

// currentSchema is this program's. The first version has no steps yet.
func currentSchema() schema { return schema{version: 1} }

// create fills an empty file.
func (s schema) create(tx *bolt.Tx) error {
	for _, name := range allBuckets() {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	id, err := randomID()
	if err != nil {
		return err
	}
	meta := tx.Bucket([]byte(bucketMeta))
	return errors.Join(
		meta.Put([]byte(keyWorkspace), []byte(id)),
		meta.Put([]byte(keySchema), strconv.AppendInt(nil, int64(s.version), 10)))
}

// upgrade brings the file to this version, in one transaction after a backup of what it was.
func (s schema) upgrade(f *boltfile.File, path string, backup bool, now time.Time) error {
	var has int
	err := f.View(func(tx *bolt.Tx) (err error) {
		has, err = schemaOf(tx)
		return err
	})
	switch {
	case err != nil:
		return err
	case has > s.version:
		return &NewerError{path, has, s.version}
	case has < s.version:
		if backup {
			name := fmt.Sprintf("%s.%s-schema%d", path, now.UTC().Format("20060102-150405"), has)
			if err := backUp(f, name); err != nil {
				return fmt.Errorf("back up labels before changing their schema: %w", err)
			}
		}
		if err := f.Update(func(tx *bolt.Tx) error { return s.run(tx, has) }); err != nil {
			return fmt.Errorf("bring labels from schema %d to %d: %w", has, s.version, err)
		}
	}
	return f.View(checkBuckets)
}

func (s schema) run(tx *bolt.Tx, has int) error {
	for _, step := range s.steps {
		if step.to <= has {
			continue
		}
		if step.to != has+1 {
			return fmt.Errorf("there is no way from schema %d to %d", has, has+1)
		}
		if err := step.run(tx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		has = step.to
	}
	if has != s.version {
		return fmt.Errorf("there is no way from schema %d to %d", has, s.version)
	}
	return tx.Bucket([]byte(bucketMeta)).Put([]byte(keySchema), strconv.AppendInt(nil, int64(has), 10))
}

// schemaOf reads the file's version.
func schemaOf(tx *bolt.Tx) (int, error) {
	meta := tx.Bucket([]byte(bucketMeta))
	if meta == nil {
		return 0, &boltfile.Damage{Reason: "it is a bbolt file, but not one of assay's"}
	}
	n, err := strconv.Atoi(string(meta.Get([]byte(keySchema))))
	if err != nil || n < 0 {
		return 0, &boltfile.Damage{Reason: "it does not say which schema it has"}
	}
	return n, nil
}

// checkBuckets makes sure that the buckets are there that all code takes for granted.
func checkBuckets(tx *bolt.Tx) error {
	for _, name := range allBuckets() {
		if tx.Bucket([]byte(name)) == nil {
			return &boltfile.Damage{Reason: fmt.Sprintf("its bucket %s is missing", name)}
		}
	}
	return nil
}

// backUp writes the file as it is to name + ".backup", or under the next free number.
func backUp(f *boltfile.File, name string) error {
	var out *os.File
	var err error
	for n := 1; ; n++ {
		numbered := name
		if n > 1 {
			numbered += "-" + strconv.Itoa(n)
		}
		out, err = os.OpenFile(numbered+".backup", os.O_WRONLY|os.O_CREATE|os.O_EXCL, boltfile.Mode)
		if !errors.Is(err, fs.ErrExist) || n == 100 {
			break
		}
	}
	if err != nil {
		return err
	}
	err = f.View(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(out)
		return err
	})
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(out.Name())
	}
	return err
}
