package docs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/rows"
)

// The names of a chunk's fields, as corpus.Source.Fields overrides them.
const (
	fieldID       = "id"
	fieldText     = "text"
	fieldTitle    = "title"
	fieldDocument = "document"
	fieldMetadata = "metadata"
)

// FieldNames are our names of the fields that corpus.Source.Fields may override.
func FieldNames() []string {
	return []string{fieldID, fieldText, fieldTitle, fieldDocument, fieldMetadata}
}

// commonNames are what sources call the fields, the likeliest first.
func commonNames(field string) []string {
	switch field {
	case fieldID:
		return []string{"id", "_id", "chunk_id", "chunkid", "doc_id", "docid", "docno", "document_id", "passage_id", "pid", "uuid"}
	case fieldText:
		return []string{"text", "content", "contents", "body", "passage", "page_content", "chunk", "chunk_text", "passage_text", "document_text"}
	case fieldTitle:
		return []string{"title", "heading", "headline"}
	case fieldDocument:
		return []string{"document", "document_id", "doc", "doc_id", "docid", "source", "url", "path", "file", "filename"}
	case fieldMetadata:
		return []string{"metadata", "meta"}
	}
	return nil
}

// rowFields finds a chunk's fields in rows.
type rowFields struct {
	given map[string]string // our name → the source's, as the user said
	cells bool              // rows are of CSV or TSV, where JSON stands in cells
}

func newRowFields(s corpus.Source) (rowFields, error) {
	for ours := range s.Fields {
		if commonNames(ours) == nil {
			return rowFields{}, &SourceError{Path: s.Path, Reason: fmt.Sprintf("there is no field called %q", ours), Advice: "fields are " + strings.Join(FieldNames(), ", ")}
		}
	}
	return rowFields{given: s.Fields}, nil
}

// columns are all names that may be asked for: they make a first row of CSV a header.
func (f rowFields) columns() []string {
	var names []string
	for _, ours := range FieldNames() {
		if given := f.given[ours]; given != "" {
			names = append(names, given)
		} else {
			names = append(names, commonNames(ours)...)
		}
	}
	return names
}

// get finds a field under the name that the user gave, else under the common ones but those that are taken.
func (f rowFields) get(row rows.Row, ours string, taken ...string) (v rows.Value, name string, ok bool) {
	if given := f.given[ours]; given != "" {
		return row.Get(given)
	}
	free := row
	if len(taken) > 0 {
		free.Fields = nil
		for _, field := range row.Fields {
			if !slices.Contains(taken, field.Name) {
				free.Fields = append(free.Fields, field)
			}
		}
	}
	return free.Get(commonNames(ours)...)
}

// chunk makes a chunk of a row, or says why it can't be one. A row needs an id and a text, which may be empty.
func (f rowFields) chunk(row rows.Row) (corpus.Chunk, *rows.Reject) {
	var c corpus.Chunk
	id, idName, ok := f.get(row, fieldID)
	if !ok {
		return c, f.missing(row, fieldID)
	}
	if c.ID, ok = id.Text(); !ok {
		return c, row.Reject(fmt.Sprintf("the id %q is %s", idName, id.Kind()), "an id is a string or a number")
	}
	if err := corpus.CheckID(c.ID); err != nil {
		return c, row.Reject(err.Error(), "")
	}
	body, textName, ok := f.get(row, fieldText, idName)
	if !ok && f.given[fieldText] == "" { // some call the text of a document just that
		if body, textName, ok = row.Get("document"); ok && body.Kind() != rows.String {
			ok = false
		}
	}
	if !ok {
		return c, f.missing(row, fieldText)
	}
	if c.Text, ok = optionalText(body); !ok {
		return c, row.Reject(fmt.Sprintf("the text %q of %q is %s", textName, show(c.ID), body.Kind()), "a text is a string")
	}
	if !utf8.ValidString(c.Text) {
		return c, row.Reject(fmt.Sprintf("the text of %q is not valid UTF-8", show(c.ID)), "")
	}
	return c, f.rest(row, &c, idName, textName)
}

// rest fills in what a chunk may do without. What only looks like such a field by its name is left alone.
func (f rowFields) rest(row rows.Row, c *corpus.Chunk, taken ...string) *rows.Reject {
	for _, field := range []struct {
		ours  string
		into  *string
		check func(string) error
	}{
		{fieldTitle, &c.Title, func(s string) error { return nil }},
		{fieldDocument, &c.DocID, corpus.CheckID},
	} {
		v, name, ok := f.get(row, field.ours, taken...)
		if !ok {
			continue
		}
		given := f.given[field.ours] != ""
		s, ok := optionalText(v)
		switch {
		case !ok && given:
			return row.Reject(fmt.Sprintf("the %s %q of %q is %s", field.ours, name, show(c.ID), v.Kind()), "")
		case !ok || s == "":
			continue
		}
		if err := field.check(s); err != nil && given {
			return row.Reject(fmt.Sprintf("the %s of %q: %v", field.ours, show(c.ID), err), "")
		} else if err == nil {
			*field.into = s
		}
	}
	if v, _, ok := f.get(row, fieldMetadata, taken...); ok && v.Kind() != rows.Null && v.Kind() != rows.Absent {
		c.Meta = f.metadata(v)
	}
	return nil
}

// optionalText is a text, or "" for null. It is false for lists, objects and booleans.
func optionalText(v rows.Value) (string, bool) {
	if v.Kind() == rows.Null {
		return "", true
	}
	return v.Text()
}

// metadata is a value as it is in the source. A cell that holds JSON is that JSON.
func (f rowFields) metadata(v rows.Value) json.RawMessage {
	if cell, ok := v.Text(); ok && f.cells && json.Valid([]byte(cell)) {
		return json.RawMessage(cell)
	}
	return v.Raw()
}

func (f rowFields) missing(row rows.Row, ours string) *rows.Reject {
	hint := fmt.Sprintf("name the field that holds it with --%s-field", ours)
	if given := f.given[ours]; given != "" {
		return row.Reject(fmt.Sprintf("there is no field %q for the %s", given, ours), hint)
	}
	names := commonNames(ours)
	return row.Reject(fmt.Sprintf("there is no %s: no field is called %s or the like", ours, strings.Join(names[:3], ", ")), hint)
}

// show cuts an id to what fits into a message.
func show(id string) string { return shorten(id, 80) }
