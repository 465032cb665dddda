package rows

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

// checkLinesTaken reads a table without a header to its end: no line of text is lost. Each is in exactly one row or
// reject, or blank.
func checkLinesTaken(t testing.TB, r *Reader, text string) {
	t.Helper()
	taken := map[int]bool{}
	for {
		row, err := r.Next()
		var reject *Reject
		if errors.As(err, &reject) {
			row.Line, row.EndLine = reject.Line, reject.EndLine
		} else if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for l := row.Line; l <= row.EndLine; l++ {
			if taken[l] {
				t.Errorf("line %d is taken twice", l)
			}
			taken[l] = true
		}
	}
	ends := "\n"
	if r.rows.(*delimited).lines.ends == mac {
		ends = "\r"
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	}
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), ends) {
		nothing := strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == ',' }) == ""
		if !taken[i+1] && !nothing {
			t.Errorf("line %d of %q is lost", i+1, text)
		}
	}
}

// scraps are what random logs are made of.
var scraps = []string{
	"a", "q1", "17", " ", "é", "”", "\"", "\"", "\"\"", ",", ",", "\t", ";", "\n", "\n", "\r\n", "\xff", "\x00", "\ufeff",
	"{", "}", "[", "]", ":", "{\"id\":1}", "\"query\"", "\\", "\\u0000", "\\ud800", "null", "\u2028",
}

func scrapLog(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(60) {
		b.WriteString(scraps[rng.IntN(len(scraps))])
	}
	return b.String()
}

// Accepted + rejected + blank is the total, whatever the text: drain checks it.
func TestEveryRowIsCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		text := scrapLog(rng)
		for _, format := range []Format{Detect, JSONLines, JSON, CSV, TSV, Lines} {
			readAll(t, text, "log", Options{Format: format, Encoding: "utf-8", MaxLine: []int{0, 20}[rng.IntN(2)]})
			if t.Failed() {
				t.Fatalf("%s of %q", format, text)
			}
		}
	}
}

// B005: no line of a table is lost, whatever its quotes do.
func TestB005NoLineIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		text := scrapLog(rng)
		for _, format := range []Format{CSV, TSV} {
			r, err := New(strings.NewReader(text), "log", Options{Format: format, Header: HeaderAbsent, Encoding: "utf-8", Delimiter: ','})
			if err != nil {
				t.Fatal(err)
			}
			if checkLinesTaken(t, r, text); t.Failed() {
				t.Fatalf("%s of %q", format, text)
			}
		}
	}
}

// The good elements of a list come through whatever stands between the lines that hold them.
func TestB004GoodElementsComeThrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	bad := []string{`{"id":"x`, `{"id":`, `{"id":"x"`, `{"id":[}`, `{"id":"x",`, `"x`, `tru`, `}`, `:`, `{"id":"x}`, `{'id':1}`}
	for range 2000 {
		text := "[\n"
		good := 0
		for range rng.IntN(10) {
			if rng.IntN(3) == 0 {
				text += bad[rng.IntN(len(bad))] + ",\n"
				continue
			}
			text += "{\"id\":\"good\",\"more\":[{\"id\":\"within\"}]},\n"
			good++
		}
		got := readAll(t, text+"]\n", "q.json", Options{Format: JSON})
		ids := 0
		for _, row := range table(got.rows) {
			if row == "id=good|more=a list" {
				ids++
			}
		}
		if ids != good || len(got.rows) != good {
			t.Fatalf("%d of %d, %d rows: %q", ids, good, len(got.rows), text)
		}
	}
}
