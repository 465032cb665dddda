package export

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"assay/corpus"
	"assay/corpus/rows"
)

// TRECOptions say how to write qrels and runs.
type TRECOptions struct {
	EncodeIDs bool      // percent-encode what the format can't hold; without it such ids are an error
	Map       io.Writer // where to list the ids that were encoded, {"encoded", "id"} a line; may be nil
	Binary    bool      // qrels: write 1 from relevant_from on and 0 below; negative grades stay
}

// WriteQrels writes the agreed grades as TREC qrels, "qid 0 docid rel", sorted by query and chunk id. An id that the
// format can't hold is an error unless ids are encoded.
func WriteQrels(w io.Writer, gold corpus.GoldSet, opt TRECOptions) ([]Loss, error) {
	ids := trecIDs{opt: opt, done: map[string]string{}}
	out := bufio.NewWriterSize(w, 64<<10)
	var line []byte
	without := 0
	for i := range gold.Rows {
		r := &gold.Rows[i]
		if len(r.Grades) == 0 {
			without++
			continue
		}
		query, err := ids.write(r.QueryID, true)
		if err != nil {
			return nil, fmt.Errorf("write qrels: query %w", err)
		}
		for _, id := range slices.Sorted(maps.Keys(r.Grades)) {
			chunk, err := ids.write(id, false)
			if err != nil {
				return nil, fmt.Errorf("write qrels: chunk %w", err)
			}
			grade := r.Grades[id]
			if opt.Binary && grade >= 0 {
				grade = oneOrZero(grade, gold.Header.Scale)
			}
			line = append(append(append(line[:0], query...), " 0 "...), chunk...)
			line = append(strconv.AppendInt(append(line, ' '), int64(grade), 10), '\n')
			if _, err := out.Write(line); err != nil {
				return nil, fmt.Errorf("write qrels: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return nil, fmt.Errorf("write qrels: %w", err)
	}
	lost := appendLoss(nil, "queries", without, "a query without an agreed grade has no line")
	lost = appendLoss(lost, "ids", ids.encoded, "percent-encoded: other tools see other ids")
	if opt.Binary {
		lost = append(lost, losses(gold, what{"grades", "only 0 and 1 are written", func(r *corpus.GoldRow) bool { return len(r.Grades) > 0 }})...)
	}
	return append(lost, losses(gold, lostText, lostMeta, lostTurns, lostState, lostAnswerable, lostTags, lostAnswer, lostUnresolved, lostSets,
		lostNegatives, lostConflicts, lostCannot, lostLabels, lostSearches)...), nil
}

func oneOrZero(g corpus.Grade, scale corpus.Scale) corpus.Grade {
	if scale.Relevant(g) {
		return 1
	}
	return 0
}

// trecIDs writes ids as TREC files can hold them.
type trecIDs struct {
	opt     TRECOptions
	done    map[string]string // what was encoded already
	encoded int               // lines with an id that was
}

func (t *trecIDs) write(id string, first bool) (string, error) {
	if !t.opt.EncodeIDs {
		if !trecSafe(id, first) {
			return "", &unfitID{id}
		}
		return id, nil
	}
	enc, ok := t.done[id]
	if !ok {
		enc = encodeID(id)
		if enc != id && t.opt.Map != nil {
			var line jsonLine
			line.open('{')
			line.field("encoded", enc)
			line.field("id", id)
			line.close('}')
			if _, err := t.opt.Map.Write(append(line.b, '\n')); err != nil {
				return "", err
			}
		}
		t.done[id] = enc
	}
	if enc != id {
		t.encoded++
	}
	return enc, nil
}

// unfitID is the error for an id that the format can't hold.
type unfitID struct{ id string }

func (u *unfitID) Error() string {
	return fmt.Sprintf("id %q can't be written: fields are parted by white space, and # begins a comment", clipped(u.id))
}

// Hint is what to do about it.
func (*unfitID) Hint() string { return "--encode-ids writes such ids percent-encoded" }

// qrelsLine reads "qid iter docid rel", parted by white space. A line that begins with "# ", or with # and is no label, is a
// comment; an id may begin with #.
func (r *labelReader) qrelsLine(row rows.Row) error {
	fields := asciiFields(row.Raw)
	comment := len(fields) > 0 && fields[0][0] == '#'
	if len(fields) != 4 || comment && len(fields[0]) == 1 {
		if comment {
			return errBlank
		}
		return &badLine{
			fmt.Sprintf("%d fields, want 4: query id, iteration, chunk id, grade", len(fields)),
			"ids with spaces can't stand in TREC files",
		}
	}
	grade, err := parseGrade(string(fields[3]))
	if err != nil {
		if comment {
			return errBlank
		}
		return err
	}
	query, err := r.id(fields[0], "query id")
	if err != nil {
		return err
	}
	chunk, err := r.id(fields[2], "chunk id")
	if err != nil {
		return err
	}
	return r.add(Judgment{Line: row.Line, QueryID: query, ChunkID: chunk, Grade: grade})
}

// asciiFields parts a line at C's white space, as trec_eval does: other spaces belong to ids.
func asciiFields(line []byte) [][]byte {
	var fields [][]byte
	for i := 0; i < len(line); {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		start := i
		for i < len(line) && !isSpace(line[i]) {
			i++
		}
		if i > start {
			fields = append(fields, line[start:i])
		}
	}
	return fields
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
