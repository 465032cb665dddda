package export

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
)

// Judgment is one grade as a file without anchors gives it. Annotator is "" where the file names none.
type Judgment struct {
	Line      int
	QueryID   string
	ChunkID   string
	Annotator string
	Grade     corpus.Grade
}

// Tag is a tag as a file gives it. Annotator is "" where the file names none.
type Tag struct {
	Line      int
	QueryID   string
	Annotator string
	Tag       string
}

// Labels are what a file of labels held.
type Labels struct {
	File      string // the file that was read: of a BEIR folder, its qrels
	Format    Format
	Judgments []Judgment
	Tags      []Tag
	Queries   []string        // every query that the file names, in order of appearance
	Gold      *corpus.GoldSet // native files only; Judgments and Tags are then empty: see agreement.Split
	Warnings  []string
	Stats     Stats
}

// ReadOptions say how to read labels or a run.
type ReadOptions struct {
	Format    Format    // "" detects it from the content
	DecodeIDs bool      // undo TRECOptions.EncodeIDs
	Split     string    // of a BEIR folder; "" is its only one, else "test"
	Encoding  string    // as rows.Options has it; labels only
	Stdin     io.Reader // what the path "-" reads; nil for the process's own
}

// lookAhead is how many lines decide on the format.
const lookAhead = 50

// ReadLabels reads a file of labels: native, BEIR qrels (or the folder that holds them), TREC qrels, or simple JSON
// Lines. Of two lines on the same query, chunk and annotator the first counts: the second is dropped where it says the
// same, and rejected with both line numbers where it contradicts (B009). The error is about the file as a whole.
func ReadLabels(path string, opt ReadOptions) (Labels, error) {
	path, err := labelFile(path, opt.Split)
	if err != nil {
		return Labels{}, err
	}
	in, err := rows.Open(path, rows.Options{Format: rows.Lines, Encoding: opt.Encoding, Stdin: opt.Stdin})
	if err != nil {
		return Labels{}, err
	}
	defer in.Close()
	r := &labelReader{
		in: in, decode: opt.DecodeIDs, named: map[string]bool{}, said: map[judged]saidBefore{},
		out: Labels{File: in.File(), Format: opt.Format},
	}
	if err := r.peek(); err != nil {
		return Labels{}, err
	}
	if err := r.choose(); err != nil {
		return Labels{}, err
	}
	if err := r.readAll(); err != nil {
		return Labels{}, err
	}
	r.out.Stats.Blank += in.Stats().Blank
	slices.SortStableFunc(r.out.Stats.Rejects, func(a, b *Reject) int { return a.Line - b.Line })
	return r.out, nil
}

// labelFile is the file of labels at path: of a BEIR folder, the qrels of the split.
func labelFile(path, split string) (string, error) {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() {
		return path, nil // what is not there, opening says
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(path), "qrels", "*.tsv"))
	if err != nil || len(found) == 0 {
		return "", &rows.Error{File: path, Reason: "the folder holds no qrels/*.tsv", Advice: "name the file that holds the labels"}
	}
	if split == "" && len(found) == 1 {
		return found[0], nil
	}
	if split == "" {
		split = "test"
	}
	for _, f := range found {
		if filepath.Base(f) == split+".tsv" {
			return f, nil
		}
	}
	var names []string
	for _, f := range found {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".tsv"))
	}
	return "", &rows.Error{File: path, Reason: fmt.Sprintf("the folder has no split %q", split), Advice: "it has " + strings.Join(names, ", ")}
}

// escapeGlob makes a path match itself only.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// labelReader reads one file of labels.
type labelReader struct {
	in     *rows.Reader
	ahead  []rows.Row // lines that were read to find out the format
	decode bool       // ids are percent-encoded
	out    Labels
	named  map[string]bool
	said   map[judged]saidBefore
	parse  func(row rows.Row) error
}

type judged struct{ query, chunk, annotator string }

type saidBefore struct {
	line  int
	grade corpus.Grade
}

// The two ways in which a line is neither accepted nor rejected.
var (
	errHeader = errors.New("a header")
	errBlank  = errors.New("a comment")
)

// next is the next line that is text at all; io.EOF ends.
func (r *labelReader) next() (rows.Row, error) {
	if len(r.ahead) > 0 {
		row := r.ahead[0]
		r.ahead = r.ahead[1:]
		return row, nil
	}
	return r.read()
}

func (r *labelReader) read() (rows.Row, error) {
	for {
		row, err := r.in.Next()
		var reject *Reject
		if !errors.As(err, &reject) {
			return row, err
		}
		r.out.Stats.reject(reject)
	}
}

func (r *labelReader) peek() error {
	for len(r.ahead) < lookAhead {
		row, err := r.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		r.ahead = append(r.ahead, row)
	}
	if len(r.ahead) == 0 {
		if n := r.out.Stats.Rejected; n > 0 {
			return &rows.Error{File: r.out.File, Line: r.out.Stats.Rejects[0].Line, Reason: r.out.Stats.Rejects[0].Reason, Advice: r.out.Stats.Rejects[0].Hint}
		}
		return &rows.Error{File: r.out.File, Reason: "the file is empty"}
	}
	return nil
}

// choose finds the parser of the format, which a header or else the most of the first lines shows.
func (r *labelReader) choose() error {
	first := r.ahead[0].Raw
	if r.out.Format == "" {
		r.out.Format = detectLabels(r.ahead)
	}
	switch r.out.Format {
	case Native:
		native := &nativeReader{lineOf: map[string]int{}}
		if err := native.readHeader(first); err != nil {
			return &rows.Error{File: r.out.File, Line: r.ahead[0].Line, Reason: err.Error(), Advice: "is it a gold set that assay wrote, from its first line on?"}
		}
		r.out.Gold = &native.gold
		r.parse = r.nativeLine(native)
	case BEIR:
		columns, err := tabColumns(first)
		if err != nil {
			return &rows.Error{File: r.out.File, Line: r.ahead[0].Line, Reason: err.Error()}
		}
		if !columns.header {
			r.out.Warnings = append(r.out.Warnings, "the first line is a label, not a header: BEIR's own loader would skip it")
		}
		r.parse = r.tabLine(columns)
	case TREC:
		r.parse = r.qrelsLine
	case LabelLines:
		r.parse = r.labelLine
	case TRECRun:
		return &rows.Error{File: r.out.File, Line: r.ahead[0].Line, Reason: "this is a run, not labels", Advice: "assay import run"}
	default:
		return &rows.Error{
			File: r.out.File, Line: r.ahead[0].Line, Advice: "name its format if it is one of these",
			Reason: "this is neither a native gold set, BEIR or TREC qrels, nor JSON Lines with query, chunk and grade",
		}
	}
	return nil
}

// detectLabels recognises the format, "" where it is none.
func detectLabels(lines []rows.Row) Format {
	if f := formatOfLine(lines[0].Raw); f == Native || f == BEIR {
		return f
	}
	votes := map[Format]int{}
	for _, l := range lines {
		votes[formatOfLine(l.Raw)]++
	}
	best := Format("")
	for _, f := range []Format{TREC, BEIR, LabelLines, TRECRun} {
		if votes[f] > votes[best] || best == "" && votes[f] > 0 {
			best = f
		}
	}
	return best
}

func formatOfLine(line []byte) Format {
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
		return formatOfJSON(line)
	}
	if columns, err := tabColumns(line); err == nil && (columns.header || columns.count == 3) {
		return BEIR
	}
	switch fields := asciiFields(line); {
	case len(fields) == 4 && isGrade(fields[3]):
		return TREC
	case len(fields) == 6 && isNumber(fields[4]):
		return TRECRun
	}
	return ""
}

func (r *labelReader) readAll() error {
	s := &r.out.Stats
	for {
		row, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch err := r.parse(row); {
		case err == nil:
			s.Accepted++
		case err == errHeader:
			s.Header++
		case err == errBlank:
			s.Blank++
		default:
			var bad *badLine
			hint := ""
			if errors.As(err, &bad) {
				hint = bad.hint
			}
			s.reject(row.Reject(err.Error(), hint))
		}
	}
	if r.out.Format == Native {
		r.out.Warnings = append(r.out.Warnings, (&nativeReader{gold: *r.out.Gold}).warnings()...)
	}
	return nil
}

// badLine is a reason to reject a line, with advice.
type badLine struct{ reason, hint string }

func (b *badLine) Error() string { return b.reason }

// nativeLine reads the rows of a native file behind its header.
func (r *labelReader) nativeLine(native *nativeReader) func(rows.Row) error {
	headed := false
	return func(row rows.Row) error {
		if !headed {
			headed = true
			return errHeader
		}
		if err := native.readRow(row.Raw, row.Line); err != nil {
			return err
		}
		r.name(native.gold.Rows[len(native.gold.Rows)-1].QueryID)
		return nil
	}
}

// name notes that the file names a query.
func (r *labelReader) name(query string) {
	if !r.named[query] {
		r.named[query] = true
		r.out.Queries = append(r.out.Queries, query)
	}
}

// add takes a line's judgments, all or none. Those that were there already are dropped.
func (r *labelReader) add(judgments ...Judgment) error {
	repeats := 0
	for _, j := range judgments {
		before, ok := r.said[judged{j.QueryID, j.ChunkID, j.Annotator}]
		switch {
		case !ok:
		case before.grade == j.Grade:
			repeats++
		default:
			return &badLine{
				fmt.Sprintf("grade %s of chunk %q for query %q contradicts grade %s in line %d", j.Grade, clipped(j.ChunkID), clipped(j.QueryID), before.grade, before.line),
				"the first is kept; take one of the two lines out",
			}
		}
	}
	for _, j := range judgments {
		k := judged{j.QueryID, j.ChunkID, j.Annotator}
		if _, ok := r.said[k]; !ok {
			r.said[k] = saidBefore{j.Line, j.Grade}
			r.out.Judgments = append(r.out.Judgments, j)
		}
		r.name(j.QueryID)
	}
	if repeats > 0 && repeats == len(judgments) {
		r.out.Stats.Repeats++
	}
	return nil
}

// id checks an id, and decodes it first where the file's ids are encoded.
func (r *labelReader) id(text []byte, whose string) (string, error) {
	id := string(text)
	if r.decode {
		var err error
		if id, err = decodeID(id); err != nil {
			return "", fmt.Errorf("%s: %w", whose, err)
		}
	}
	if err := corpus.CheckID(id); err != nil {
		return "", fmt.Errorf("%s: %w", whose, err)
	}
	return id, nil
}

// parseGrade reads a whole number. Negative ones are kept as they are: "pooled, not judged" (B073).
func parseGrade(text string) (corpus.Grade, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || corpus.Grade(n) == corpus.CannotJudge {
		return 0, &badLine{fmt.Sprintf("grade %q is not a whole number", clipped(text)), "grades are integers on a scale; multiply fractions out"}
	}
	return corpus.Grade(n), nil
}

func isGrade(b []byte) bool {
	_, err := parseGrade(string(b))
	return err == nil
}

func isNumber(b []byte) bool {
	_, err := strconv.ParseFloat(string(b), 64)
	return err == nil
}

// clipped is the beginning of what a message quotes.
func clipped(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
