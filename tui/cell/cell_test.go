package cell

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"assay/corpus"
)

// texts are what columns broke on: B063 (public reports: charmbracelet/lipgloss#562, #204), B027 (vercel/ai#20052),
// B029 (marmot-protocol/mdk#586), and what each of them is made of.
var texts = []string{
	"", "a", " ", "plain words in a row, long enough to be cut somewhere",
	"👩‍👩‍👧‍👦 family refund 🏳️‍🌈 🇺🇳", "🇺🇳🇫🇷🇺🇳🇫🇷🇺🇳", "👍🏽👍🏽👍🏽", "1️⃣2️⃣", "☎️ ☎ ☎︎",
	"全角テキストの返金ポリシーについての長い文章です。全角テキストの返金ポリシーについての長い文章です。",
	"ｱｲｳ half width refund", "각각 가각 \u1100\u1161\u11a8", "क्षि हिन्दी में क्षत्रिय", "ไทยภาษาไทย", "עברית שלום", "سياسة الاسترداد refund 14",
	"col1\tcol2\tcol3 refund\tend", "Z̸̢͎a̷l̶g̵o̴ refund e" + strings.Repeat("\u0301", 90), "\u0301starts with a mark", "ends with a sign \u0600", "\u0600",
	"\U000110bd", "\u0d4e", "red \x1b[31mred\x1b[0m", "refund \x1b]52;c;cm0gLXJm\a clip", "a\rb\bc\x00d\x7f", "\u0085\u009b31m", "re\u200bfund \u202egrade: 2\u202c end", "\u2066isolate",
	"bad \xff\xfe utf8 \xc3", "line\nfeed\r\nand more\n\n", "長い識別子👩‍👩‍👧‍👦長い識別子👩‍👩‍👧‍👦", strings.Repeat("x", 500), strings.Repeat("界", 300), strings.Repeat("🇺", 99),
}

// randomText mixes pieces of texts, so that what merges with what comes out by chance.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.Intn(12) {
		t := []rune(texts[r.Intn(len(texts))])
		if len(t) == 0 {
			continue
		}
		from := r.Intn(len(t))
		b.WriteString(string(t[from:min(len(t), from+1+r.Intn(9))]))
		b.WriteString([]string{"", " ", "\n", "\u200d", "\ufe0f", "a"}[r.Intn(6)])
	}
	return b.String()
}

func everyText(t *testing.T, check func(t *testing.T, s string)) {
	t.Helper()
	for _, s := range texts {
		check(t, s)
	}
	r := rand.New(rand.NewSource(1))
	for range 1000 {
		check(t, randomText(r))
	}
}

// fits fails unless no terminal needs more than w cells for the line, and nothing in it drives one but what may.
func fits(t *testing.T, what, line string, w int, src string) {
	t.Helper()
	if got := Width(line); got > w {
		t.Fatalf("%s(%q, %d) = %q takes %d cells", what, src, w, line, got)
	}
	if strings.ContainsAny(line, "\n\r\t\b\a\x1b\u202e\u200b\u0085") || !utf8.ValidString(line) {
		t.Fatalf("%s(%q, %d) = %q is not inert", what, src, w, line)
	}
}

// B063: cut and padded text takes exactly its cells, however wide its characters are.
func TestCutAndPad(t *testing.T) {
	everyText(t, func(t *testing.T, s string) {
		for _, w := range []int{-1, 0, 1, 2, 3, 7, 20, 80} {
			fits(t, "Cut", Cut(s, w), max(0, w), s)
			fits(t, "CutLeft", CutLeft(s, w), max(0, w), s)
			if got := Width(Pad(s, w) + "|"); got != max(0, w)+1 {
				t.Fatalf("Pad(%q, %d) = %q takes %d cells", s, w, Pad(s, w), got-1)
			}
		}
	})
}

func TestCutKeepsWhatFits(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"界界", 4, "界界"}, {"界界", 3, "界…"}, {"界界", 2, "…"}, {"界", 1, "…"},
		{"🇺🇳🇫🇷", 3, "🇺🇳…"}, {"a\x1b[31m", 9, "a␛[31m"}, {"a\nb", 9, "a␤b"},
	} {
		if got := Cut(c.s, c.w); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
	if got := CutLeft("abcdef", 4); got != "…def" {
		t.Errorf("CutLeft = %q", got)
	}
}

func TestLineNeverOverflows(t *testing.T) {
	theme, _ := NewTheme("dark", nil)
	r := rand.New(rand.NewSource(2))
	for range 1000 {
		var segs, plain []Seg
		for range r.Intn(5) {
			s := randomText(r)
			segs = append(segs, []Style{{}, theme.Dim, theme.Match, theme.Cursor}[r.Intn(4)].Of(s))
			plain = append(plain, Plain(s))
		}
		w := r.Intn(60)
		fits(t, "Line", ansi.Strip(Line(w, segs...)), w, "…")
		fits(t, "Line", Line(w, plain...), w, "…")
		if got := Width(Fill(w, plain...)); got != w {
			t.Fatalf("Fill(%d, %+v) = %q takes %d cells", w, plain, Fill(w, plain...), got)
		}
		if got := Between(w, plain, segs); Width(got) > w {
			t.Fatalf("Between(%d) = %q takes %d cells", w, got, Width(got))
		}
		if got := Rule(w, theme.Rule, plain...); Width(got) != w {
			t.Fatalf("Rule(%d, %+v) = %q takes %d cells", w, plain, got, Width(got))
		}
	}
}

func TestLineShowsThatItWasCut(t *testing.T) {
	for _, c := range []struct {
		w    int
		segs []string
		want string
	}{
		{6, []string{"abc", "def"}, "abcdef"}, {5, []string{"abc", "def"}, "abcd…"}, {3, []string{"abc", "def"}, "ab…"},
		{3, []string{"abc", ""}, "abc"}, {1, []string{"abc"}, "…"}, {4, []string{"界界", "x"}, "界…"}, {2, []string{"", "ab"}, "ab"},
	} {
		var segs []Seg
		for _, s := range c.segs {
			segs = append(segs, Plain(s))
		}
		if got := Line(c.w, segs...); got != c.want {
			t.Errorf("Line(%d, %q) = %q, want %q", c.w, c.segs, got, c.want)
		}
	}
}

// What stands to the right of a text that terminals measure differently is placed by its column.
func TestBesideHoldsTheColumn(t *testing.T) {
	if got := Beside("ab", 5, "right"); got != "ab   right" {
		t.Errorf("Beside = %q", got)
	}
	got := Beside(Line(20, Plain("👩‍👩‍👧‍👦 family")), 20, "right")
	if !strings.Contains(got, "\x1b[21Gright") {
		t.Errorf("no absolute column in %q", got)
	}
	if w := ansi.StringWidth(got); w != 25 {
		t.Errorf("takes %d cells, want 25", w)
	}
}

func TestFrameIsExact(t *testing.T) {
	everyText(t, func(t *testing.T, s string) {
		for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {40, 4}} {
			w, h := size[0], size[1]
			// Undrawn text is a mistake; even so the frame keeps its size.
			frame := Frame([]string{s, Line(w, Plain(s)), strings.Repeat("y", 99)}, w, h)
			lines := strings.Split(frame, "\n")
			if w > 0 && len(lines) != h {
				t.Fatalf("%d×%d: %d lines of %q", w, h, len(lines), s)
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > w {
					t.Fatalf("%d×%d: %q takes %d cells", w, h, line, ansi.StringWidth(line))
				}
			}
		}
	})
}

func TestOverlayKeepsTheFrame(t *testing.T) {
	theme, _ := NewTheme("dark", nil)
	everyText(t, func(t *testing.T, s string) {
		frame := Frame([]string{Line(30, Plain(s)), Fill(30, theme.Dim.Of(s)), Line(30, theme.Match.Of(s))}, 30, 5)
		got := Overlay(frame, []string{Fill(10, Plain(s)), Fill(10, theme.Cursor.Of("box"))}, Rect{8, 1, 10, 2})
		lines := strings.Split(got, "\n")
		if len(lines) != 5 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, line := range lines {
			if ansi.StringWidth(line) > 30 {
				t.Fatalf("%q takes %d cells", line, ansi.StringWidth(line))
			}
		}
		if !strings.Contains(lines[2], "box") {
			t.Fatalf("no box in %q", lines[2])
		}
	})
}

func TestWrapFitsAndLosesNothing(t *testing.T) {
	everyText(t, func(t *testing.T, s string) {
		for _, w := range []int{0, 1, 2, 5, 13, 40} {
			p := Wrap(s, w, Lit{})
			var all strings.Builder
			for i := range p.Len() {
				fits(t, "Wrap", Line(max(1, w), p.Segs(i, Style{}, Style{})...), max(1, w), s)
				if w >= 20 && strings.HasSuffix(Line(w, p.Segs(i, Style{}, Style{})...), More) && !strings.HasSuffix(shown(p, i), More) {
					t.Fatalf("Wrap(%q, %d): line %q is cut", s, w, shown(p, i))
				}
				all.WriteString(shown(p, i))
			}
			squeeze := strings.NewReplacer(" ", "", "\n", "")
			if got, want := squeeze.Replace(all.String()), squeeze.Replace(p.text); got != want {
				t.Fatalf("Wrap(%q, %d) shows %q", s, w, got)
			}
			checkSources(t, p, s)
		}
	})
}

func shown(p Page, i int) string { s := p.span(i); return p.text[s.Start:s.End] }

// checkSources: the lines' spans follow each other and cover the source.
func checkSources(t *testing.T, p Page, s string) {
	t.Helper()
	at := 0
	for i := range p.Len() {
		span := p.Source(i)
		if span.Start != at || span.End < span.Start {
			t.Fatalf("line %d of %q is %v, want it to begin at %d", i, s, span, at)
		}
		at = span.End
	}
	if at != len(s) {
		t.Fatalf("lines of %q end at %d of %d", s, at, len(s))
	}
}

func TestWrapBreaks(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 8, "one two|three"},
		{"one  two", 4, "one|two"},
		{"    indented code", 12, "    indented|code"},
		{"well-known things", 8, "well-|known|things"},
		{"--force is long", 5, "--|force|is|long"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"a abcdefghij", 4, "a|abcd|efgh|ij"},
		{"界界界", 4, "界界|界"},
		{"全角です。次", 8, "全角で|す。次"},
		{"a\nb\n\nc", 9, "a|b||c"},
		{"tab\there", 20, "tab    here"},
		{"", 9, ""},
		{"👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 8, "👩‍👩‍👧‍👦|👩‍👩‍👧‍👦"},
	} {
		p := Wrap(c.s, c.w, Lit{})
		var lines []string
		for i := range p.Len() {
			lines = append(lines, shown(p, i))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

// What is lit is found again in the wrapped text, across cleaning, marks and line breaks.
func TestWrapLights(t *testing.T) {
	mark := Style{"<", ">"}
	lit := func(s string, w int, open, close string, spans ...corpus.Span) string {
		p := Wrap(s, w, Lit{spans, open, close})
		var lines []string
		for i := range p.Len() {
			lines = append(lines, Line(w+9, p.Segs(i, Style{}, mark)...))
		}
		checkSources(t, p, s)
		return strings.Join(lines, "|")
	}
	for _, c := range []struct {
		s           string
		w           int
		open, close string
		spans       []corpus.Span
		want        string
	}{
		{"rotate the signing key now", 40, "", "", []corpus.Span{{Start: 11, End: 22}}, "rotate the <signing key> now"},
		{"rotate the signing key now", 18, "", "", []corpus.Span{{Start: 11, End: 22}}, "rotate the <signing>|<key> now"},
		{"rotate the signing key now", 40, "[", "]", []corpus.Span{{Start: 0, End: 6}, {Start: 11, End: 18}}, "<[rotate]> the <[signing]> key now"},
		{"\x1bé key", 40, "", "", []corpus.Span{{Start: 4, End: 7}}, "␛é <key>"},
		{"e\u0301a", 40, "", "", []corpus.Span{{Start: 0, End: 1}}, "<e\u0301>a"},
		{"abc", 40, "", "", []corpus.Span{{Start: 2, End: 99}, {Start: 50, End: 60}}, "ab<c>"},
		{"abc", 40, "[", "]", []corpus.Span{{Start: 0, End: 2}, {Start: 1, End: 3}}, "<[ab][c]>"},
	} {
		if got := lit(c.s, c.w, c.open, c.close, c.spans...); got != c.want {
			t.Errorf("%q lit at %v = %q, want %q", c.s, c.spans, got, c.want)
		}
	}
	p := Wrap("one\ntwo\nkey", 20, Lit{[]corpus.Span{{Start: 8, End: 11}}, "[", "]"})
	if p.FirstLit() != 2 || p.LineOf(9) != 2 || p.LineOf(0) != 0 {
		t.Errorf("first lit line %d, byte 9 on %d, byte 0 on %d", p.FirstLit(), p.LineOf(9), p.LineOf(0))
	}
}

func TestBarsAndWindows(t *testing.T) {
	for _, c := range []struct {
		done, total, w int
		want           string
	}{{0, 0, 4, "░░░░"}, {1, 2, 4, "██░░"}, {9, 4, 4, "████"}, {-1, 4, 2, "░░"}, {1, 1, 0, ""}, {1, 1, -3, ""}} {
		if got := Bar(c.done, c.total, c.w); got != c.want {
			t.Errorf("Bar(%d, %d, %d) = %q", c.done, c.total, c.w, got)
		}
	}
	for _, c := range [][5]int{{0, 0, 10, 5, 0}, {0, 5, 10, 5, 1}, {3, 2, 10, 5, 2}, {9, 9, 10, 5, 5}, {0, 3, 0, 5, 0}, {2, 2, 3, 0, 2}} {
		if got := Window(c[0], c[1], c[2], c[3]); got != c[4] {
			t.Errorf("Window%v = %d, want %d", c[:4], got, c[4])
		}
	}
	if n := len(spaces(300)); n != 300 {
		t.Errorf("300 spaces are %d", n)
	}
}

// NO_COLOR drops bold and reverse too (public report: charmbracelet/lipgloss#64): marks stay.
func TestThemes(t *testing.T) {
	for _, name := range Themes {
		theme, err := NewTheme(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if open, _ := theme.MatchMarks(); (open == "") != theme.Colour || theme.Colour != (name != "none") {
			t.Errorf("%s: colour %v, marks %q", name, theme.Colour, open)
		}
		if drawn := Line(9, theme.Cursor.Of("x")); strings.Contains(drawn, "\x1b") != theme.Colour {
			t.Errorf("%s draws %q", name, drawn)
		}
	}
	if theme, _ := NewTheme("dark", Renderer(nil, true, false)); theme.Colour {
		t.Error("a renderer without colours gives a theme with colours")
	}
	if _, err := NewTheme("neon", nil); err == nil {
		t.Error("an unknown theme is accepted")
	}
}
