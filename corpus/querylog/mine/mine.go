package mine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/corpus/querylog"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/frame"
	"assay/corpus/querylog/redact"
)

// Options say what to do with the logs.
type Options struct {
	Old     string // the frame so far; "" or a path where nothing is for none
	New     string // where the new frame is to be; it may be Old
	Scratch string // an existing folder for temporary files; "" for the system's

	Clean     clean.Options
	NoClean   bool                 // drops nothing but empty queries
	NoRedact  bool                 // keeps everything
	Keep      []redact.Kind        // kinds of value to keep, where the others are taken out
	NoGroup   bool                 // finds no near-duplicates
	Gap       time.Duration        // a user's silence that ends a conversation; 0 for converse.DefaultGap
	Standing  func(id string) bool // queries that stand by themselves, whatever is near them; nil for none
	Forgotten func(id string) bool // queries to leave out; nil for none
	Rejects   io.Writer            // gets refused rows as they were, each on lines of its own; may be nil
	Now       time.Time
	// Progress is told now and then how far a stage is; total is 0 where it is not known. It may be nil.
	Progress func(stage string, done, total int64)

	partitions int // how many files things are spread over; 0 for defaultPartitions
	most       int // bytes of one user's rows above which no conversations are made; 0 for mostThreaded
	piece      int // bytes of a file that are dealt with at once; 0 for pieceSize and countedSize
	ordered    int // bytes of a file that are put in order; 0 for orderedSize
}

// Open opens one of the logs.
type Open func(digest io.Writer, wholeRejects bool) (*querylog.Log, error)

// Source is a log to mine.
type Source struct {
	Name string // what its queries have as their source
	Open Open
}

// ScratchPattern matches what a run leaves behind when it is killed. Whoever knows that no other runs may remove it.
const ScratchPattern = ".mining-*"

// Run mines logs into a new frame, which replaces the old one as a whole: on any error, and when ctx ends, what was there
// before is as it was.
func Run(ctx context.Context, sources []Source, opt Options) (_ Report, err error) {
	if opt.Progress == nil {
		opt.Progress = func(string, int64, int64) {}
	}
	dir, err := os.MkdirTemp(opt.Scratch, ScratchPattern)
	if err != nil {
		return Report{}, fmt.Errorf("mine: %w", err)
	}
	defer func() {
		if e := os.RemoveAll(dir); e != nil && err == nil {
			err = fmt.Errorf("mine: %w", e)
		}
	}()
	m := &miner{opt: opt, dir: dir, redactor: redact.New(opt.Keep...)}
	if m.seal, err = newSeal(); err != nil {
		return Report{}, fmt.Errorf("mine: %w", err)
	}
	m.report.Cleaned = map[clean.Rule]int{}
	m.report.Redacted = map[redact.Kind]redact.Count{}
	if err := m.openOld(); err != nil {
		return m.report, err
	}
	if err := m.readAll(ctx, sources); err != nil {
		return m.report, err
	}
	if err := m.thread(ctx); err != nil {
		return m.report, err
	}
	if err := m.addOld(ctx); err != nil {
		return m.report, err
	}
	items, err := m.count(ctx)
	if err != nil {
		return m.report, err
	}
	defer items.close()
	if err := m.finish(ctx, items); err != nil {
		return m.report, err
	}
	if !opt.NoRedact {
		m.report.Redacted = m.redactor.Counts()
	}
	return m.report, nil
}

// miner is one run.
type miner struct {
	opt      Options
	dir      string
	redactor *redact.Redactor
	report   Report

	old     *frame.Frame // nil where there is none
	sources []frame.Source
	keeps   map[int]int  // position of a source in the old frame → in the new one
	seq     uint64       // of the next row; those of the old frame come first
	twice   map[int]bool // logs of this run that are the very bytes of another one, or the beginning of it
	seal    *seal
	mu      sync.Mutex // guards report and sources while files are added up
	byUser  *spread    // rows to put into conversations
	byQuery *spread    // rows to count
	first   int        // position of this run's first log among the sources
}

// openOld opens the frame so far.
func (m *miner) openOld() error {
	if m.opt.Old == "" {
		return nil
	}
	f, err := frame.Open(m.opt.Old)
	if errors.Is(err, frame.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	m.old = f
	m.seq = uint64(f.Header().Queries)
	return nil
}

func (m *miner) path(name string) string { return filepath.Join(m.dir, name) }
