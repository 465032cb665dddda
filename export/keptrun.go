package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/rows"
)

// A kept run is a run in JSON Lines that is written while a retriever answers, so that what was paid for is paid for
// once and any figure can be had again without asking. A header says what was asked:
//
//	{"assay":"run","version":1,"name","retriever":{"kind","command"|"url",…},"depth","corpus","program","started"}
//
// then each answer is a line; of several about one query the last counts:
//
//	{"query_id","query_sha256","chunks":[{"id","score"}],"latency_ms","attempts","at"}
//	{"query_id","query_sha256","error","attempts","at"}

// RunHeader says what a kept run came from.
type RunHeader struct {
	Name      string
	Retriever RunRetriever
	Depth     int         // how many chunks were asked for
	Corpus    corpus.Hash // fingerprint of the corpus at hand; "" where unknown
	Program   string
	Started   time.Time
}

// RunRetriever is what was asked, without its secrets.
type RunRetriever struct {
	Kind    string `json:"kind"` // "exec" or "http"
	Command string `json:"command,omitempty"`
	URL     string `json:"url,omitempty"`
	Method  string `json:"method,omitempty"`
	Body    string `json:"body,omitempty"`
	Hits    string `json:"hits,omitempty"`
	ID      string `json:"id,omitempty"`
	Score   string `json:"score,omitempty"`
	Headers string `json:"headers,omitempty"` // a hash of those that hold no secret
}

// RunAnswer is a line of a kept run: what came back for one query.
type RunAnswer struct {
	QueryID  string
	Query    corpus.Hash    // of the text that was asked
	Ranking  corpus.Ranking // sorted; nil where there is an Err
	Latency  time.Duration  // 0 where unknown
	Attempts int
	At       time.Time
	Err      string // why there is no ranking
}

const runVersion = 1

// Unanswered are the queries that are still to be asked: first those that never were, with the text that they have, then
// those that failed, so that one that always does keeps no other from its turn. Either come in their order.
func Unanswered(queries []corpus.Query, known map[string]RunAnswer) []corpus.Query {
	var left, failed []corpus.Query
	for i := range queries {
		a, ok := known[queries[i].ID]
		switch {
		case !ok || a.Query != corpus.HashText(queries[i].Text) || a.Err != "" && a.Attempts == 0:
			left = append(left, queries[i])
		case a.Err != "":
			failed = append(failed, queries[i])
		}
	}
	return append(left, failed...)
}

// differs says in what another header describes another retriever, or another corpus where both are known; "" in nothing.
func (h RunHeader) differs(other RunHeader) string {
	a, b := h.Retriever, other.Retriever
	var what []string
	for _, c := range []struct{ name, was, is string }{
		{"kind", a.Kind, b.Kind},
		{"command", a.Command, b.Command},
		{"url", a.URL, b.URL},
		{"method", a.Method, b.Method},
		{"body", a.Body, b.Body},
		{"path of the hits", a.Hits, b.Hits},
		{"path of the id", a.ID, b.ID},
		{"path of the score", a.Score, b.Score},
		{"hash of the headers", a.Headers, b.Headers},
		{"depth", strconv.Itoa(h.Depth), strconv.Itoa(other.Depth)},
	} {
		if c.was != c.is {
			what = append(what, fmt.Sprintf("%s was %q and is %q", c.name, clipped(c.was), clipped(c.is)))
		}
	}
	if h.Corpus != "" && other.Corpus != "" && h.Corpus != other.Corpus {
		what = append(what, fmt.Sprintf("the corpus was %.12s and is %.12s", h.Corpus, other.Corpus))
	}
	return strings.Join(what, ", ")
}

func (h RunHeader) line() []byte {
	var j jsonLine
	j.open('{')
	j.field("assay", "run")
	j.intField("version", runVersion)
	j.field("name", h.Name)
	j.key("retriever")
	j.open('{')
	r := h.Retriever
	j.field("kind", r.Kind)
	for _, f := range [][2]string{
		{"command", r.Command}, {"url", r.URL}, {"method", r.Method}, {"body", r.Body}, {"hits", r.Hits}, {"id", r.ID}, {"score", r.Score}, {"headers", r.Headers},
	} {
		if f[1] != "" {
			j.field(f[0], f[1])
		}
	}
	j.close('}')
	j.intField("depth", h.Depth)
	j.field("corpus", string(h.Corpus))
	j.field("program", h.Program)
	j.timeField("started", &h.Started)
	j.close('}')
	return append(j.b, '\n')
}

// line is the answer as it is kept, with what makes it none.
func (a RunAnswer) line() ([]byte, error) {
	if err := keepable(a.QueryID); err != nil {
		return nil, fmt.Errorf("query %q: %w", clipped(a.QueryID), err)
	}
	var j jsonLine
	j.open('{')
	j.field("query_id", a.QueryID)
	j.field("query_sha256", string(a.Query))
	if a.Err != "" {
		j.field("error", strings.ReplaceAll(a.Err, "\x00", "\ufffd"))
	} else {
		j.key("chunks")
		j.open('[')
		for _, h := range a.Ranking {
			if err := keepable(h.ChunkID); err != nil {
				return nil, fmt.Errorf("query %q: chunk %q: %w", clipped(a.QueryID), clipped(h.ChunkID), err)
			}
			if math.IsNaN(h.Score) {
				return nil, fmt.Errorf("query %q: chunk %q: the score can't be ordered", clipped(a.QueryID), clipped(h.ChunkID))
			}
			j.open('{')
			j.field("id", h.ChunkID)
			j.key("score")
			j.score(h.Score)
			j.close('}')
		}
		j.close(']')
		if a.Latency > 0 {
			ms := float64(a.Latency) / float64(time.Millisecond)
			j.key("latency_ms")
			j.number(&ms)
		}
	}
	j.intField("attempts", a.Attempts)
	j.timeField("at", &a.At)
	j.close('}')
	return append(j.b, '\n'), nil
}

// keepable refuses ids that would not come back as they are.
func keepable(id string) error {
	if strings.IndexByte(id, 0) >= 0 {
		return errors.New("an id with a NUL can't be kept")
	}
	return corpus.CheckID(id)
}

// score writes a score; JSON has no infinity, so that is a string.
func (j *jsonLine) score(f float64) {
	if math.IsInf(f, 0) {
		j.string(strconv.FormatFloat(f, 'g', -1, 64))
		return
	}
	j.number(&f)
}

// isRunHeader reports whether a row begins a kept run.
func isRunHeader(row rows.Row) bool {
	for _, f := range row.Fields {
		if f.Name == "assay" {
			s, _ := f.Value.Text()
			return s == "run"
		}
	}
	return false
}

func readRunHeader(row rows.Row) (RunHeader, error) {
	var v struct {
		Version   int          `json:"version"`
		Name      string       `json:"name"`
		Retriever RunRetriever `json:"retriever"`
		Depth     int          `json:"depth"`
		Corpus    corpus.Hash  `json:"corpus"`
		Program   string       `json:"program"`
		Started   string       `json:"started"`
	}
	if err := readFields(row, &v); err != nil {
		return RunHeader{}, fmt.Errorf("the header of the run: %w", err)
	}
	if v.Version > runVersion {
		return RunHeader{}, fmt.Errorf("the run has version %d, made by a newer program: this one reads version %d", v.Version, runVersion)
	}
	started, err := readTime("started", v.Started)
	if err != nil {
		return RunHeader{}, fmt.Errorf("the header of the run: %w", err)
	}
	return RunHeader{Name: v.Name, Retriever: v.Retriever, Depth: v.Depth, Corpus: v.Corpus, Program: v.Program, Started: started}, nil
}

// readRunAnswer reads a line after the header. The ranking is sorted.
func readRunAnswer(row rows.Row) (RunAnswer, error) {
	var v struct {
		Query    corpus.Hash `json:"query_sha256"`
		Latency  float64     `json:"latency_ms"`
		Attempts int         `json:"attempts"`
		At       string      `json:"at"`
	}
	query, ranking, fault, err := runLine(row)
	if err != nil {
		return RunAnswer{}, err
	}
	if err := readFields(row, &v); err != nil {
		return RunAnswer{}, err
	}
	a := RunAnswer{QueryID: query, Query: v.Query, Ranking: ranking, Attempts: v.Attempts, Err: fault}
	a.Ranking.Sort()
	if v.Latency > 0 && v.Latency < float64(math.MaxInt64/time.Millisecond) {
		a.Latency = time.Duration(math.Round(v.Latency * float64(time.Millisecond)))
	}
	if a.At, err = readTime("at", v.At); err != nil {
		return RunAnswer{}, err
	}
	return a, nil
}

// readFields is json.Unmarshal of a row, with errors in the words of its field.
func readFields(row rows.Row, to any) error {
	err := json.Unmarshal(row.Raw, to)
	var other *json.UnmarshalTypeError
	if !errors.As(err, &other) {
		return err // nil: that it is JSON was seen before
	}
	want := "a text"
	switch other.Type.Kind() {
	case reflect.Int:
		want = "a whole number"
	case reflect.Float64:
		want = "a number"
	case reflect.Struct:
		want = "an object"
	}
	is := other.Value
	switch kind, number, _ := strings.Cut(is, " "); kind {
	case "number":
		if is = clipped(number); is == "" {
			is = rows.Number.String()
		}
	case "bool":
		is = rows.Bool.String()
	case "array":
		is = rows.List.String()
	case "object":
		is = rows.Object.String()
	case "string":
		is = rows.String.String()
	}
	return fmt.Errorf("%s: want %s, not %s", other.Field, want, is)
}

// readTime reads a time as it is kept; "" is none.
func readTime(name, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: want a time such as 2026-05-04T12:00:00Z, not %q", name, clipped(s))
	}
	return t, nil
}
