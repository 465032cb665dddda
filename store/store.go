package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
	"assay/store/internal/boltfile"
)

// Options say how a file is opened. The zero value opens an existing one.
type Options struct {
	Create  bool             // make the file where there is none; without it a missing file is ErrNone
	Now     func() time.Time // nil: time.Now
	Process string           // 32 hex digits that name the writing process; "": random
	Program string           // what writes, e.g. "assay 0.1.0"; kept in each event

	schema   *schema       // nil: this program's; tests bring others
	rewrite  rewrite       // nil: boltfile's; tests bring others
	lockWait time.Duration // 0: a second
	copyWait time.Duration // 0: two seconds
}

func (o Options) withDefaults() (Options, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.schema == nil {
		s := currentSchema()
		o.schema = &s
	}
	if o.rewrite == nil {
		o.rewrite = (*boltfile.File).Rewrite
	}
	if o.lockWait == 0 {
		o.lockWait = boltfile.LockWait
	}
	if o.copyWait == 0 {
		o.copyWait = boltfile.CopyWait
	}
	if o.Process == "" {
		var err error
		o.Process, err = randomID()
		return o, err
	}
	if b, err := hex.DecodeString(o.Process); err != nil || len(b) != 16 || o.Process != strings.ToLower(o.Process) {
		return o, fmt.Errorf("the process id %q is not 32 lower-case hex digits", o.Process)
	}
	return o, nil
}

func randomID() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// rewrite puts a copy without free pages in a file's place, see boltfile.File.Rewrite.
type rewrite func(f *boltfile.File, change func(*bolt.Tx) error) (*boltfile.File, error)

// DB is an open labels file. It is safe for concurrent use; each method sees the file as the last write left it.
type DB struct {
	path      string
	opt       Options
	readOnly  bool
	workspace string

	writing sync.Mutex // held by the one writer; guards clock, counter and known
	clock   corpus.HLC
	counter uint64 // of this process's events
	known   known

	mu     sync.RWMutex   // held shared while a transaction runs, alone while the file is exchanged or closed
	file   *boltfile.File // nil: lost or closed
	lost   error          // why it is lost
	closed bool
}

// Open opens the file for its single writer. What keeps it from being opened is ErrNone, a *LockedError, a
// *DamagedError or a *NewerError.
func Open(path string, opt Options) (*DB, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open labels: %w", err)
	}
	host, _ := os.Hostname()
	holder := boltfile.Holder{PID: os.Getpid(), Host: host, Since: opt.Now().UTC().Truncate(time.Second), Program: opt.Program}
	f, err := boltfile.Open(path, opt.lockWait, holder)
	if errors.Is(err, fs.ErrNotExist) {
		if !opt.Create {
			return nil, fmt.Errorf("open labels: %w: %s", ErrNone, path)
		}
		if err := boltfile.Create(path, opt.schema.create); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("open labels: %w", err)
		}
		f, err = boltfile.Open(path, opt.lockWait, holder)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	db, err := start(f, path, opt, false)
	if err == nil {
		_ = db.dropTraces() // where there is no room for it, the next Open tries again
	}
	return db, err
}

// OpenCopy opens a private, read-only copy of the file as its last transaction left it. It takes no lock and disturbs
// no writer. ErrBusy says that for two seconds the file changed each time that it was copied.
func OpenCopy(path string, opt Options) (*DB, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open labels: %w", err)
	}
	f, err := boltfile.Copy(path, opt.copyWait)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open labels: %w: %s", ErrNone, path)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	return start(f, path, opt, true)
}

// start reads what a DB has to know of its file, which it closes if it can't be used.
func start(f *boltfile.File, path string, opt Options, readOnly bool) (*DB, error) {
	db := &DB{path: path, opt: opt, readOnly: readOnly, file: f, known: newKnown()}
	err := opt.schema.upgrade(f, path, !readOnly, opt.Now())
	if err == nil {
		err = db.view(db.load)
	}
	if err != nil {
		return nil, errors.Join(explain(path, err), f.Close())
	}
	return db, nil
}

func (db *DB) load(tx *bolt.Tx) error {
	meta := tx.Bucket([]byte(bucketMeta))
	db.workspace = string(meta.Get([]byte(keyWorkspace)))
	db.clock = corpus.HLC(seqOfKey(meta.Get([]byte(keyClock))))
	// A process id that was given may have been used before.
	prefix := []byte(db.opt.Process + "-")
	c := tx.Bucket([]byte(bucketEventIDs)).Cursor()
	for k, _ := c.Seek(prefix); strings.HasPrefix(string(k), string(prefix)); k, _ = c.Next() {
		if n, err := strconv.ParseUint(string(k[len(prefix):]), 10, 64); err == nil {
			db.counter = max(db.counter, n)
		}
	}
	return nil
}

// WorkspaceID is the random id that the file was given when it was made; copies share it.
func (db *DB) WorkspaceID() string { return db.workspace }

// Process names this process in the ids of the events that it writes.
func (db *DB) Process() string { return db.opt.Process }

// ReadOnly reports whether the DB came from OpenCopy.
func (db *DB) ReadOnly() bool { return db.readOnly }

// Close gives the lock back. It waits for running reads and writes and may be called again.
func (db *DB) Close() error {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	f := db.file
	db.file, db.closed = nil, true
	if f == nil {
		return nil
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close labels: %w", err)
	}
	return nil
}

// view runs fn in a read transaction. fn must not call a method of db: a writer that waits for the end of all reads
// would wait for ever.
func (db *DB) view(fn func(*bolt.Tx) error) error {
	if err := db.revive(); err != nil {
		return err
	}
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.file == nil {
		return db.gone()
	}
	return explain(db.path, db.file.View(fn))
}

// update runs fn in a write transaction. When it returns an error nothing was changed, and a later try may succeed.
func (db *DB) update(fn func(*bolt.Tx) error) error {
	if db.readOnly {
		return ErrReadOnly
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := db.revive(); err != nil {
		return err
	}
	err := func() error {
		db.mu.RLock()
		defer db.mu.RUnlock()
		if db.file == nil {
			return db.gone()
		}
		return db.file.Update(fn)
	}()
	if err != nil {
		db.known = newKnown()
		// What can be mended is mended at once, so that reads go on; if not, the next use tries again.
		_ = db.revive()
	}
	return explain(db.path, err)
}

func (db *DB) gone() error {
	if db.closed {
		return ErrClosed
	}
	return db.lost
}

// revive makes the file usable again after a transaction failed in a way that may have broken it.
func (db *DB) revive() error {
	db.mu.RLock()
	fine := db.closed || db.file != nil && !db.file.NeedsRecovery()
	db.mu.RUnlock()
	if fine {
		return nil
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	var err error
	switch {
	case db.closed || db.file != nil && !db.file.NeedsRecovery():
		return nil // somebody else did it meanwhile
	case db.file != nil:
		db.file, err = db.file.Recover()
	default:
		host, _ := os.Hostname()
		db.file, err = boltfile.Open(db.path, db.opt.lockWait, boltfile.Holder{
			PID: os.Getpid(), Host: host, Since: db.opt.Now().UTC().Truncate(time.Second), Program: db.opt.Program})
	}
	db.lost = explain(db.path, err)
	return db.lost
}

// Errors that a caller decides on.
var (
	ErrNone         = errors.New("there is no labels file")
	ErrBusy         = errors.New("labels are being written too fast to be read")
	ErrClosed       = errors.New("the labels file is closed")
	ErrReadOnly     = errors.New("labels are open for reading only")
	ErrChangedSince = errors.New("it was changed since")
	ErrNoEvent      = errors.New("there is no such event")
	ErrNoBatch      = errors.New("there is no such batch")
)

// LockedError says which process holds the file: PID, Host, Since. PID is 0 where that is not known.
type LockedError = boltfile.LockedError

// DamagedError says in plain words why a file can't be used.
type DamagedError struct {
	Path   string
	Reason string
	Backup string // the newest one found; "" where there is none
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged: %s", filepath.Base(e.Path), e.Reason)
}

// Hint says what to do, and names the newest backup.
func (e *DamagedError) Hint() string {
	if e.Backup == "" {
		return "nothing was changed; put a backup in its place, none was found near it"
	}
	return "nothing was changed; put a backup in its place, the newest is " + e.Backup
}

// NewerError says that a newer program wrote the file.
type NewerError struct {
	Path      string
	Has, Know int // schema versions
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer assay (schema %d, this one knows %d)", filepath.Base(e.Path), e.Has, e.Know)
}

// Hint says what to do.
func (e *NewerError) Hint() string { return "update assay" }

// explain says what an error of the file means.
func explain(path string, err error) error {
	var damage *boltfile.Damage
	var broke *boltfile.PanicError
	var commit *boltfile.CommitError
	switch {
	case errors.As(err, &damage):
		return &DamagedError{path, damage.Reason, newestBackup(path)}
	case errors.As(err, &broke):
		return &DamagedError{path, broke.Error(), newestBackup(path)}
	case errors.Is(err, boltfile.ErrBusy):
		return fmt.Errorf("open labels: %w", ErrBusy)
	case errors.As(err, &commit):
		return fmt.Errorf("save to %s: %w", filepath.Base(path), commit.Err)
	}
	return err
}

// newestBackup looks beside the file and in the folder of backups for the newest one that is not empty.
func newestBackup(path string) string {
	dir, base := filepath.Split(path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	newest, best := "", os.FileInfo(nil)
	for _, pattern := range []string{base + ".*.backup", base + ".backup", filepath.Join("backups", stem+"*")} {
		found, _ := filepath.Glob(filepath.Join(globQuote(dir), pattern))
		for _, name := range found {
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
				continue
			}
			if best == nil || info.ModTime().After(best.ModTime()) {
				newest, best = name, info
			}
		}
	}
	return newest
}

// globQuote makes a folder's name mean itself.
func globQuote(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
