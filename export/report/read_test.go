package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/corpus/retrieval"
)

func reportFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadsWhatCheckPrints(t *testing.T) {
	half := 0.5
	want := retrieval.Report{
		Assay: "check", Version: 1, Run: "mine", Labels: "1234", Excluded: []retrieval.Excluded{},
		Measures: []retrieval.Mean{{Name: "R@5", Mean: &half, N: 1, Interval: &retrieval.Interval{Lo: .1, Hi: .9, Method: "bootstrap"}}},
		Queries:  []retrieval.QueryValues{{QueryID: "q\u202e1", Values: map[string]*float64{"R@5": &half, "Sets@5": nil}}},
	}
	line, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, line, "", "\t"); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{string(line), string(line) + "\n", pretty.String(), "\n " + string(line)} {
		path := reportFile(t, content)
		if !IsCheck(path) {
			t.Errorf("not recognised: %q", content)
		}
		if got, err := ReadCheck(path); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestRefusesWhatIsNoReport(t *testing.T) {
	for content, words := range map[string]string{
		"":                                 "EOF",
		"{":                                "unexpected",
		"[]":                               "no report of a check",
		`{"assay":"gold","version":1}`:     "no report of a check",
		`{"assay":"check","version":1}`:    "it holds no measure",
		`{"assay":"check"}`:                "it has version 0",
		`{"assay":"check","measures":[1]}`: "no report of a check",
		`{"assay":"check","version":1,"measures":[{"name":"RR"}]} {}`: "something follows it",
		"q1 Q0 a 1 0.5 t\n": "invalid character",
		"\x00\x01":          "invalid character",
	} {
		_, err := ReadCheck(reportFile(t, content))
		var no *NotReportError
		if !errors.As(err, &no) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") || !strings.Contains(no.Hint(), "--per-query") {
			t.Errorf("%q: %v, want %q", content, err, words)
		}
	}
	if _, err := ReadCheck(reportFile(t, `{"assay":"check","version":2}`)); err == nil || !strings.Contains(err.Error(), "newer program") {
		t.Errorf("a later version: %v", err)
	}
	if _, err := ReadCheck("/nowhere/r.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, content := range []string{"", "{", "[]", `{"assay":"run","version":1}`, `{"query":"q","chunks":[]}`, "q1 Q0 a 1 0.5 t", `{"run":"x","assay":"check"}`} {
		if IsCheck(reportFile(t, content)) {
			t.Errorf("%q is taken for a report", content)
		}
	}
	if IsCheck(t.TempDir()) || IsCheck("/nowhere") {
		t.Error("a folder, or nothing, is taken for a report")
	}
}
