package rows

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// pieces reads a source to its end and gives each row's and each reject's source, in order.
func pieces(t testing.TB, source []byte, opt Options) (all [][]byte, ended error) {
	t.Helper()
	opt.WholeRejects = true
	r, err := New(bytes.NewReader(source), "log", opt)
	if err != nil {
		return nil, err
	}
	for {
		row, err := r.Next()
		var reject *Reject
		switch {
		case err == nil:
			all = append(all, row.Raw)
		case errors.As(err, &reject):
			all = append(all, reject.Raw)
		case err == io.EOF:
			return all, nil
		default:
			return all, err
		}
	}
}

// lostText is what of a source is in none of its pieces, less what may stand between rows.
func lostText(source []byte, all [][]byte, between string) string {
	var lost strings.Builder
	gap := func(b []byte) { lost.WriteString(strings.Trim(string(b), between)) }
	for _, p := range all {
		i := bytes.Index(source, p)
		if i < 0 {
			return "(not in the source) " + string(p)
		}
		gap(source[:i])
		source = source[i+len(p):]
	}
	gap(source)
	return lost.String()
}

// Whatever refuses a row, all of it can be kept: nothing but what stands between rows is in no row and no reject.
func TestWholeRejectsLoseNothing(t *testing.T) {
	between := map[Format]string{
		JSONLines: " \t\r\n\ufeff", Lines: " \t\r\n\ufeff", CSV: " \t\r\n\ufeff,\"", TSV: " \t\r\n\ufeff", JSON: " \t\r\n\ufeff,[]",
	}
	sources := append([]string{
		"[\n{\"id\":1},\n{\"id\":2,\"q\":\"cut\n{\"id\":3},\n{\"id\":[4},\n  {\"deeper\":1},\n{\"id\":5}\n]\n",
		"[{\"id\":1},{\"id\":2,,},{\"id\":3}]", "{\"id\":1} x y z\n{\"id\":2}", "[{\"id\":1",
		"a,b\n\"open,c\nd,e\nf,g\n", strings.Repeat("long ", 50) + "\nshort\n" + strings.Repeat("end ", 50),
	}, seeds...)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 { // broken at random
		b := []byte(sources[rng.IntN(len(sources))])
		for range 1 + rng.IntN(3) {
			if len(b) > 0 {
				b[rng.IntN(len(b))] = "{}[]\",\n x:"[rng.IntN(10)]
			}
		}
		sources = append(sources, string(b))
	}
	for _, source := range sources {
		if !utf8.ValidString(source) || strings.ContainsAny(source, "\x00\x1f") {
			continue // other encodings and compressions
		}
		for format, gaps := range between {
			for _, most := range []int{0, 200} {
				all, err := pieces(t, []byte(source), Options{Format: format, Header: HeaderAbsent, MaxLine: most})
				if err != nil {
					t.Fatalf("%s %q: %v", format, source, err)
				}
				if lost := lostText([]byte(source), all, gaps); lost != "" {
					t.Errorf("%s, at most %d: %q loses %q, has %q", format, most, source, lost, all)
				}
			}
		}
	}
}

// What is far longer than a row may be is kept in part, and the reason says so.
func TestEndlessRejectsAreCut(t *testing.T) {
	for _, c := range []struct {
		format Format
		source string
	}{
		{Lines, strings.Repeat("x", 1000) + "\nok\n"},
		{JSONLines, `{"q":"` + strings.Repeat("x", 1000) + "\"}\n{\"q\":\"ok\"}\n"},
		{JSON, `[{"q":"` + strings.Repeat("x", 1000) + "\"},\n{\"q\":\"ok\"}]"},
	} {
		r, err := New(strings.NewReader(c.source), "log", Options{Format: c.format, MaxLine: 100, WholeRejects: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Next()
		var reject *Reject
		if !errors.As(err, &reject) || len(reject.Raw) != 400 || !strings.Contains(reject.Reason, "its first 400 are kept") {
			t.Errorf("%s: %v", c.format, err)
		}
		if _, err := r.Next(); err != nil {
			t.Errorf("%s: the row after it: %v", c.format, err)
		}
	}
}
