package docs

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkPieces holds what is promised of any cutting: pieces in order, within size, on rune boundaries, neither blank nor
// with blank ends, overlapping no more than asked for, and together holding all text from body on.
func checkPieces(t *testing.T, text string, body int, pieces []piece, c Chunking) {
	t.Helper()
	end := body
	for i, p := range pieces {
		if p.Start < body || p.End > len(text) || p.Start >= p.End {
			t.Fatalf("piece %d is %v, of a text from %d to %d", i, p.Span, body, len(text))
		}
		s := text[p.Start:p.End]
		if len(s) > c.Size {
			t.Fatalf("piece %d has %d bytes, more than %d: %q", i, len(s), c.Size, s)
		}
		if !utf8.ValidString(s) {
			t.Fatalf("piece %d cuts a rune: %q", i, s)
		}
		if strings.TrimSpace(s) == "" || strings.TrimRightFunc(s, unicode.IsSpace) != s || strings.HasPrefix(s, "\n") {
			t.Fatalf("piece %d has blank ends: %q", i, s)
		}
		if i > 0 && (p.Start <= pieces[i-1].Start || p.End <= pieces[i-1].End) {
			t.Fatalf("piece %d is %v, after %v", i, p.Span, pieces[i-1].Span)
		}
		if p.Start < end && end-p.Start > c.Overlap {
			t.Fatalf("piece %d repeats %d bytes, more than %d", i, end-p.Start, c.Overlap)
		}
		if p.Start > end {
			if lost := text[end:p.Start]; strings.TrimSpace(lost) != "" {
				t.Fatalf("before piece %d, %q is lost", i, lost)
			}
		}
		end = p.End
	}
	if lost := text[end:]; strings.TrimSpace(lost) != "" {
		t.Fatalf("at the end, %q is lost", lost)
	}
}

// texts writes pieces as tests compare them: "title: text", with line ends as ⏎.
func texts(text string, pieces []piece) []string {
	var out []string
	for _, p := range pieces {
		out = append(out, p.title+": "+strings.ReplaceAll(text[p.Start:p.End], "\n", "⏎"))
	}
	return out
}

func compare(t *testing.T, name string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\ngot\n\t%s\nwant\n\t%s", name, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestCutMarkdown(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int
		over int
		in   string
		want []string
	}{
		{"one section", 1200, 0, "# Refunds\n\nPaid in 14 days.\n\nNot for gift cards.\n", []string{"Refunds: # Refunds⏎⏎Paid in 14 days.⏎⏎Not for gift cards."}},
		{"two sections", 1200, 0, "# A\n\none\n\n# B\n\ntwo\n", []string{"A: # A⏎⏎one", "B: # B⏎⏎two"}},
		{"path", 1200, 0, "# A\n\none\n\n### C\n\ntwo\n\n## D\n\nthree\n", []string{"A: # A⏎⏎one", "A › C: ### C⏎⏎two", "A › D: ## D⏎⏎three"}},
		{"heading alone goes with the next", 1200, 0, "# A\n## B\n\ntext\n", []string{"A › B: # A⏎## B⏎⏎text"}},
		{"last heading alone", 1200, 0, "# A\n\ntext\n\n## B\n", []string{"A: # A⏎⏎text", "A › B: ## B"}},
		{"text before the first heading", 1200, 0, "intro\n\n# A\n\ntext\n", []string{"A: intro", "A: # A⏎⏎text"}},
		{"no heading", 1200, 0, "just text\n", []string{"file: just text"}},
		{"setext", 1200, 0, "Big\nheading\n===\n\ntext\n\nSmall\n---\nmore\n", []string{"Big heading: Big⏎heading⏎===⏎⏎text", "Big heading › Small: Small⏎---⏎more"}},
		{"markup in headings", 1200, 0, "# The `foo` **bar** [link](u) &amp; \\* <b>x</b> ~~y~~ {#id}\n\ntext\n", []string{"The foo bar link & * x y: # The `foo` **bar** [link](u) &amp; \\* <b>x</b> ~~y~~ {#id}⏎⏎text"}},
		{"reference link in a heading", 1200, 0, "# [Docs][d] here\n\ntext\n\n[d]: http://example.test\n", []string{"Docs here: # [Docs][d] here⏎⏎text⏎⏎[d]: http://example.test"}},
		{"front matter", 1200, 0, "---\ntitle: Guide\n---\n\nintro\n\n## Part\n\ntext\n", []string{"Guide: intro", "Guide › Part: ## Part⏎⏎text"}},
		{"front matter and the same heading", 1200, 0, "---\ntitle: Guide\n---\n# Guide\n\nintro\n\n## Part\n\ntext\n", []string{"Guide: # Guide⏎⏎intro", "Guide › Part: ## Part⏎⏎text"}},
		{"heading in a quote is no section", 1200, 0, "# A\n\n> # B\n> text\n\nmore\n", []string{"A: # A⏎⏎> # B⏎> text⏎⏎more"}},
		{"hash in code is no section", 1200, 0, "# A\n\n```\n# B\n```\n\nmore\n", []string{"A: # A⏎⏎```⏎# B⏎```⏎⏎more"}},
		{"html and mdx are text", 1200, 0, "import X from 'x'\n\n<Tabs>\n  <Tab>one</Tab>\n</Tabs>\n\n<!-- more -->\n\nend\n", []string{"file: import X from 'x'⏎⏎<Tabs>⏎  <Tab>one</Tab>⏎</Tabs>⏎⏎<!-- more -->⏎⏎end"}},
		{"paragraphs fill up", 40, 0, "first paragraph\n\nsecond paragraph\n\nthird paragraph\n", []string{"file: first paragraph⏎⏎second paragraph", "file: third paragraph"}},
		{"sentences", 40, 0, "One is short. Two is a little longer. Three\nis on two lines. Four.\n", []string{"file: One is short. Two is a little longer.", "file: Three⏎is on two lines. Four."}},
		{"words", 20, 0, "a sentence without any end that is far too long\n", []string{"file: a sentence without", "file: any end that is far", "file: too long"}},
		{"characters", 16, 0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", []string{"file: aaaaaaaaaaaaaaaa", "file: aaaaaaaaaaaaaaaa", "file: aaaaaa"}},
		{"chinese", 24, 0, "退款将在十四天内支付。礼品卡不能退款。\n", []string{"file: 退款将在十四天内", "file: 支付。", "file: 礼品卡不能退款。"}},
		{"code stays whole", 60, 0, "Some words before the code.\n\n```go\nfirst()\nsecond()\nthird()\n```\n\nSome words after it.\n", []string{"file: Some words before the code.", "file: ```go⏎first()⏎second()⏎third()⏎```⏎⏎Some words after it."}},
		{"code too long", 30, 0, "Before.\n\n```go\nfirst line\n\n    second line\nthird line\n```\n\nAfter.\n", []string{"file: Before.", "file: ```go⏎first line", "file:     second line⏎third line⏎```", "file: After."}},
		{"heading leads long code", 24, 0, "# A\n\n```\nfirst line\nsecond line\n```\n", []string{"A: # A⏎⏎```⏎first line", "A: second line⏎```"}},
		{"table stays whole", 60, 0, "A table follows these words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", []string{"file: A table follows these words.", "file: | a | b |⏎|---|---|⏎| 1 | 2 |⏎| 3 | 4 |"}},
		{"table too long", 24, 0, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", []string{"file: | a | b |⏎|---|---|", "file: | 1 | 2 |⏎| 3 | 4 |"}},
		{"table after a line", 40, 0, "words right above\n| a | b |\n|---|---|\n| 1 | 2 |\n", []string{"file: words right above", "file: | a | b |⏎|---|---|⏎| 1 | 2 |"}},
		{"list at items", 30, 0, "- first item here\n- second item here\n- third\n", []string{"file: - first item here", "file: - second item here⏎- third"}},
		{"code in a list", 40, 0, "1. words of an item\n\n   ```\n   code of it\n   ```\n2. next\n", []string{"file: 1. words of an item", "file:    ```⏎   code of it⏎   ```⏎2. next"}},
		{"heading keeps the first sentence", 40, 0, "# Title\n\nFirst sentence here. Second sentence is here.\n", []string{"Title: # Title⏎⏎First sentence here.", "Title: Second sentence is here."}},
		{"overlap of sentences", 40, 20, "One is short. Two is short. Three is short. Four is it.\n", []string{"file: One is short. Two is short.", "file: Two is short. Three is short.", "file: Three is short. Four is it."}},
		{"overlap of blocks", 40, 20, "- first item\n- second item\n- third item\n- fourth item\n", []string{"file: - first item⏎- second item⏎- third item", "file: - third item⏎- fourth item"}},
		{"no overlap over headings", 40, 20, "# A\n\nOne. Two. Three.\n\n# B\n\nFour.\n", []string{"A: # A⏎⏎One. Two. Three.", "B: # B⏎⏎Four."}},
		{"unclosed fence", 1200, 0, "# A\n\n```\n# not a heading\n", []string{"A: # A⏎⏎```⏎# not a heading"}},
		{"rule first", 1200, 0, "---\n\nnot front matter\n", []string{"file: ---⏎⏎not front matter"}},
		{"empty headings", 1200, 0, "#\n\ntext\n\n##\n\nmore\n", []string{"file: #⏎⏎text", "file: ##⏎⏎more"}},
		{"nothing", 1200, 0, "\n  \n", nil},
	} {
		c := Chunking{tt.size, tt.over}
		pieces, _, _ := newMarkdown().cut(tt.in, "file", c)
		checkPieces(t, tt.in, readFrontMatter(tt.in).end, pieces, c)
		compare(t, tt.name, texts(tt.in, pieces), tt.want)
	}
}

func TestCutPlain(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int
		over int
		in   string
		want []string
	}{
		{"paragraphs", 1200, 0, "one\n\n\n  two\n \nthree\n", []string{"file: one⏎⏎⏎  two⏎ ⏎three"}},
		{"too many for one", 16, 0, "one is\n\ntwo is\n\nthree is\n", []string{"file: one is⏎⏎two is", "file: three is"}},
		{"markup means nothing", 1200, 0, "# one\n\n```\ntwo\n", []string{"file: # one⏎⏎```⏎two"}},
		{"wrapped by hand", 50, 0, "It was the best of\ntimes. It was the worst of\ntimes, it was.\n", []string{"file: It was the best of⏎times.", "file: It was the worst of⏎times, it was."}},
		{"lines without sentences", 24, 0, "key one value\nkey two value\nkey three value\n", []string{"file: key one value⏎key two", "file: value⏎key three value"}},
		{"overlap", 32, 16, "First one is it.\n\nSecond one.\n\nThird is here.\n", []string{"file: First one is it.⏎⏎Second one.", "file: Second one.⏎⏎Third is here."}},
		{"nothing", 1200, 0, " \n\t\n", nil},
	} {
		c := Chunking{tt.size, tt.over}
		pieces := cutPlain(tt.in, "file", c)
		checkPieces(t, tt.in, 0, pieces, c)
		compare(t, tt.name, texts(tt.in, pieces), tt.want)
	}
}

// A character as a reader sees it stays whole, unless it alone is longer than a chunk.
func TestCutAtCharacters(t *testing.T) {
	family := "👨\u200d👩\u200d👧\u200d👦" // 25 bytes
	text := strings.Repeat(family, 4)
	c := Chunking{Size: 60}
	pieces := cutPlain(text, "", c)
	checkPieces(t, text, 0, pieces, c)
	for _, p := range pieces {
		if p.Len()%len(family) != 0 {
			t.Errorf("cut within a character: %q", text[p.Start:p.End])
		}
	}
	zalgo := "a" + strings.Repeat("\u0301", 100) + "b"
	pieces = cutPlain(zalgo, "", c)
	checkPieces(t, zalgo, 0, pieces, c)
}

// B040's 200 KB token and B003's 2 MB line: cutting is linear.
func TestCutLongToken(t *testing.T) {
	text := strings.Repeat("x", 2<<20)
	c := Chunking{Size: DefaultSize}
	pieces := cutPlain(text, "", c)
	checkPieces(t, text, 0, pieces, c)
	if want := (len(text) + DefaultSize - 1) / DefaultSize; len(pieces) != want {
		t.Errorf("%d pieces, want %d", len(pieces), want)
	}
}

func TestChunkingCheck(t *testing.T) {
	for _, c := range []Chunking{{}, {Size: 16}, {Size: 1 << 20}, {Overlap: 600}, {Size: 100, Overlap: 50}} {
		if err := c.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, c := range []Chunking{{Size: 15}, {Size: -1}, {Size: 1<<20 + 1}, {Overlap: -1}, {Overlap: 601}, {Size: 100, Overlap: 51}} {
		if c.Check() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	if got := (Chunking{}).String(); got != "markdown 1200/0" {
		t.Errorf("String() = %q", got)
	}
}

// markdownSeeds exercise every kind of block and what surrounds it.
var markdownSeeds = []string{
	"", "# A\n\ntext\n", "---\ntitle: x\n---\n# A\n", "---\ntitle: [x\n---\ntext", "+++\ntitle = 'x'\n+++\ntext",
	"Big\n===\n\ntext\n\n- a\n  - b\n\n    code\n\n> quote\n> more\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "words\n| a |\n|---|\n",
	"```go\ncode\n```\n\n~~~\nmore", "<div>\n# x\n</div>\n\n<!-- c\n\n-->", "[a]: b 'c'\n\n[a]", "* * *\n\n***\n---\n", "1. a\n2. b\n\n   c\n",
	"\t- a\n\t\t- b\n", "- - - a\n", "> - > 1. x\n", "a\n0\n-:\n-\n", "中文。句子。\n\nلغة. عربية.\n", "a\u2028b\u0085c\n", "x\x00y\n\x1b[2J", "&amp; &#0; \\# `a`\n===",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", "# \n## \n### \n", "-\n\n  a\n-\n", "a\n\n\n\n\n    b\n\n\n    c\n", "{#x} # y {#z}\n", "👨\u200d👩\u200d👧e\u0301",
}

// Any bytes: no panic, spans exact, nothing lost.
func FuzzCut(f *testing.F) {
	for _, s := range markdownSeeds {
		f.Add(s, uint8(0), uint8(0))
		f.Add(s, uint8(20), uint8(9))
	}
	f.Fuzz(func(t *testing.T, s string, size, overlap uint8) {
		text, reason, _ := decode([]byte(s), "")
		if reason != "" {
			return
		}
		c := Chunking{Size: minSize + int(size)}
		c.Overlap = min(int(overlap), c.Size/2)
		pieces, title, _ := newMarkdown().cut(text, "file", c)
		checkPieces(t, text, readFrontMatter(text).end, pieces, c)
		if title == "" || len(title) > maxTitle+len("…") {
			t.Fatalf("title %q", title)
		}
		checkPieces(t, text, 0, cutPlain(text, "file", c), c)
	})
}

func TestCutSeeds(t *testing.T) {
	for _, s := range markdownSeeds {
		for _, c := range []Chunking{{16, 0}, {16, 8}, {40, 10}, {DefaultSize, 200}} {
			pieces, _, _ := newMarkdown().cut(s, "file", c)
			checkPieces(t, s, readFrontMatter(s).end, pieces, c)
		}
	}
}

func BenchmarkCut(b *testing.B) {
	text := strings.Repeat("# Heading\n\nSome words in a paragraph. And more of them, so that it is long.\n\n- item\n- item\n\n```\ncode\n```\n\n", 1000)
	m := newMarkdown()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.cut(text, "file", Chunking{Size: DefaultSize})
	}
}
