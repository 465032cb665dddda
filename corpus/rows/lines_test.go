package rows

import (
	"fmt"
	"strings"
	"testing"
)

func TestLineEnds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		blank      int
	}{
		{"LF", "a\nb\n", []string{"text=a", "text=b"}, 0},
		{"CRLF", "a\r\nb\r\n", []string{"text=a", "text=b"}, 0},
		{"CR", "a\rb\r", []string{"text=a", "text=b"}, 0},
		{"no last end", "a\nb", []string{"text=a", "text=b"}, 0},
		{"no last LF", "a\r\nb\r", []string{"text=a", "text=b"}, 0},
		{"mixed LF and CRLF", "a\nb\r\nc", []string{"text=a", "text=b", "text=c"}, 0},
		{"a lone CR is text among LFs", "a\rb\nc\r\n", []string{"text=a\rb", "text=c"}, 0},
		{"blank lines", "\n \na\n\t\r\n\n", []string{"text=a"}, 4},
		{"blank CRs", "a\r\rb\r", []string{"text=a", "text=b"}, 1},
		{"space is kept", "  a  \n", []string{"text=  a  "}, 0},
		{"one line", "a", []string{"text=a"}, 0},
		{"one CR", "a\r", []string{"text=a"}, 0},
		{"empty", "", []string{}, 0},
		{"only an end", "\n", []string{}, 1},
		{"only a BOM", "\ufeff", []string{}, 0},
	} {
		got := readAll(t, c.text, "log.txt", Options{})
		wantStrings(t, c.name, table(got.rows), c.want)
		if got.stats.Blank != c.blank || got.stats.Rejected != 0 || got.err != nil {
			t.Errorf("%s: %+v, %v", c.name, got.stats, got.err)
		}
	}
}

func TestLinesKnowWhereTheyAre(t *testing.T) {
	got := readAll(t, "\ufeffone\r\n\r\ntwö\r\nthree", "log.txt", Options{})
	at := []string{}
	for _, r := range got.rows {
		at = append(at, fmt.Sprintf("%d@%d", r.Line, r.Offset))
	}
	wantStrings(t, "places", at, []string{"1@3", "3@10", "4@16"})
}

// The first line end may come after the sample that the reader looks at.
func TestLineEndsBeyondTheSample(t *testing.T) {
	long := strings.Repeat("x", sampleSize+10)
	for _, pad := range []string{long, long[:sampleSize-1], long[:sampleSize]} {
		for end, lone := range map[string]int{"\n": 2, "\r\n": 2, "\r": 3} {
			got := readAll(t, pad+end+"a\rb"+end, "log.txt", Options{})
			if len(got.rows) != lone || len(got.rows[0].Raw) != len(pad) {
				t.Errorf("%d bytes, %q: %d rows", len(pad), end, len(got.rows))
			}
		}
	}
}

func TestLineCap(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, size := range []int{9, 10, 11, 100} {
			text := "a" + end + strings.Repeat("x", size) + end + "b" + end
			got := readAll(t, text, "log.txt", Options{MaxLine: 10})
			if size <= 10 {
				wantStrings(t, "kept", table(got.rows), []string{"text=a", "text=" + strings.Repeat("x", size), "text=b"})
				continue
			}
			wantStrings(t, "rows", table(got.rows), []string{"text=a", "text=b"})
			wantReasons(t, got.rejects, fmt.Sprintf("2-2: the line is %d bytes long, more than 10", size))
		}
	}
	last := readAll(t, "a\n"+strings.Repeat("x", 300_000), "log.txt", Options{MaxLine: 10})
	wantReasons(t, last.rejects, "2-2: the line is 300000 bytes long, more than 10")
}

func TestGivenBackLinesComeAgainInOrder(t *testing.T) {
	r := &lineReader{source: &source{src: strings.NewReader("d\n"), most: sampleSize}, max: 10}
	r.giveBack([]line{{text: []byte("b")}, {text: []byte("c")}})
	r.giveBack([]line{{text: []byte("a")}})
	var got []string
	for {
		l, err := r.next()
		if err != nil {
			break
		}
		got = append(got, string(l.text))
	}
	wantStrings(t, "lines", got, []string{"a", "b", "c", "d"})
}
