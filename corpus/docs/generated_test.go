package docs

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// written is a Markdown document that knows what it is made of, so that its cutting can be held against that.
type written struct {
	strings.Builder
	rng    *rand.Rand
	words  int            // so far; every word of a document is another
	title  string         // of the section at hand
	path   []string       // headings above, by level
	titles map[int]string // by word: the title of the chunk that is to hold it
	solids [][2]int       // code and tables
}

func (w *written) sentence(atMost int) string {
	n := 1 + w.rng.Intn(atMost)
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", w.words)
		w.titles[w.words] = w.title
		w.words++
	}
	return strings.Join(words, " ")
}

func (w *written) paragraph() {
	for range 1 + w.rng.Intn(5) {
		w.WriteString("The " + w.sentence(12) + ".")
		w.WriteString([]string{" ", "\n"}[w.rng.Intn(2)])
	}
	w.WriteString("\n\n")
}

func (w *written) heading() {
	level := 1 + w.rng.Intn(4)
	for len(w.path) > 0 && len(w.path) >= level {
		w.path = w.path[:len(w.path)-1]
	}
	for len(w.path) < level-1 {
		w.path = append(w.path, "") // a level that was skipped
	}
	text := fmt.Sprintf("Part %d", w.rng.Intn(1000))
	w.path = append(w.path, text)
	var named []string
	for _, p := range w.path {
		if p != "" {
			named = append(named, p)
		}
	}
	w.title = strings.Join(named, " › ")
	if level <= 2 && w.rng.Intn(2) == 0 {
		w.WriteString(text + "\n" + strings.Repeat([]string{"=", "-"}[level-1], 4) + "\n\n")
		return
	}
	w.WriteString(strings.Repeat("#", level) + " " + text + strings.Repeat("\n", 1+w.rng.Intn(2)))
}

func (w *written) solid(write func()) {
	from := w.Len()
	write()
	w.solids = append(w.solids, [2]int{from, w.Len()})
	w.WriteString("\n\n")
}

func (w *written) code() {
	w.solid(func() {
		mark := []string{"```", "~~~~", "```go"}[w.rng.Intn(3)]
		w.WriteString(mark + "\n")
		for range 1 + w.rng.Intn(8) {
			w.WriteString([]string{"", "    ", "# ", "\n", "| "}[w.rng.Intn(5)] + w.sentence(5) + "\n")
		}
		w.WriteString(strings.TrimSuffix(mark, "go"))
	})
}

func (w *written) table() {
	w.solid(func() {
		w.WriteString("| " + w.sentence(1) + " | " + w.sentence(1) + " |\n|---|:-:|")
		for range w.rng.Intn(6) {
			w.WriteString("\n| " + w.sentence(3) + " | " + w.sentence(2) + " |")
		}
	})
}

func (w *written) list() {
	for i := range 1 + w.rng.Intn(6) {
		w.WriteString([]string{"- ", fmt.Sprintf("%d. ", i+1)}[w.words%2])
		w.WriteString(w.sentence(10) + "\n")
	}
	w.WriteString("\n<!-- the list ends -->\n\n")
}

func (w *written) quote() {
	w.WriteString("> " + w.sentence(8) + "\n> # " + w.sentence(2) + "\n>\n> " + w.sentence(8) + "\n\n")
}

// generate writes a document. It starts with a heading, so that every word has one above it.
func generate(seed int64) *written {
	w := &written{rng: rand.New(rand.NewSource(seed)), titles: map[int]string{}}
	w.heading()
	for range w.rng.Intn(25) {
		[]func(){w.paragraph, w.paragraph, w.heading, w.code, w.table, w.list, w.quote}[w.rng.Intn(7)]()
	}
	return w
}

// Of documents whose parts are known: no code or table is cut that fits into a chunk, every word is in a chunk whose title
// is the path of headings above it, and words come in order.
func TestGeneratedMarkdown(t *testing.T) {
	m := newMarkdown()
	for seed := range int64(400) {
		w := generate(seed)
		text := w.String()
		c := []Chunking{{Size: 1200}, {Size: 300}, {Size: 120, Overlap: 40}}[seed%3]
		pieces, _, notes := m.cut(text, "file", c)
		checkPieces(t, text, 0, pieces, c)
		if len(notes) > 0 {
			t.Fatalf("seed %d: notes %v", seed, notes)
		}
		for _, s := range w.solids {
			if s[1]-s[0] > c.Size {
				continue
			}
			for _, p := range pieces {
				if p.Start > s[0] && p.Start < s[1] || p.End > s[0] && p.End < s[1] {
					t.Fatalf("seed %d: %v cuts %q of\n%s", seed, p.Span, text[s[0]:s[1]], text)
				}
			}
		}
		found := map[int]bool{}
		for _, p := range pieces {
			last := -1
			for _, word := range strings.FieldsFunc(text[p.Start:p.End], func(r rune) bool { return r != 'w' && (r < '0' || r > '9') }) {
				var n int
				if _, err := fmt.Sscanf(word, "w%d", &n); err != nil {
					continue
				}
				if n <= last {
					t.Fatalf("seed %d: word %d after %d", seed, n, last)
				}
				last, found[n] = n, true
				if p.title != w.titles[n] {
					t.Fatalf("seed %d: w%d is under %q, not %q, in\n%s", seed, n, w.titles[n], p.title, text)
				}
			}
		}
		if len(found) != w.words {
			t.Fatalf("seed %d: %d of %d words found", seed, len(found), w.words)
		}
	}
}

// The same document with other line ends is cut the same, at the same places.
func TestGeneratedLineEnds(t *testing.T) {
	m := newMarkdown()
	c := Chunking{Size: 300, Overlap: 60}
	for seed := range int64(50) {
		text := generate(seed).String()
		want, _, _ := m.cut(text, "file", c)
		for _, end := range []string{"\r\n", "\r"} {
			decoded, reason, _ := decode([]byte("\ufeff"+strings.ReplaceAll(text, "\n", end)), "")
			if reason != "" || decoded != text {
				t.Fatalf("seed %d: %q: decoded to another text, %s", seed, end, reason)
			}
			got, _, _ := m.cut(decoded, "file", c)
			compare(t, fmt.Sprintf("seed %d, %q", seed, end), texts(decoded, got), texts(text, want))
		}
	}
}
