package docs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"assay/corpus"
	"assay/corpus/rows"
)

// maxDocument is the longest file that is read as a document, in bytes.
const maxDocument = 64 << 20

// Read reads the sources in their order, files of a folder in the order of their paths' bytes, and hands documents and
// chunks to sink. The same files give the same chunks. A row or file that can't be used is left out and named in the
// summary; a source that is missing or damaged ends the reading, as does ctx, since what was read by then is no corpus.
func Read(ctx context.Context, sources []corpus.Source, opt Options, sink Sink) (Summary, error) {
	if err := opt.Chunking.Check(); err != nil {
		return Summary{}, err
	}
	opt.Chunking = opt.Chunking.orDefault()
	r := reader{
		ctx: ctx, opt: opt, sink: sink, seen: newSeen(), markdown: newMarkdown(),
		files: map[string]string{}, documents: map[[16]byte]int{},
	}
	plans := make([]plan, len(sources))
	for i, s := range sources {
		if err := ctx.Err(); err != nil {
			return Summary{}, err
		}
		if s.Encoding == "" {
			s.Encoding = opt.Encoding
		}
		var err error
		if plans[i], err = planSource(s); err != nil {
			return Summary{}, err
		}
		for _, in := range plans[i].inputs {
			r.total += in.size
		}
	}
	for i, p := range plans {
		r.at = SourceSummary{Source: sources[i], Kind: p.kind}
		if err := r.readSource(p); err != nil {
			return r.sum, err
		}
		r.sum.Sources = append(r.sum.Sources, r.at)
	}
	return r.sum, nil
}

// reader is one call of Read.
type reader struct {
	ctx       context.Context
	opt       Options
	sink      Sink
	markdown  *markdown
	sum       Summary
	at        SourceSummary // of the source at hand
	seen      *seen
	files     map[string]string // files that were read, by their path without links, and what they were called then
	documents map[[16]byte]int  // how many chunks each document has so far, by the hash of its id
	total     int64
	done      int64 // bytes of the files before the one at hand
}

func (r *reader) readSource(p plan) error {
	before := len(r.sum.Skipped)
	r.sum.Skipped = append(r.sum.Skipped, p.skipped...)
	r.at.Skipped += len(p.skipped)
	defer func() {
		slices.SortStableFunc(r.sum.Skipped[before:], func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	}()
	for _, in := range p.inputs {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if earlier, ok := r.files[in.real]; ok {
			r.skip(in.name, "already read, as "+earlier, "")
		} else {
			r.files[in.real] = in.name
			read := r.readDocument
			if in.as == asRows {
				read = r.readRows
			}
			if err := read(p, in); err != nil {
				return err
			}
		}
		r.done += in.size
		r.progress(0)
	}
	return nil
}

func (r *reader) skip(path, reason, hint string) {
	r.sum.Skipped = append(r.sum.Skipped, Skipped{path, reason, hint})
	r.at.Skipped++
}

// progress reports that n bytes of the file at hand are read.
func (r *reader) progress(n int64) {
	if r.opt.Progress != nil {
		r.opt.Progress(min(r.done+n, r.total), r.total)
	}
}

// readDocument reads a file, cuts it and hands it on. What is wrong with it is noted; only the sink's errors are returned.
func (r *reader) readDocument(p plan, in input) error {
	text, reason, hint := readText(in.path, p.source.Encoding)
	if reason != "" {
		r.skip(in.name, reason, hint)
		return nil
	}
	if strings.TrimSpace(text) == "" {
		r.skip(in.name, "empty", "")
		return nil
	}
	doc := corpus.Document{Title: stem(in.id), Text: text, Hash: corpus.HashText(text)}
	var pieces []piece
	if in.as == asMarkdown {
		var notes []Note
		pieces, doc.Title, notes = r.markdown.cut(text, doc.Title, r.opt.Chunking)
		for _, n := range notes {
			n.File = in.name
			r.sum.Notes = append(r.sum.Notes, n)
		}
	} else {
		pieces = cutPlain(text, doc.Title, r.opt.Chunking)
	}
	if len(pieces) == 0 {
		r.skip(in.name, "it holds front matter only", "")
		return nil
	}
	doc.ID = r.documentID(p, in.id)
	if err := corpus.CheckID(fmt.Sprintf("%s#%d", doc.ID, len(pieces))); err != nil {
		r.skip(in.name, err.Error(), "")
		return nil
	}
	r.documents[documentKey(doc.ID)] = len(pieces)
	if err := r.sink.Document(doc); err != nil {
		return err
	}
	r.sum.Documents++
	r.at.Documents++
	for i, piece := range pieces {
		span := piece.Span
		c := corpus.Chunk{
			ID:    fmt.Sprintf("%s#%d", doc.ID, i+1),
			DocID: doc.ID, DocHash: doc.Hash, Span: &span, Ordinal: i + 1,
			Title: piece.title, Text: text[span.Start:span.End],
		}
		if _, reject, err := r.keep(c, rows.Row{File: in.name}); err != nil {
			return err
		} else if reject != nil {
			r.reject(reject)
		}
	}
	return nil
}

// readText reads a file as text, or says why it can't be.
func readText(path, encoding string) (text, reason, hint string) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Sprintf("it can't be read: %v", cause(err)), ""
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	switch {
	case err != nil:
		return "", fmt.Sprintf("it can't be read: %v", cause(err)), ""
	case len(raw) > maxDocument:
		return "", fmt.Sprintf("longer than %d MiB", maxDocument>>20), "split it"
	}
	return decode(raw, encoding)
}

// stem is a file's name without folder and ending.
func stem(id string) string {
	base := id[strings.LastIndexByte(id, '/')+1:]
	if s := strings.TrimSuffix(base, filepath.Ext(base)); s != "" {
		return s
	}
	return base
}

func documentKey(id string) [16]byte { return short(sha256.Sum256([]byte(id))) }

// documentID is id, or if another document has it, id below as many folders above as tell the two apart.
func (r *reader) documentID(p plan, id string) string {
	free := func(id string) bool {
		_, taken := r.documents[documentKey(id)]
		return !taken
	}
	above := strings.Split(strings.Trim(filepath.ToSlash(p.folder), "/"), "/")
	for i := len(above); i >= 0; i-- {
		if longer := strings.Join(append(above[i:len(above):len(above)], id), "/"); free(longer) {
			return longer
		}
	}
	for n := 2; ; n++ {
		if numbered := fmt.Sprintf("%s~%d", id, n); free(numbered) {
			return numbered
		}
	}
}

// readRows hands on a chunk for each row.
func (r *reader) readRows(p plan, in input) error {
	f, err := os.Open(in.path)
	if err != nil {
		return sourceError(in.name, err)
	}
	defer f.Close()
	src, err := rows.New(f, in.name, rows.Options{
		Format: in.format, Encoding: p.source.Encoding, MaxLine: r.opt.MaxLine, Columns: p.fields.columns(),
	})
	if err != nil {
		return err
	}
	defer src.Close()
	format := src.Stats().Format
	p.fields.cells = format == rows.CSV || format == rows.TSV
	var reported int64
	for n := 0; ; n++ {
		if n%64 == 0 {
			if err := r.ctx.Err(); err != nil {
				return err
			}
		}
		if read := src.Stats().Consumed; read-reported >= 1<<18 {
			reported = read
			r.progress(read)
		}
		row, err := src.Next()
		var reject *rows.Reject
		switch {
		case err == io.EOF:
			stats := src.Stats()
			r.at.Format, r.at.Encoding, r.at.Blank = string(stats.Format), stats.Encoding, r.at.Blank+stats.Blank
			return nil
		case errors.As(err, &reject):
		case err != nil:
			return err
		default:
			if reject, err = r.readRow(p.fields, row); err != nil {
				return err
			}
		}
		if reject != nil {
			r.reject(reject)
		}
	}
}

func (r *reader) readRow(fields rowFields, row rows.Row) (*rows.Reject, error) {
	c, reject := fields.chunk(row)
	if reject != nil {
		return reject, nil
	}
	kept, reject, err := r.keep(c, row)
	switch {
	case kept:
		r.at.Accepted++
	case reject == nil && err == nil:
		r.at.Repeated++
	}
	return reject, err
}

func (r *reader) reject(reject *rows.Reject) {
	if r.sum.Rejected++; r.sum.Rejected <= MaxListed {
		r.sum.Rejects = append(r.sum.Rejects, reject)
	}
	r.at.Rejected++
}

// keep hands a chunk on unless its id is known. A chunk that says the same again is counted as a repeat, another chunk of
// the same id is rejected.
func (r *reader) keep(c corpus.Chunk, row rows.Row) (kept bool, reject *rows.Reject, err error) {
	at := Place{row.File, row.Line}
	v := r.seen.meet(c, at)
	switch {
	case v.same:
		if r.sum.Repeated++; r.sum.Repeated <= MaxListed {
			r.sum.Repeats = append(r.sum.Repeats, Repeat{c.ID, v.first, at})
		}
		return false, nil, nil
	case v.known:
		if len(r.sum.Conflicts) < MaxListed {
			r.sum.Conflicts = append(r.sum.Conflicts, Conflict{c.ID, v.first, at, v.differs})
		}
		return false, row.Reject(fmt.Sprintf("the id %q is taken by another %s, at %s", show(c.ID), v.differs, v.first), "ids are unique; the first is kept"), nil
	case v.alike != "" && c.Ordinal <= 1: // of a document's chunks, the first speaks for all
		if r.sum.AlikeCount++; r.sum.AlikeCount <= MaxListed {
			r.sum.Alike = append(r.sum.Alike, Alike{v.alike, c.ID, v.first, at})
		}
	}
	if c.Span == nil && c.DocID != "" {
		key := documentKey(c.DocID)
		r.documents[key]++
		c.Ordinal = r.documents[key]
	}
	if strings.TrimFunc(c.Text, unicode.IsSpace) == "" {
		if r.sum.EmptyRows++; r.sum.EmptyRows <= MaxListed {
			r.sum.Empty = append(r.sum.Empty, c.ID)
		}
	}
	if err := r.sink.Chunk(c); err != nil {
		return false, nil, err
	}
	r.sum.Chunks++
	r.at.Chunks++
	return true, nil, nil
}
