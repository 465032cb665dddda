package store

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestHolds(t *testing.T) {
	const id, text = "a/q1", "Où est <la> \"clé\" 🔑 & 日本?"
	quoted := func(indent bool) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(indent)
		if err := enc.Encode(map[string]string{"x": text}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	if err := w.Write([]string{"1", text, "x"}); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	var twice bytes.Buffer
	if err := json.NewEncoder(&twice).Encode(strings.TrimSpace(quoted(false))); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, in string
		want     bool
	}{
		{"nothing", "", false},
		{"the text alone", text, true},
		{"JSON", quoted(false), true},
		{"JSON for HTML", quoted(true), true},
		{"JSON of Python", `{"x": "O\u00f9 est <la> \"cl\u00e9\" \ud83d\udd11 & \u65e5\u672c?"}`, true},
		{"JSON in capitals", `{"x":"O\u00F9 est <la> \"cl\u00E9\" \uD83D\uDD11 & \u65E5\u672C?"}`, true},
		{"JSON in JSON", twice.String(), true},
		{"CSV", table.String(), true},
		{"TSV", "1\t" + text + "\tx\n", true},
		{"HTML", "<td>" + text + "</td>", true},
		{"within another text", "x " + text + " y", false},
		{"a longer one", `"` + text + `!"`, false},
		{"half of it", text[:12], false},
		{"the id in JSON", `{"id":"a/q1"}`, true},
		{"the id in PHP's JSON", `{"id":"a\/q1"}`, true},
		{"the id as a column", "q0,a/q1,c\n", true},
		{"the id in qrels", "a/q0 0 c 1\na/q1 0 c 1\n", true},
		{"the id first in qrels", "a/q1 0 c 1\n", true},
		{"a chunk of that name in qrels", "a/q0 0 a/q1 1\n", false},
		{"an id that it begins", `{"id":"a/q10"} a/q1x 0 c 1`, false},
		{"an id that it ends", `{"id":"b/a/q1"}`, false},
		{"a key", "x\xffa/q1\xffc", true},
		{"the last word", "\na/q1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			var gz, zst bytes.Buffer
			g := gzip.NewWriter(&gz)
			z, err := zstd.NewWriter(&zst)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []io.WriteCloser{g, z} {
				if _, err := io.WriteString(w, tt.in); err != nil || w.Close() != nil {
					t.Fatal(err)
				}
			}
			for how, b := range map[string][]byte{"plain": []byte(tt.in), "gzip": gz.Bytes(), "zstd": zst.Bytes()} {
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
				if got, err := Holds(path, id, []string{"  ", text}); err != nil || got != tt.want {
					t.Errorf("%s: %v %v", how, got, err)
				}
				if got, err := Holds(path, "", []string{""}); err != nil || got {
					t.Errorf("%s holds nothing: %v %v", how, got, err)
				}
			}
			// Wherever the file is cut into parts, and however it comes.
			for chunk := 1; chunk < 40; chunk++ {
				padded := strings.Repeat("\n", chunk/2) + tt.in
				got, err := holds(iotest.OneByteReader(strings.NewReader(padded)), newWanted(id, []string{text}), chunk)
				if err != nil || got != tt.want {
					t.Errorf("in parts of %d: %v %v", chunk, got, err)
				}
			}
		})
	}
}

func TestHoldsFails(t *testing.T) {
	dir := t.TempDir()
	if _, err := Holds(filepath.Join(dir, "none"), "q", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Holds(dir, "q", nil); err == nil {
		t.Error("a folder was looked through")
	}
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	if _, err := io.WriteString(g, strings.Repeat("some text ", 1000)); err != nil || g.Close() != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.gz")
	if err := os.WriteFile(cut, gz.Bytes()[:gz.Len()-9], 0o600); err != nil {
		t.Fatal(err)
	}
	if held, err := Holds(cut, "q", nil); held || err == nil || !strings.Contains(err.Error(), "cut.gz") {
		t.Errorf("a file that is cut off: %v %v", held, err)
	}
}
