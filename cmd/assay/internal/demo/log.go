package demo

import (
	"bytes"
	_ "embed" // for the log and the script
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"assay/corpus"
)

//go:embed log.jsonl
var log []byte

// LogName is what the log's file is called.
const LogName = "log.jsonl"

// Log is the log as a file of JSON Lines. The caller may keep and change it.
func Log() []byte { return bytes.Clone(log) }

// logRow is a line of the log, under the names that a query log uses.
type logRow struct {
	ID    string        `json:"id"`
	Query string        `json:"query"`
	Count int           `json:"count"`
	Turns []corpus.Turn `json:"turns"`
	Kind  corpus.Kind   `json:"kind"`
}

// Queries are the log's queries, in its order.
func Queries() ([]corpus.Query, error) {
	var queries []corpus.Query
	err := eachLine(log, func(line int, row logRow) error {
		if err := corpus.CheckID(row.ID); err != nil {
			return err
		}
		if row.Query == "" {
			return errors.New("the query is empty")
		}
		queries = append(queries, corpus.Query{
			ID: row.ID, Text: row.Query, Count: max(row.Count, 1), Turns: row.Turns, Kind: row.Kind, Order: line,
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the demo's log: %w", err)
	}
	return queries, nil
}

// eachLine decodes JSON Lines strictly: these are our own files, so an unknown key is a slip of the pen.
func eachLine[Row any](data []byte, use func(line int, row Row) error) error {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		var row Row
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&row)
		if err == nil {
			if _, more := d.Token(); !errors.Is(more, io.EOF) {
				err = errors.New("more than one value")
			}
		}
		if err == nil {
			err = use(line, row)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}
