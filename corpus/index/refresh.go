package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"assay/corpus"
	"assay/corpus/index/internal/texts"
	"assay/corpus/index/internal/words"
)

// errNotLinked says that files of the old index can't be shared: the file system has no hard links.
var errNotLinked = errors.New("files can't be linked")

// refresh shares the files of the old index and indexes only what changed, in online batches: segments never change
// once they are written, so what it does to its own links the old index does not see.
func (w *work) refresh(ctx context.Context, a *again, c content, refs *refs, gone []uint32) error {
	shared := map[string]fileInfo{}
	known := map[string]fileInfo{}
	for _, f := range a.old.manifest.Files {
		known[f.Path] = f
	}
	link := func(rel string) error {
		from, to := filepath.Join(a.old.folder, filepath.FromSlash(rel)), filepath.Join(w.folder, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := w.opt.link(from, to); err != nil {
			return fmt.Errorf("%w: %v", errNotLinked, err)
		}
		shared[rel] = known[rel]
		return nil
	}
	for kind, numbers := range map[string][]uint32{textSegment: a.old.manifest.Texts, docSegment: a.old.manifest.Docs} {
		for _, n := range numbers {
			if err := link(filepath.Base(segmentPath("", kind, n))); err != nil {
				return err
			}
		}
	}
	steps := a.steps(gone)
	for _, s := range a.old.manifest.Shards {
		for _, f := range a.old.manifest.Files {
			if !strings.HasPrefix(f.Path, s.Name+"/") {
				continue
			}
			// A shard that is written to has its own copy of what is not immutable.
			if len(steps[s.Name]) > 0 && !strings.HasSuffix(f.Path, ".zap") {
				if err := w.copy(a.old.folder, f.Path); err != nil {
					return err
				}
				continue
			}
			if err := link(f.Path); err != nil {
				return err
			}
		}
		c.shards = append(c.shards, s.Name)
	}
	if err := w.apply(ctx, a, refs, steps, &c); err != nil {
		return err
	}
	c.rows, c.ids, c.docs = a.rows, a.live(), a.allDocs()
	c.texts = append(slices.Clone(a.old.manifest.Texts), c.texts...)
	c.files = append(slices.Clone(a.old.manifest.Docs), c.files...)
	slices.Sort(c.shards)
	return w.seal(ctx, c, a.old.manifest.Info.ID, shared)
}

func (w *work) copy(folder, rel string) error {
	from, err := os.Open(filepath.Join(folder, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}
	defer from.Close()
	path := filepath.Join(w.folder, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := w.opt.create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	return err
}

// step is what is to be done with one chunk in one shard.
type step struct {
	ordinal uint32
	remove  bool
}

// steps says what changes in which shard, by ordinal. A chunk that became long, or short, changes its shard.
func (a *again) steps(gone []uint32) map[string][]step {
	steps := map[string][]step{}
	add := func(shard uint8, s step) {
		name := shardName(int(shard))
		steps[name] = append(steps[name], s)
	}
	for _, n := range gone {
		add(a.rows[n].Shard, step{n, true})
	}
	for _, n := range a.changed {
		if to := shardOf(n, a.sizes[n]); to != a.rows[n].Shard {
			add(a.rows[n].Shard, step{n, true})
			a.rows[n].Shard = to
		}
		add(a.rows[n].Shard, step{n, false})
	}
	for _, n := range a.added {
		add(a.rows[n].Shard, step{n, false})
	}
	for _, s := range steps {
		slices.SortFunc(s, func(x, y step) int { return int(x.ordinal) - int(y.ordinal) })
	}
	return steps
}

// apply carries out the steps, each shard in its own goroutine.
func (w *work) apply(ctx context.Context, a *again, refs *refs, steps map[string][]step, c *content) error {
	errs := make([]error, shardCount)
	var wg sync.WaitGroup
	for i := range errs {
		name := shardName(i)
		if len(steps[name]) == 0 {
			continue
		}
		there := slices.Contains(c.shards, name)
		if !there {
			c.shards = append(c.shards, name)
		}
		wg.Go(func() {
			if there {
				errs[i] = w.online(ctx, a, refs, name, steps[name])
			} else {
				errs[i] = w.newShard(ctx, a, refs, i, steps[name])
			}
		})
	}
	wg.Wait()
	w.opt.Progress(Progress{Stage: "index", Done: a.fed, Total: a.fed})
	return errors.Join(errs...)
}

// online changes a shard that the old index had.
func (w *work) online(ctx context.Context, a *again, refs *refs, name string, steps []step) error {
	counter := newCounter(w.analyzer)
	err := applyChanges(ctx, filepath.Join(w.folder, name), func() (change, bool, error) {
		if len(steps) == 0 {
			return change{}, false, nil
		}
		s := steps[0]
		steps = steps[1:]
		if s.remove {
			return change{ordinal: s.ordinal}, true, nil
		}
		chunk, _, err := refs.chunk(a.rows[s.ordinal])
		if err != nil {
			return change{}, false, err
		}
		terms, n := counter.count(chunk.Title, chunk.Text)
		a.rows[s.ordinal].Words = uint32(n)
		return change{s.ordinal, entry(s.ordinal, chunk.DocID, terms), len(chunk.Title) + len(chunk.Text)}, true, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// newShard builds a shard that the old index did not need.
func (w *work) newShard(ctx context.Context, a *again, refs *refs, number int, steps []step) error {
	writer := newShardWriter(w.folder, number, w.analyzer)
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk, _, err := refs.chunk(a.rows[s.ordinal])
		if err == nil {
			err = writer.add(job{s.ordinal, chunk.DocID, chunk.Title, chunk.Text})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", shardName(number), err)
		}
	}
	if err := writer.close(); err != nil {
		return fmt.Errorf("%s: %w", shardName(number), err)
	}
	for _, n := range writer.lengths {
		a.rows[n.ordinal].Words = n.words
	}
	return nil
}

// refs reads the texts of the old index and those that were just written.
type refs struct {
	texts, docs         *texts.Blocks
	textPaths, docPaths map[uint32]string
}

func newRefs(old *oldIndex, folder string, c content) *refs {
	r := &refs{textPaths: segmentPaths(old.folder, textSegment, old.manifest.Texts), docPaths: segmentPaths(old.folder, docSegment, old.manifest.Docs)}
	maps.Copy(r.textPaths, segmentPaths(folder, textSegment, c.texts))
	maps.Copy(r.docPaths, segmentPaths(folder, docSegment, c.files))
	return r
}

func (r *refs) open() (err error) {
	if r.texts, err = texts.OpenBlocks(r.textPaths); err == nil {
		r.docs, err = texts.OpenBlocks(r.docPaths)
	}
	return err
}

func (r *refs) close() {
	for _, b := range []*texts.Blocks{r.texts, r.docs} {
		if b != nil {
			b.Close()
		}
	}
}

func (r *refs) chunk(row texts.Row) (corpus.Chunk, []byte, error) {
	record, err := r.texts.Read(row.Text)
	if err != nil {
		return corpus.Chunk{}, nil, err
	}
	c, err := texts.DecodeChunk(record)
	return c, record, err
}

// startOver empties the folder but for the texts that were just written.
func (w *work) startOver(c content) error {
	keep := map[string]bool{}
	for kind, numbers := range map[string][]uint32{textSegment: c.texts, docSegment: c.files} {
		for _, path := range segmentPaths(w.folder, kind, numbers) {
			keep[filepath.Base(path)] = true
		}
	}
	entries, err := os.ReadDir(w.folder)
	for _, e := range entries {
		if err == nil && !keep[e.Name()] {
			err = os.RemoveAll(filepath.Join(w.folder, e.Name()))
		}
	}
	return err
}

// rebuild indexes all chunks that are there now, texts packed anew.
func (w *work) rebuild(ctx context.Context, a *again, spool content, refs *refs) error {
	f := newFresh(ctx, w.folder, w.opt, w.analyzer, a.store.segment+1)
	defer f.abandon()
	for ordinal, row := range a.rows {
		if !row.Live {
			continue
		}
		if f.ctx.Err() != nil {
			return context.Cause(f.ctx)
		}
		c, record, err := refs.chunk(row)
		if err != nil {
			return fmt.Errorf("chunk %q: %w", words.Cut(a.ids[ordinal].ID, 80), err)
		}
		if err := f.add(c, record); err != nil {
			return err
		}
		if n := len(f.rows); n%256 == 0 {
			w.opt.Progress(Progress{Stage: "index", Done: n, Total: a.fed})
		}
	}
	for _, d := range a.allDocs() {
		text, err := refs.docs.Read(d.Text)
		if err == nil {
			_, err = f.store.document(corpus.Document{Text: string(text)})
		}
		if err != nil {
			return err
		}
	}
	c, err := f.finish()
	if err != nil {
		return err
	}
	refs.close()
	for kind, numbers := range map[string][]uint32{textSegment: spool.texts, docSegment: spool.files} {
		for _, path := range segmentPaths(w.folder, kind, numbers) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	w.result.Rebuilt = true
	return w.seal(ctx, c, a.old.manifest.Info.ID, nil)
}
