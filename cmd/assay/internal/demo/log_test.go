package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

func TestQueriesAreTheLog(t *testing.T) {
	queries, err := logQueries()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(Log(), []byte("\n")), []byte("\n"))
	if len(queries) != len(lines) || len(queries) < 20 {
		t.Fatalf("%d queries of %d lines", len(queries), len(lines))
	}
	ids, texts := map[string]bool{}, map[string]bool{}
	for i, q := range queries {
		var row struct {
			ID, Query string
			Count     int
		}
		if err := json.Unmarshal(lines[i], &row); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if row.ID != q.ID || row.Query != q.Text || row.Count != q.Count || q.Order != i+1 {
			t.Errorf("line %d is %+v, its query %+v", i+1, row, q)
		}
		if ids[q.ID] || texts[strings.ToLower(q.Text)] {
			t.Errorf("line %d: the id or the query comes twice", i+1)
		}
		ids[q.ID], texts[strings.ToLower(q.Text)] = true, true
		if q.Count < 1 {
			t.Errorf("query %s was asked %d times", q.ID, q.Count)
		}
		for _, turn := range q.Turns {
			if turn.Role != "user" && turn.Role != "assistant" || turn.Content == "" {
				t.Errorf("query %s has a turn %+v", q.ID, turn)
			}
		}
	}
}

func TestLogIsAPlainFile(t *testing.T) {
	b := Log()
	if !bytes.HasSuffix(b, []byte("}\n")) || bytes.Contains(b, []byte("\r")) || bytes.Contains(b, []byte("\n\n")) {
		t.Error("the log is not one object a line, each with a line feed")
	}
	if !strings.HasSuffix(LogName, ".jsonl") {
		t.Errorf("the log is called %q", LogName)
	}
}

func TestLogIsTheCallersOwn(t *testing.T) {
	Log()[0] = 'x'
	if Log()[0] != '{' {
		t.Error("a caller changed the log for all")
	}
}

func TestQueriesHaveTurnsWhereTheyFollow(t *testing.T) {
	queries, err := logQueries()
	if err != nil {
		t.Fatal(err)
	}
	var following []corpus.Query
	for _, q := range queries {
		if len(q.Turns) > 0 {
			following = append(following, q)
		}
	}
	if len(following) < 2 {
		t.Errorf("only %d queries follow something", len(following))
	}
}

func TestEachLineIsStrict(t *testing.T) {
	for name, bad := range map[string]string{
		"unknown key":  `{"id":"a","query":"b","cuont":1}`,
		"two values":   `{"id":"a","query":"b"} {"id":"c","query":"d"}`,
		"broken":       `{"id":"a"`,
		"blank":        ``,
		"another kind": `["a"]`,
	} {
		err := eachLine([]byte(`{"id":"z","query":"z"}`+"\n"+bad+"\n"), func(int, logRow) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var lines []int
	err := eachLine([]byte(`{"id":"a"}`+"\n"+`{"id":"b"}`), func(line int, _ logRow) error {
		lines = append(lines, line)
		return nil
	})
	if err != nil || !slices.Equal(lines, []int{1, 2}) {
		t.Errorf("lines %v, error %v", lines, err)
	}
}

// logRow is a line of the log, under the names that a query log uses.
type logRow struct {
	ID    string        `json:"id"`
	Query string        `json:"query"`
	Count int           `json:"count"`
	Turns []corpus.Turn `json:"turns"`
	Kind  corpus.Kind   `json:"kind"`
}

// logQueries are the log's queries, in its order, read strictly.
func logQueries() ([]corpus.Query, error) {
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
