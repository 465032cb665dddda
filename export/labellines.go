package export

import (
	"errors"
	"fmt"
	"slices"

	"assay/corpus"
	"assay/corpus/rows"
)

// The names under which JSON Lines hold things, ours first.
var (
	queryNames     = []string{"query", "query_id", "query-id", "qid"}
	chunkNames     = []string{"chunk", "chunk_id", "corpus-id", "corpus_id", "doc_id", "docid"}
	gradeNames     = []string{"grade", "score", "relevance", "rating"}
	annotatorNames = []string{"annotator", "rater", "judge"}
)

// formatOfJSON tells the JSON Lines formats apart, "" for none.
func formatOfJSON(line []byte) Format {
	v, err := rows.ParseValue(line)
	if err != nil {
		return ""
	}
	fields, ok := v.Members()
	if !ok {
		return ""
	}
	row := rows.Row{Fields: fields}
	if kind, _, ok := row.Get("assay"); ok {
		if s, _ := kind.Text(); s == "gold" {
			return Native
		}
		return ""
	}
	if _, _, ok := row.Get(queryNames...); !ok {
		return ""
	}
	for _, names := range [][]string{{"relevant"}, {"tags"}, chunkNames} {
		if _, _, ok := row.Get(names...); ok {
			return LabelLines
		}
	}
	return ""
}

// labelLine reads {"query", "chunk", "annotator", "grade"} or {"query", "annotator", "relevant": {chunk: grade}, "tags"}.
// The grade "skip" is cannot_judge, which is not 0 (B018).
func (r *labelReader) labelLine(row rows.Row) error {
	v, err := rows.ParseValue(row.Raw)
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	fields, ok := v.Members()
	if !ok {
		return fmt.Errorf("%s, not an object", v.Kind())
	}
	row.Fields = fields
	query, err := r.idField(row, "query", queryNames)
	if err != nil {
		return err
	}
	annotator := ""
	if _, _, ok := row.Get(annotatorNames...); ok {
		if annotator, err = r.idField(row, "annotator", annotatorNames); err != nil {
			return err
		}
	}
	judgments, err := r.judgmentsOf(row, Judgment{Line: row.Line, QueryID: query, Annotator: annotator})
	if err != nil {
		return err
	}
	tags, tagged := []string(nil), false
	if v, _, ok := row.Get("tags"); ok && v.Kind() != rows.Null {
		if tags, tagged = v.Strings(); !tagged || slices.Contains(tags, "") {
			return errors.New("tags: want a list of names")
		}
	}
	if err := r.add(judgments...); err != nil {
		return err
	}
	r.name(query)
	for _, t := range tags {
		r.out.Tags = append(r.out.Tags, Tag{row.Line, query, annotator, t})
	}
	return nil
}

// judgmentsOf reads the row's grades, each made from like.
func (r *labelReader) judgmentsOf(row rows.Row, like Judgment) ([]Judgment, error) {
	if relevant, _, ok := row.Get("relevant"); ok {
		members, ok := relevant.Members()
		if !ok {
			return nil, fmt.Errorf("relevant: want an object of grades by chunk id, not %s", relevant.Kind())
		}
		var list []Judgment
		for _, m := range members {
			j, err := r.judgment(like, m.Name, m.Value)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(list, func(o Judgment) bool { return o.ChunkID == j.ChunkID && o.Grade != j.Grade }) {
				return nil, fmt.Errorf("relevant: chunk %q has two grades", clipped(j.ChunkID))
			}
			list = append(list, j)
		}
		return list, nil
	}
	if _, _, ok := row.Get(chunkNames...); !ok {
		if _, _, ok := row.Get("tags"); ok {
			return nil, nil // a query that is only tagged
		}
	}
	chunk, err := r.idField(row, "chunk", chunkNames)
	if err != nil {
		return nil, err
	}
	grade, _, ok := row.Get(gradeNames...)
	if !ok {
		return nil, errors.New("there is no grade")
	}
	j, err := r.judgment(like, chunk, grade)
	return []Judgment{j}, err
}

func (r *labelReader) judgment(j Judgment, chunk string, grade rows.Value) (Judgment, error) {
	if err := corpus.CheckID(chunk); err != nil {
		return j, fmt.Errorf("chunk: %w", err)
	}
	j.ChunkID = chunk
	text, ok := grade.Text()
	if !ok {
		return j, fmt.Errorf("grade: want a whole number, not %s", grade.Kind())
	}
	if text == "skip" || text == corpus.CannotJudge.String() {
		j.Grade = corpus.CannotJudge
		return j, nil
	}
	var err error
	j.Grade, err = parseGrade(text)
	return j, err
}

// idField is the id under one of the names; numbers keep their digits.
func (r *labelReader) idField(row rows.Row, whose string, names []string) (string, error) {
	v, _, ok := row.Get(names...)
	if !ok {
		return "", fmt.Errorf("there is no %s", whose)
	}
	id, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("%s: want an id, not %s", whose, v.Kind())
	}
	if err := corpus.CheckID(id); err != nil {
		return "", fmt.Errorf("%s: %w", whose, err)
	}
	return id, nil
}
