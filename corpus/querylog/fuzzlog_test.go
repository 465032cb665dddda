package querylog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/rows"
)

// account reads a source as a log, and checks that each of its rows is accounted for and that what was asked is sound.
func account(t *testing.T, source []byte, opt Options) {
	t.Helper()
	opt.Stdin, opt.WholeRejects = bytes.NewReader(source), true
	l, err := Open("-", opt)
	if err != nil {
		var fault *rows.Error
		if !errors.As(err, &fault) || strings.Contains(fault.Reason, "\n") {
			t.Fatalf("%v", err)
		}
		return
	}
	defer l.Close()
	given, refused, ended := 0, 0, false
	for a, err := range l.Rows() {
		var reject *rows.Reject
		switch {
		case errors.As(err, &reject):
			if refused++; reject.Line < 1 || reject.Reason == "" {
				t.Errorf("%+v", reject)
			}
			continue
		case err != nil:
			ended = true
			continue
		case ended:
			t.Error("a row after the end")
		}
		given++
		q := a.Query
		if q.Count < 1 || q.Kind == "" || q.Source == "" || !utf8.ValidString(q.Text) || strings.ContainsRune(q.Text, 0) || corpus.CheckID(q.ID) != nil || a.Line < 1 {
			t.Errorf("%q gives %+v", source, a)
		}
		for _, turn := range q.Turns {
			if !utf8.ValidString(turn.Content) {
				t.Errorf("%q gives the turn %q", source, turn.Content)
			}
		}
	}
	s := l.Stats()
	if s.Accepted != given+s.NoQuery || s.Rejected != refused || s.Format == "" {
		t.Errorf("%q: %d given and %d refused of %+v", source, given, refused, s)
	}
	// A line of these is a row.
	if r := l.r.Stats(); !ended && l.form.split == nil && s.Accepted+s.Rejected != r.Accepted+r.Rejected {
		t.Errorf("%q: %+v of %+v", source, s, r)
	}
	if (s.Format == AccessLog || s.Format == SlowLog) && l.r.Stats().Format == rows.Lines && !ended && s.Accepted+s.Rejected+s.Blank != s.Lines {
		t.Errorf("%q: %+v", source, s)
	}
}

func seedLogs(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob("testdata/logs/" + pattern)
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds ", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(0))
		f.Add(b, uint8(6))
	}
}

// FuzzLog: whatever the bytes and whatever they are said to be, no row is lost without a word.
func FuzzLog(f *testing.F) {
	seedLogs(f, "*")
	f.Fuzz(func(t *testing.T, source []byte, format uint8) {
		formats := append([]Format{Detect}, Formats()...)
		account(t, source, Options{Format: formats[int(format)%len(formats)]})
	})
}

// FuzzUBI: the same of events, requests and slow searches in JSON.
func FuzzUBI(f *testing.F) {
	seedLogs(f, "ubi*")
	seedLogs(f, "access.jsonl")
	seedLogs(f, "slow.jsonl")
	seedLogs(f, "caddy*")
	f.Fuzz(func(t *testing.T, source []byte, format uint8) {
		account(t, source, Options{Format: []Format{UBI, AccessLog, SlowLog, Detect}[format%4]})
	})
}

// FuzzTable: the same of tables, whose columns are guessed.
func FuzzTable(f *testing.F) {
	seedLogs(f, "*.tsv")
	seedLogs(f, "*.csv")
	seedLogs(f, "visits*")
	f.Fuzz(func(t *testing.T, source []byte, format uint8) {
		account(t, source, Options{Format: []Format{Format(rows.TSV), Format(rows.CSV), Topics, Detect}[format%4]})
	})
}
