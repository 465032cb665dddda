package docs

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadFrontMatter(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		body     string
		title    string
		err      string
		line     int
	}{
		{"none", "text\n", "text\n", "", "", 0},
		{"yaml", "---\ntitle: Refunds\ntags: [a]\n---\ntext\n", "text\n", "Refunds", "", 0},
		{"dots close it", "---\ntitle: x\n...\ntext\n", "text\n", "x", "", 0},
		{"space after the dashes", "--- \ntitle: x\n---\t\ntext\n", "text\n", "x", "", 0},
		{"at the end of the file", "---\ntitle: x\n---", "", "x", "", 0},
		{"quoted", "---\ntitle: \"A: b\"\n---\n", "", "A: b", "", 0},
		{"folded over lines", "---\ntitle: >\n  one\n  two\n---\n", "", "one two", "", 0},
		{"number", "---\ntitle: 42\n---\n", "", "42", "", 0},
		{"null", "---\ntitle:\n---\n", "", "", "", 0},
		{"list", "---\ntitle: [a, b]\n---\n", "", "", "", 0},
		{"no title", "---\nname: x\n---\ntext", "text", "", "", 0},
		{"alias", "---\na: &x Title\ntitle: *x\n---\n", "", "Title", "", 0},
		{"empty", "---\n---\ntext", "text", "", "", 0},
		{"bad yaml", "---\na: b\ntitle: [unclosed\n---\ntext", "text", "", "YAML: did not find expected ',' or ']'", 2},
		{"not closed", "---\ntitle: x\ntext", "---\ntitle: x\ntext", "", "", 0},
		{"two rules around text", "---\nSome text.\n---\nmore", "---\nSome text.\n---\nmore", "", "", 0},
		{"two rules around a list", "---\n- a\n- b\n---\nmore", "---\n- a\n- b\n---\nmore", "", "", 0},
		{"two rules around prose with colons", "---\nNote: this: that\n\n# Heading\n---\nmore", "more", "", "YAML: mapping values are not allowed in this context", 2},
		{"rule and prose that is bad yaml", "---\n*Note*: [this\n---\nmore", "---\n*Note*: [this\n---\nmore", "", "", 0},
		{"four dashes", "----\ntitle: x\n----\n", "----\ntitle: x\n----\n", "", "", 0},
		{"not on the first line", "\n---\ntitle: x\n---\n", "\n---\ntitle: x\n---\n", "", "", 0},
		{"toml", "+++\ntitle = 'Refunds'\n+++\ntext", "text", "Refunds", "", 0},
		{"bad toml", "+++\ntitle = \n+++\ntext", "text", "", "TOML: ", 2},
		{"plus signs around text", "+++\ntext\n+++\n", "+++\ntext\n+++\n", "", "", 0},
		{"aliases of aliases", "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ntitle: x\n---\n", "", "x", "", 0},
	} {
		got := readFrontMatter(tt.in)
		if body := tt.in[got.end:]; body != tt.body || got.title != tt.title {
			t.Errorf("%s: body %q, title %q; want %q, %q", tt.name, body, got.title, tt.body, tt.title)
		}
		if (got.err == "") != (tt.err == "") || !strings.HasPrefix(got.err, tt.err) || got.errLine != tt.line {
			t.Errorf("%s: error %q in line %d, want %q in line %d", tt.name, got.err, got.errLine, tt.err, tt.line)
		}
	}
}

func TestDocumentTitle(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"front matter first", "---\ntitle: Front\n---\n# One\n", "Front"},
		{"first of level 1", "## Two\n\n# One\n\n# Other\n", "One"},
		{"file name", "## Two\n\ntext\n", "file"},
		{"empty heading", "#\n\n# One\n", "One"},
		{"very long", "# " + strings.Repeat("word ", 100) + "\n", shorten(strings.TrimSpace(strings.Repeat("word ", 100)), maxTitle)},
		{"very long and marked up", "# " + strings.Repeat("*", 10_000) + "\n", strings.Repeat("*", maxTitle) + "…"},
	} {
		if _, got, _ := newMarkdown().cut(tt.in, "file", Chunking{Size: DefaultSize}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Text made to stop a parser is cut all the same: as plain text where it is nested beyond sense.
func TestHostileMarkdown(t *testing.T) {
	const n = 20_000
	stairs := func(step int, mark string) string {
		var b strings.Builder
		for i := range 400 {
			b.WriteString(strings.Repeat(" ", step*i) + mark + " a\n")
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, in string
		plain    bool
	}{
		{"quotes", strings.Repeat(">", n) + " a", true},
		{"bullets", strings.Repeat("- ", n) + "a", true},
		{"numbers", strings.Repeat("1. ", n) + "a", true},
		{"mixed", strings.Repeat("> - 1) ", n) + "a", true},
		{"bullets on tabs", strings.Repeat("-\t", n) + "a", true},
		{"stairs", stairs(2, "-"), true},
		{"numbered stairs", stairs(3, "1."), true},
		{"a rule", strings.Repeat("- ", n), false},
		{"a rule of stars", strings.Repeat("*", n), false},
		{"an underline", "a\n" + strings.Repeat("-", n), false},
		{"brackets", strings.Repeat("[", n), false},
		{"links", strings.Repeat("[a]: b\n", n), false},
		{"open links", strings.Repeat("[a\n", n), false},
		{"stars in a heading", "# " + strings.Repeat("*a _b ", 600), false},
		{"comments", strings.Repeat("<!-- \n", n), false},
		{"fences", strings.Repeat("```\n", n), false},
		{"tables", strings.Repeat("|a|b|\n|-|-|\n", n), false},
		{"wide table", strings.Repeat("|", n) + "\n" + strings.Repeat("-|", n) + "\n", false},
		{"backticks", strings.Repeat("`", n) + "\n" + strings.Repeat("a`", n), false},
		{"indentation", strings.Repeat(" ", n) + "- a", true},
		{"too long", strings.Repeat("a short line of text\n\n", maxMarkdown/22+1), true},
	} {
		c := Chunking{Size: DefaultSize, Overlap: 100}
		pieces, _, notes := newMarkdown().cut(tt.in, "file", c)
		checkPieces(t, tt.in, 0, pieces, c)
		if plain := len(notes) > 0 && strings.HasSuffix(notes[0].Text, "it was cut as plain text"); plain != tt.plain {
			t.Errorf("%s: notes %v", tt.name, notes)
		}
	}
}

func TestTooDeep(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{
		{"", -1}, {"text", -1}, {"- a\n  - b\n    - c\n", -1}, {strings.Repeat("a", 1000), -1},
		{"> > > a\n" + strings.Repeat("> ", 101) + "a", 8}, {strings.Repeat("> ", 100) + "a", -1},
		{"1. 2) 3. a\n", -1}, {strings.Repeat("- ", 500) + "\n", -1}, {strings.Repeat("- ", 500) + "a\n", 0},
		{strings.Repeat("1234567890. ", 500), -1}, {strings.Repeat(" ", 500) + "code\n", -1}, {strings.Repeat("--", 500) + " a\n", -1},
	} {
		if got := tooDeep(tt.in); got != tt.want {
			t.Errorf("tooDeep(%.30q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

// Blocks cover the document in order, and those of a container lie within it.
func TestBlocksNest(t *testing.T) {
	var check func(in string, blocks []block, start, end int)
	check = func(in string, blocks []block, start, end int) {
		for _, b := range blocks {
			if b.start < start || b.end > end || b.start >= b.end {
				t.Fatalf("block %d to %d of %q is out of %d to %d", b.start, b.end, in, start, end)
			}
			if b.shape == container && len(b.parts) == 0 {
				t.Fatalf("an empty container in %q", in)
			}
			check(in, b.parts, b.start, b.end)
			start = b.end
		}
	}
	for i, s := range markdownSeeds {
		blocks, headings, err := newMarkdown().parse(s, 0)
		if err != nil {
			t.Errorf("%q: %v", s, err)
		}
		check(s, blocks, 0, len(s))
		for at := range headings {
			if blocks[at].shape != heading {
				t.Errorf("seed %d: block %d is no heading", i, at)
			}
		}
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"too long", 4, "too…"}, {"éé", 3, "é…"}, {"é", 1, "…"}} {
		if got := shorten(tt.in, tt.n); got != tt.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func ExampleChunking_String() {
	fmt.Println(Chunking{Size: 800, Overlap: 100})
	// Output: markdown 800/100
}

func TestHeadingText(t *testing.T) {
	m := newMarkdown()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"Plain  words", "Plain words"},
		{"two\nlines", "two lines"},
		{"*one* **two** _three_ ~~four~~", "one two three four"},
		{"`code *stays*` here", "code *stays* here"},
		{"[link](http://x.test) and ![image](i.png)", "link and image"},
		{"[reference][r] and [short]", "reference and [short]"},
		{"<http://x.test>", "http://x.test"},
		{"<a name=x></a>Anchor", "Anchor"},
		{"AT&amp;T &#8212; \\*not\\*", "AT&T — *not*"},
		{"Limits {#limits}", "Limits"},
		{"{{ template }}", "{{ template }}"},
		{"snake_case_name", "snake_case_name"},
		{"1 < 2 > 0", "1 < 2 > 0"},
		{"unclosed `code *and [more", "unclosed `code *and [more"},
		{"日本語 **強調**", "日本語 強調"},
	} {
		if got := m.plainText([]byte(tt.in)); got != tt.want {
			t.Errorf("plainText(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestHeadingPath(t *testing.T) {
	var p headingPath
	for _, tt := range []struct {
		h     found
		front string
		want  string
	}{
		{found{1, "A"}, "", "A"},
		{found{3, "B"}, "", "A › B"},
		{found{2, "C"}, "", "A › C"},
		{found{4, ""}, "", "A › C"},
		{found{5, "D"}, "Front", "Front › A › C › D"},
		{found{4, "E"}, "A", "A › C › E"},
		{found{1, "A"}, "A", "A"},
		{found{6, "F"}, "A", "A › F"},
	} {
		p.enter(tt.h)
		if got := p.title(tt.front); got != tt.want {
			t.Errorf("after %+v: %q, want %q", tt.h, got, tt.want)
		}
	}
	if got := (headingPath{}).title(""); got != "" {
		t.Errorf("without a heading: %q", got)
	}
}

func TestMarkLen(t *testing.T) {
	for in, want := range map[string]int{
		"> a": 1, ">": 1, ">>": 1, "- a": 1, "-": 1, "-a": 0, "*\tb": 1, "+\n": 1, "--": 0, "1. a": 2, "12) a": 3, "1.": 2, "1.a": 0,
		"123456789. a": 10, "1234567890. a": 0, "1": 0, "a": 0, "# a": 0, "| a": 0,
	} {
		if got := markLen(in); got != want {
			t.Errorf("markLen(%q) = %d, want %d", in, got, want)
		}
	}
}
