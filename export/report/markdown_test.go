package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/corpus/retrieval"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// rendered is Markdown as GitHub renders it, raw HTML and all.
func rendered(t testing.TB, md string) string {
	t.Helper()
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())).Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tags = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)

// skeleton is the markup without the text.
func skeleton(html string) []string { return tags.FindAllString(html, -1) }

func TestMarkdownOrder(t *testing.T) {
	md := written(t, WriteMarkdown, small())
	at := -1
	for _, want := range []string{
		"### ❌ 1 of 3 gates failed, 1 unclear · the retriever failed on 1 query · 1 gold id is not in the corpus · check of `bm25`", "✅ **pass**", "❌ **fail**", "❔ **unclear**", "| R@5 | 0.6250 | 0.2500–0.8750 | 4 | 90% | 0.5000–0.7500 |",
		"Left out of the means", "2 unanswerable queries", "What to mend first", "<summary>1 warning</summary>", "<summary>2 slices</summary>", "<summary>2 worst queries</summary>", "<sub>run `bm25` · labels `aaaa`",
	} {
		i := strings.Index(md, want)
		if i <= at {
			t.Errorf("%q is at %d, after %d", want, i, at)
		}
		at = i
	}
	if last := strings.TrimSpace(md[strings.LastIndex(strings.TrimSpace(md), "\n")+1:]); !strings.HasPrefix(last, "<sub>") || !strings.HasSuffix(last, "</sub>") {
		t.Errorf("the last line is %q", last)
	}
	if html := rendered(t, md); strings.Count(html, "<table>") != 3 || strings.Count(html, "<details>") != 3 || strings.Count(html, "</details>") != 3 {
		t.Errorf("renders as %s", html)
	}
}

func TestMarkdownSizes(t *testing.T) {
	d := small()
	for i := range 15 {
		d.Report.Slices = append(d.Report.Slices, retrieval.Slice{By: "tag", Value: strings.Repeat("x", i), N: i, Measures: d.Report.Measures})
		d.Worst = append(d.Worst, d.Worst[0])
	}
	if n := len(written(t, WriteMarkdown, d)); n > 8<<10 {
		t.Errorf("an ordinary report takes %d bytes", n)
	}

	huge := many(7000)
	long := strings.Repeat("<@ann|`> ", 500)
	for range 3000 {
		huge.Report.Gates = append(huge.Report.Gates, retrieval.GateResult{Gate: long, Line: long, Verdict: retrieval.Pass})
		huge.Report.Measures = append(huge.Report.Measures, retrieval.Mean{Name: long})
	}
	md := written(t, WriteMarkdown, huge)
	if len(md) > 60_000 || len(md) < 40_000 {
		t.Errorf("a huge report takes %d bytes", len(md))
	}
	if !strings.Contains(md, "*Cut to fit a comment: ") || !strings.Contains(md, "lines of gates") || !strings.Contains(md, "lines of measures") {
		t.Error("what was cut is not said")
	}
	if !strings.HasSuffix(md, "</sub>\n") || !strings.HasPrefix(md, "### ❌ 1 of 3003 gates failed") {
		t.Error("title or fingerprints are cut")
	}
	if out := rendered(t, md); strings.Count(out, "<details>") != strings.Count(out, "</details>") {
		t.Error("something folded is left open")
	}
}

func TestMarkdownCutsAtLines(t *testing.T) {
	line := strings.Repeat("x", 999)
	var c comment
	var many []string
	for range 100 {
		many = append(many, line)
	}
	c.add(folded("numbers", "100 numbers", many))
	c.add(section{name: "rest", lines: []string{"short"}})
	out := c.String()
	if n := strings.Count(out, line+"\n"); n < 50 || n > 59 {
		t.Errorf("%d lines are kept", n)
	}
	if !strings.Contains(out, "</details>") || !strings.Contains(out, "lines of numbers") || strings.Contains(out, "of rest") {
		t.Error(out[len(out)-300:])
	}
	if len(out) > maxMarkdown {
		t.Errorf("takes %d bytes", len(out))
	}
}

func TestProse(t *testing.T) {
	for s, want := range map[string]string{
		"R@5>=0.8: 0.81":       "R@5>=0.8: 0.81",
		"nDCG@10 of query 12":  "nDCG@10 of query 12",
		"by @ann, see #12":     "by @&#8203;ann, see #&#8203;12",
		"@ben":                 "@&#8203;ben",
		"http://x.example":     "http:&#8203;//x.example",
		"www.x.example":        "www&#8203;.x.example",
		"GH-12":                "GH-&#8203;12",
		"gh-12":                "gh-&#8203;12",
		"see org/repo#5":       "see org/repo#&#8203;5",
		"x #1#2 a#3/b_#4":      "x #&#8203;1#&#8203;2 a#&#8203;3/b\\_#&#8203;4",
		"@#5 @@ann :a:@ben":    "@#&#8203;5 @@&#8203;ann :&#8203;a:@&#8203;ben",
		"C# and F#":            "C# and F#",
		"of org/repo@a5c3785e": "of org/repo@&#8203;a5c3785e",
		"at 26a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3.": "at 26a&#8203;1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3.",
		"a :100: b":              "a :&#8203;100: b",
		"12:30":                  "12:30",
		"a|b <c> `d` *e* _f_":    "a\\|b \\<c> \\`d\\` \\*e\\* \\_f\\_",
		"- item":                 "\\- item",
		"12. item":               "12\\. item",
		"# head":                 "\\# head",
		"> quote":                "\\> quote",
		"two\nlines":             "two␤lines",
		"\x1b[31m":               "␛\\[31m",
		"   padded   ":           "padded",
		"":                       "",
		strings.Repeat("é", 500): strings.Repeat("é", 399) + "…",
	} {
		if got := prose(s); got != want {
			t.Errorf("prose(%q) is %q, want %q", s, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for s, want := range map[string]string{
		"q1": "`q1`", "a`b": "``a`b``", "`": "`` ` ``", "a``b`": "``` a``b` ```", "a|b": "`a\\|b`", "": "``(empty)``", "@ann": "`@ann`", "a\nb": "`a␤b`", " x ": "`  x  `",
	} {
		if got := code(s); got != want {
			t.Errorf("code(%q) is %q, want %q", s, got, want)
		}
	}
	for _, s := range []string{"q1", "a`b", "`", "a``b`", "@ann", "<b>", "\\", "*a*", "a&amp;b"} {
		want := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
		if got := rendered(t, code(s)); got != "<p><code>"+want+"</code></p>\n" {
			t.Errorf("code(%q) renders as %q", s, got)
		}
	}
}

// FuzzMarkdown holds that no text from outside changes the markup: links, pictures, headings, cells, rows.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{hostile, "a", "|", "`", "\\", "\\|", "||``||", "1) x", "+ x", "=", "---", "***", "<!--", "<details>", "a\\", "ann@example.com", "mailto:ann@example.com", "ftp://x.example", "```", "&#64;ann", "[x]", "[ ] x"} {
		f.Add(s)
	}
	plain := skeleton(rendered(f, written(f, WriteMarkdown, withText("x"))))
	f.Fuzz(func(t *testing.T, s string) {
		md := written(t, WriteMarkdown, withText("x"+s+"x"))
		if !utf8.ValidString(md) {
			t.Fatal("not UTF-8")
		}
		if got := skeleton(rendered(t, md)); !slices.Equal(got, plain) {
			for i := range got {
				if i >= len(plain) || got[i] != plain[i] {
					t.Fatalf("%q puts %s where %v was", s, got[i], plain[min(i, len(plain)-1)])
				}
			}
			t.Fatalf("%q loses markup", s)
		}
		// At the start of a line other things are markup.
		if got := prose(s); got != "" {
			if html := rendered(t, "- "+got); strings.Count(html, "<") != 4 || !strings.HasPrefix(html, "<ul>\n<li>") {
				t.Fatalf("prose(%q) is %q, which renders as %s", s, got, html)
			}
		}
	})
}

func TestMarkdownComparison(t *testing.T) {
	md := written(t, WriteMarkdownComparison, smallComparison())
	for _, want := range []string{
		"### Comparison with `bm25`", "**`dense`** on 40 queries that both have",
		"| R@5 | 0.5000 | 0.6000 | +0.1000 | +0.0200 to +0.1800 | 10, 28, 2 | 0.0200 | **higher** | 0.0800 |",
		"| <0.0001 | **lower** |", "| 0.5000 | no clear change |", "| AP | – | – | – | – | 0, 0, 0 | – | can't tell | – |",
		"- RR: few queries differ", "| `q\\|1` | R@5 | 0.0000 | 1.0000 | +1.0000 |", "on 0 queries that both have",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("lacks %q", want)
		}
	}
	html := rendered(t, md)
	if strings.Count(html, "<table>") != 3 || strings.Count(html, "<tr>") != 3+4+0+1 { // heads, and rows
		t.Errorf("renders as %s", html)
	}
	if md := written(t, WriteMarkdownComparison, retrieval.Comparison{Base: "a"}); !strings.Contains(md, "no other run") {
		t.Errorf("a comparison of one is %q", md)
	}
	c := smallComparison()
	for range 2000 {
		c.Pairs = append(c.Pairs, c.Pairs[0])
	}
	if md := written(t, WriteMarkdownComparison, c); len(md) > 60_000 || !strings.Contains(md, "Cut to fit") {
		t.Errorf("a huge comparison takes %d bytes", len(md))
	}
}
