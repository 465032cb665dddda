package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
)

// BEIROptions say what a BEIR folder holds.
type BEIROptions struct {
	Split  string                                     // "" is "test"
	Chunks func(yield func(corpus.Chunk, error) bool) // the corpus, in the order of the file; nil leaves corpus.jsonl out
}

// WriteBEIR writes a BEIR folder: queries.jsonl with every query that has a text, qrels/<split>.tsv with the agreed
// grades, and corpus.jsonl where there are chunks. Each file is replaced whole; others in the folder are left alone.
func WriteBEIR(dir string, gold corpus.GoldSet, opt BEIROptions) ([]Loss, error) {
	split := opt.Split
	if split == "" {
		split = "test"
	}
	if split != filepath.Base(split) || strings.HasPrefix(split, ".") {
		return nil, fmt.Errorf("write BEIR folder: split %q can't be a file's name", clipped(split))
	}
	if err := os.MkdirAll(filepath.Join(dir, "qrels"), 0o777); err != nil {
		return nil, fmt.Errorf("write BEIR folder: %w", err)
	}
	if opt.Chunks != nil {
		if err := WriteFile(filepath.Join(dir, "corpus.jsonl"), func(w io.Writer) error { return writeBEIRCorpus(w, opt.Chunks) }); err != nil {
			return nil, err
		}
	}
	if err := WriteFile(filepath.Join(dir, "queries.jsonl"), func(w io.Writer) error { return writeBEIRQueries(w, gold) }); err != nil {
		return nil, err
	}
	var lost []Loss
	err := WriteFile(filepath.Join(dir, "qrels", split+".tsv"), func(w io.Writer) (err error) {
		lost, err = writeBEIRQrels(w, gold)
		return err
	})
	if err != nil {
		return nil, err
	}
	return append(lost, losses(gold, lostMeta, lostTurns, lostState, lostAnswerable, lostTags, lostAnswer, lostUnresolved, lostSets,
		lostNegatives, lostConflicts, lostCannot, lostLabels, lostSearches)...), nil
}

func writeBEIRCorpus(w io.Writer, chunks func(yield func(corpus.Chunk, error) bool)) error {
	var line jsonLine
	for c, err := range chunks {
		if err != nil {
			return err
		}
		line.b = line.b[:0]
		line.open('{')
		line.field("_id", c.ID)
		line.field("title", c.Title)
		line.field("text", c.Text)
		line.key("metadata")
		if meta := bytes.TrimSpace(c.Meta); len(meta) > 0 && meta[0] == '{' {
			line.raw(c.Meta)
		} else {
			line.b = append(line.b, "{}"...)
		}
		line.close('}')
		if _, err := w.Write(append(line.b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func writeBEIRQueries(w io.Writer, gold corpus.GoldSet) error {
	var line jsonLine
	for i := range gold.Rows {
		r := &gold.Rows[i]
		if r.Query == nil {
			continue
		}
		line.b = line.b[:0]
		line.open('{')
		line.field("_id", r.QueryID)
		line.field("text", *r.Query)
		line.key("metadata")
		line.b = append(line.b, "{}}\n"...)
		if _, err := w.Write(line.b); err != nil {
			return err
		}
	}
	return nil
}

const beirHeader = "query-id\tcorpus-id\tscore\n"

// writeBEIRQrels leaves out what would break BEIR's loader, and counts it.
func writeBEIRQrels(w io.Writer, gold corpus.GoldSet) ([]Loss, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	out.WriteString(beirHeader) // errors are kept until Flush
	var line []byte
	var ungraded, textless, unfit int
	for i := range gold.Rows {
		r := &gold.Rows[i]
		written := 0
		for _, id := range slices.Sorted(maps.Keys(r.Grades)) {
			if r.Query == nil {
				break
			}
			if !tabSafe(r.QueryID) || !tabSafe(id) {
				unfit++
				continue
			}
			written++
			line = append(append(append(line[:0], r.QueryID...), '\t'), id...)
			line = append(strconv.AppendInt(append(line, '\t'), int64(r.Grades[id]), 10), '\n')
			out.Write(line)
		}
		switch {
		case r.Query == nil:
			textless++
		case written == 0:
			ungraded++
		}
	}
	lost := appendLoss(nil, "queries", ungraded, "they are in queries.jsonl without a line in qrels: BEIR's loader drops them")
	lost = appendLoss(lost, "queries without text", textless, "labels on queries that were never imported would break BEIR's loader")
	lost = appendLoss(lost, "ids", unfit, "labels whose ids hold a tab or line end, or begin with a quote, can't be held by a line")
	return lost, out.Flush()
}

// tabSafe reports whether an id can stand in BEIR's tab-separated file, which its loader reads as CSV.
func tabSafe(id string) bool {
	return !strings.ContainsAny(id, "\t\n\r\x00") && !strings.HasPrefix(id, `"`)
}

// columns says where a tab-separated file holds what.
type columns struct {
	header                         bool
	count                          int
	query, chunk, grade, annotator int // annotator is -1 where there is none
}

// tabColumns reads a header, or finds that a first line is a label in BEIR's own order.
func tabColumns(line []byte) (columns, error) {
	cells := strings.Split(string(line), "\t")
	find := func(names []string) int {
		return slices.IndexFunc(cells, func(c string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(c)) })
		})
	}
	c := columns{
		header: true, count: len(cells), query: find(queryNames), chunk: find(chunkNames), grade: find(gradeNames),
		annotator: find(annotatorNames),
	}
	if c.query >= 0 && c.chunk >= 0 && c.grade >= 0 {
		return c, nil
	}
	if len(cells) == 3 && isGrade([]byte(cells[2])) {
		return columns{count: 3, query: 0, chunk: 1, grade: 2, annotator: -1}, nil
	}
	return columns{}, errors.New("there is no header with query-id, corpus-id and score, parted by tabs")
}

// tabLine reads "query-id⇥corpus-id⇥score". Quotes are literal.
func (r *labelReader) tabLine(c columns) func(rows.Row) error {
	headed := !c.header
	return func(row rows.Row) error {
		if !headed {
			headed = true
			return errHeader
		}
		cells := bytes.Split(row.Raw, []byte("\t"))
		if len(cells) != c.count {
			return fmt.Errorf("%d columns, want %d", len(cells), c.count)
		}
		grade, err := parseGrade(string(cells[c.grade]))
		if err != nil {
			return err
		}
		query, err := r.id(cells[c.query], "query-id")
		if err != nil {
			return err
		}
		chunk, err := r.id(cells[c.chunk], "corpus-id")
		if err != nil {
			return err
		}
		j := Judgment{Line: row.Line, QueryID: query, ChunkID: chunk, Grade: grade}
		if c.annotator >= 0 {
			if j.Annotator, err = r.id(cells[c.annotator], "annotator"); err != nil {
				return err
			}
		}
		return r.add(j)
	}
}
