package cell

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"assay/corpus"
)

// FuzzFrame: a frame of any text, cut, padded, wrapped and lit, is exactly h lines of at most w cells and inert.
func FuzzFrame(f *testing.F) {
	for i, s := range texts {
		f.Add(s, texts[(i*7+3)%len(texts)], i%50, i%9, i%5, 3+i%20)
	}
	f.Fuzz(func(t *testing.T, a, b string, w, h, from, to int) {
		w, h = min(max(0, w), 300), min(max(0, h), 60)
		page := Wrap(a, w, Lit{Spans: []corpus.Span{{Start: from, End: to}}, Open: "[", Close: "]"})
		var lines []string
		for i := range min(page.Len(), h) {
			lines = append(lines, Line(w, page.Segs(i, Style{}, Style{})...))
		}
		lines = append(lines, Line(w, Plain(a), Plain(b)), Fill(w, Plain(b)), Pad(a, w), CutLeft(b, w), Between(w, []Seg{Plain(a)}, []Seg{Plain(b)}), Rule(w, Style{}, Plain(a)))
		for _, line := range lines {
			if Width(line) > w {
				t.Fatalf("%q takes %d cells of %d", line, Width(line), w)
			}
			if !utf8.ValidString(line) || strings.ContainsAny(line, "\x1b\a\b\r\n\t\x00\u202e\u2066") {
				t.Fatalf("%q is not inert", line)
			}
		}
		for _, frame := range []string{Frame(lines, w, h), Frame([]string{a, b}, w, h)} {
			got := strings.Split(frame, "\n")
			if w > 0 && h > 0 && len(got) != h {
				t.Fatalf("%d lines, not %d", len(got), h)
			}
			for _, line := range got {
				if ansi.StringWidth(line) > w {
					t.Fatalf("%q takes %d cells of %d", line, ansi.StringWidth(line), w)
				}
			}
		}
	})
}

// FuzzWrap: lines lose nothing, their sources follow each other, and any byte is on the line that says so.
func FuzzWrap(f *testing.F) {
	for i, s := range texts {
		f.Add(s, 1+i%40, i%7)
	}
	f.Fuzz(func(t *testing.T, s string, w, at int) {
		w = min(max(1, w), 200)
		p := Wrap(s, w, Lit{})
		checkSources(t, p, s)
		if at >= 0 && at < len(s) {
			if i := p.LineOf(at); at < p.Source(i).Start || at >= p.Source(i).End {
				t.Fatalf("byte %d of %q is on line %d, which is %v", at, s, i, p.Source(i))
			}
		}
		p.Source(-1)
		p.Source(p.Len())
		p.Segs(p.Len(), Style{}, Style{})
	})
}

// FuzzField: any keys leave a valid text with the cursor within it.
func FuzzField(f *testing.F) {
	for i, s := range texts {
		f.Add(s, []byte{byte(i), 127, 3, 21, 23}, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, s string, keys []byte, lines bool) {
		field := Field{Lines: lines}
		field.Set(s)
		for i, k := range keys {
			field.Key(tea.KeyMsg{Type: tea.KeyType(k & 127)})
			field.Key(tea.KeyMsg{Type: -tea.KeyType(k & 63)})
			if i%3 == 0 {
				field.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: k&1 == 1})
			}
			if !utf8.ValidString(field.text) || field.cursor < 0 || field.cursor > len(field.text) || len(field.text) > FieldLimit || !utf8.ValidString(field.text[:field.cursor]) {
				t.Fatalf("text %q, cursor %d", field.text, field.cursor)
			}
			if !lines && strings.ContainsAny(field.text, "\n\r") {
				t.Fatalf("a line end in a field of one line: %q", field.text)
			}
		}
		if v := field.View(20, true, Style{}, Style{}); Width(v) > 20 {
			t.Fatalf("%q is too wide", v)
		}
	})
}

func TestRects(t *testing.T) {
	all := Rect{2, 1, 10, 6}
	top, rest := all.Top(2)
	bottom, rest := rest.Bottom(1)
	left, right := rest.Left(4)
	for what, c := range map[string][2]Rect{
		"top": {top, {2, 1, 10, 2}}, "bottom": {bottom, {2, 6, 10, 1}}, "left": {left, {2, 3, 4, 3}}, "right": {right, {6, 3, 6, 3}},
		"inset": {all.Inset(1, 2), {3, 3, 8, 2}}, "center": {all.Center(4, 2), {5, 3, 4, 2}}, "too big a center": {all.Center(99, 99), all},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %+v, want %+v", what, c[0], c[1])
		}
	}
	// Whatever is asked for, no size is negative.
	for _, n := range []int{-5, 0, 3, 99} {
		for _, r := range []Rect{{}, all, {0, 0, 1, 1}} {
			a, b := r.Top(n)
			c, d := r.Bottom(n)
			e, g := r.Left(n)
			for _, p := range []Rect{a, b, c, d, e, g, r.Inset(n, n), r.Center(n, n)} {
				if p.W < 0 || p.H < 0 {
					t.Errorf("%+v by %d gives %+v", r, n, p)
				}
			}
			if a.H+b.H != r.H || c.H+d.H != r.H || e.W+g.W != r.W {
				t.Errorf("%+v split at %d does not add up", r, n)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	if got := Columns([]int{4, 6}, "ab", "longer than it may be", "last"); got != "ab  longerlast" {
		t.Errorf("%q", got)
	}
	if got := Columns([]int{12, 4}, Line(12, Plain("🇺🇳👩‍👩‍👧‍👦")), "b", "c"); !strings.Contains(got, "\x1b[13Gb") || !strings.Contains(got, "\x1b[17Gc") {
		t.Errorf("%q", got)
	}
}
