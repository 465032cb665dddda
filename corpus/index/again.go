package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash/maphash"
	"math"
	"slices"

	"assay/corpus"
	"assay/corpus/index/internal/texts"
)

// A refresh that touches more than a quarter of the chunks, or leaves more than a third of the ordinals to chunks
// that are gone, costs more than a build and searches slower: then everything is built.
const (
	maxChanged = 4
	maxGone    = 3
	maxTexts   = 32 // segments of texts, one a refresh
)

// oldIndex is the index that was there, as a build needs it: its files were read whole and are what was built.
type oldIndex struct {
	folder   string
	manifest *manifest
	tables   *texts.Tables
	blocks   *texts.Blocks
	docs     *texts.Blocks
}

// openOld opens the index for comparing. Flipped bytes would live on in what a refresh shares, so all are read.
func openOld(ctx context.Context, folder string) (o *oldIndex, err error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, damaged(manifestFile, err)
	}
	if err := m.usable(); err != nil {
		return nil, err
	}
	if err := m.checkFiles(ctx, folder, true); err != nil {
		return nil, err
	}
	o = &oldIndex{folder: folder, manifest: m}
	if o.tables, err = texts.OpenTables(folder); err == nil {
		o.blocks, err = texts.OpenBlocks(segmentPaths(folder, textSegment, m.Texts))
	}
	if err == nil {
		o.docs, err = texts.OpenBlocks(segmentPaths(folder, docSegment, m.Docs))
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

func (o *oldIndex) close() {
	if o.tables != nil {
		o.tables.Close()
	}
	for _, b := range []*texts.Blocks{o.blocks, o.docs} {
		if b != nil {
			b.Close()
		}
	}
}

// nextSegment is a number that no segment of texts has.
func (o *oldIndex) nextSegment() uint32 {
	n := uint32(0)
	for _, s := range slices.Concat(o.manifest.Texts, o.manifest.Docs) {
		n = max(n, s)
	}
	return n + 1
}

// again compares what comes with what was there, and indexes what changed. It is a Sink.
type again struct {
	ctx   context.Context
	old   *oldIndex
	store *store
	opt   BuildOptions

	rows    []texts.Row
	byID    map[string]uint32
	ids     []texts.ID // by ordinal
	seen    []bool     // by ordinal
	sums    []uint64   // of the records that came, by ordinal, to tell repeats from conflicts
	seed    maphash.Seed
	before  int // ordinals of the old index
	added   []uint32
	changed []uint32       // their words are to be indexed anew
	sizes   map[uint32]int // of changed chunks: bytes of title and text
	moved   int
	fed     int
	repeats int
	docs    map[[32]byte]texts.Ref // documents of the old index that are still there
	newDocs int
}

// again builds where there is an index to compare with.
func (w *work) again(ctx context.Context, old *oldIndex, feed func(context.Context, Sink) error) error {
	a := &again{ctx: ctx, old: old, opt: w.opt, store: newStore(w.folder, w.opt.create, old.nextSegment()), docs: map[[32]byte]texts.Ref{}, sizes: map[uint32]int{}, seed: maphash.MakeSeed()}
	defer a.store.abandon()
	if err := a.load(); err != nil {
		return err
	}
	if err := feed(ctx, a); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	gone := a.gone()
	r := &w.result
	r.Added, r.Changed, r.Moved, r.Gone = len(a.added), len(a.changed), a.moved, len(gone)
	r.Unchanged = a.fed - r.Added - r.Changed - r.Moved
	r.Repeated = a.repeats
	r.AddedIDs, r.ChangedIDs, r.GoneIDs = a.names(a.added), a.names(a.changed), a.names(gone)
	other := w.analyzer.Language() != old.manifest.Language
	if len(a.added)+len(a.changed)+a.moved+len(gone)+a.newDocs == 0 && len(a.docs) == old.manifest.Documents && !other {
		r.EmptyIDs = a.empty()
		return w.describe(old)
	}
	c := content{}
	if err := a.store.close(&c); err != nil {
		return err
	}
	refs := newRefs(old, w.folder, c)
	defer refs.close()
	if err := refs.open(); err != nil {
		return err
	}
	much := maxChanged*(len(a.added)+len(a.changed)+len(gone)) > a.fed || maxGone*(len(a.rows)-a.fed) > len(a.rows) || len(old.manifest.Texts) >= maxTexts
	if !other && !much {
		err := w.refresh(ctx, a, c, refs, gone)
		if !errors.Is(err, errNotLinked) {
			return err
		}
		if err := w.startOver(c); err != nil {
			return err
		}
	}
	return w.rebuild(ctx, a, c, refs)
}

// load reads the tables of the old index.
func (a *again) load() error {
	a.ids = make([]texts.ID, a.old.tables.Rows())
	a.byID = make(map[string]uint32, a.old.tables.IDs())
	a.rows = make([]texts.Row, 0, a.old.tables.Rows())
	err := a.old.tables.EachRow(func(_ uint32, row texts.Row) bool {
		a.rows = append(a.rows, row)
		return true
	})
	if err != nil {
		return err
	}
	bad := false
	err = a.old.tables.EachID(func(_ uint32, id texts.ID) bool {
		if bad = int64(id.Ordinal) >= int64(len(a.ids)); !bad {
			a.ids[id.Ordinal] = id
			a.byID[id.ID] = id.Ordinal
		}
		return !bad
	})
	if bad {
		return errors.New("the tables of the old index disagree")
	}
	a.seen = make([]bool, len(a.rows))
	a.sums = make([]uint64, len(a.rows))
	a.before = len(a.rows)
	return err
}

// Document keeps a decoded document unless the old index has it.
func (a *again) Document(d corpus.Document) error {
	sum := sha256.Sum256([]byte(d.Text))
	if _, ok := a.docs[sum]; ok {
		return nil
	}
	ref, ok, err := a.old.tables.FindDoc(sum)
	if err != nil {
		return err
	}
	if ok {
		a.docs[sum] = ref
		return nil
	}
	isNew, err := a.store.document(d)
	if isNew {
		a.newDocs++
	}
	return err
}

// Chunk compares a chunk with the one of the same id.
func (a *again) Chunk(c corpus.Chunk) error {
	if err := checkChunk(c); err != nil {
		return err
	}
	if err := a.ctx.Err(); err != nil {
		return err
	}
	record := a.store.encode(c)
	ordinal, known := a.byID[c.ID]
	sum := maphash.Bytes(a.seed, record)
	if known && a.seen[ordinal] {
		if a.sums[ordinal] != sum {
			return repeatedError(c.ID)
		}
		a.repeats++
		return nil
	}
	a.fed++
	if a.fed%256 == 0 {
		a.opt.Progress(Progress{Stage: "read", Done: a.fed})
	}
	if !known {
		if len(a.rows) >= math.MaxUint32 {
			return errors.New("there are more chunks than an index can hold")
		}
		ref, err := a.store.chunk(record)
		if err != nil {
			return err
		}
		ordinal = uint32(len(a.rows))
		a.rows = append(a.rows, texts.Row{Text: ref, Shard: shardOf(ordinal, len(c.Title)+len(c.Text)), Live: true})
		a.ids = append(a.ids, texts.ID{ID: c.ID, Ordinal: ordinal, Hash: sha256.Sum256([]byte(c.Text))})
		a.seen = append(a.seen, true)
		a.sums = append(a.sums, sum)
		a.byID[c.ID] = ordinal
		a.added = append(a.added, ordinal)
		return nil
	}
	a.seen[ordinal], a.sums[ordinal] = true, sum
	old, err := a.old.blocks.Read(a.rows[ordinal].Text)
	if err != nil {
		return err
	}
	if bytes.Equal(old, record) {
		return nil
	}
	was, err := texts.DecodeChunk(old)
	if err != nil {
		return err
	}
	row := &a.rows[ordinal]
	if row.Text, err = a.store.chunk(record); err != nil {
		return err
	}
	if was.Title == c.Title && was.Text == c.Text && was.DocID == c.DocID {
		a.moved++
		return nil
	}
	a.ids[ordinal].Hash = sha256.Sum256([]byte(c.Text))
	a.changed = append(a.changed, ordinal)
	a.sizes[ordinal] = len(c.Title) + len(c.Text)
	return nil
}

// gone marks the chunks that did not come and lists them.
func (a *again) gone() []uint32 {
	var gone []uint32
	for ordinal := range a.rows[:a.before] {
		if a.rows[ordinal].Live && !a.seen[ordinal] {
			gone = append(gone, uint32(ordinal))
			a.rows[ordinal].Live = false
		}
	}
	return gone
}

func (a *again) names(ordinals []uint32) []string {
	names := make([]string, len(ordinals))
	for i, n := range ordinals {
		names[i] = a.ids[n].ID
	}
	slices.Sort(names)
	return names
}

func (a *again) empty() []string {
	var names []string
	for n, row := range a.rows {
		if row.Live && row.Words == 0 {
			names = append(names, a.ids[n].ID)
		}
	}
	slices.Sort(names)
	return names
}

// live is the ids of the chunks that are there now.
func (a *again) live() []texts.ID {
	ids := make([]texts.ID, 0, a.fed)
	for n, row := range a.rows {
		if row.Live {
			ids = append(ids, a.ids[n])
		}
	}
	return ids
}

// allDocs is the documents that came, wherever they lie.
func (a *again) allDocs() []texts.Doc {
	docs := slices.Clone(a.store.docList)
	for hash, ref := range a.docs {
		docs = append(docs, texts.Doc{Hash: hash, Text: ref})
	}
	texts.SortDocs(docs)
	return docs
}
