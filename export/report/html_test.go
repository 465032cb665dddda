package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assay/corpus/retrieval"
)

// void are the elements that are never closed.
var void = []string{"meta", "link", "br"}

var element = regexp.MustCompile(`<(/?)([a-zA-Z!][a-zA-Z0-9]*)((?:\s+[a-zA-Z0-9-]+(?:="[^"<>]*")?)*)\s*(/?)>`)

var attribute = regexp.MustCompile(`([a-zA-Z0-9-]+)(?:="([^"]*)")?`)

// node is an element as it opens.
type node struct {
	name  string
	attrs map[string]string
	in    []string // what it stands in, the root first
	at    int
}

// nodes takes a page apart, and fails where an element is left open, closed twice, or where a < stands for itself.
func nodes(t testing.TB, page string) []node {
	t.Helper()
	body := page
	if i, j := strings.Index(page, "<style>"), strings.Index(page, "</style>"); i > 0 && j > i {
		body = page[:i+len("<style>")] + page[j:]
	}
	found := element.FindAllStringSubmatch(body, -1)
	if n := strings.Count(body, "<"); n != len(found) {
		t.Fatalf("%d tags, but %d angle brackets", len(found), n)
	}
	var list []node
	var open []string
	for i, m := range found {
		closing, name, empty := m[1] == "/", m[2], m[4] == "/"
		switch {
		case name == "!doctype", slices.Contains(void, name):
		case closing:
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
			continue
		}
		n := node{name: name, attrs: map[string]string{}, in: slices.Clone(open), at: i}
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			n.attrs[a[1]] = html.UnescapeString(a[2])
		}
		list = append(list, n)
		if name != "!doctype" && !slices.Contains(void, name) && !empty {
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		t.Fatalf("left open: %v", open)
	}
	return list
}

// pages are documents at the edges.
func pages() map[string]Document {
	one := small()
	one.Report.Queries = one.Report.Queries[:1]
	one.Report.Recall = one.Report.Recall[:1]
	one.Report.Measures[0].Interval = nil
	odd := small()
	odd.Report.Measures = append(odd.Report.Measures, retrieval.Mean{Name: "odd", Mean: ptr(math.NaN()), Judged: ptr(math.NaN())}, retrieval.Mean{Name: "inf", Mean: ptr(math.Inf(1)), Interval: &retrieval.Interval{Lo: math.Inf(-1), Hi: math.NaN()}})
	odd.Report.Queries[0].Values["RR"] = ptr(math.NaN())
	odd.Report.Recall = append(odd.Report.Recall, retrieval.CurvePoint{K: 0, Mean: 1}, retrieval.CurvePoint{K: 20, Mean: math.NaN()}, retrieval.CurvePoint{K: 3, Mean: 7})
	odd.Report.Unanswerable.TopScore = &retrieval.Quantiles{N: 3, Min: math.Inf(-1)}
	unlike := small()
	for i := range unlike.Report.Queries {
		unlike.Report.Queries[i].Values = nil
	}
	return map[string]Document{
		"small": small(), "nothing": {}, "one": one, "odd": odd, "without values": unlike, "hostile": withText(hostile), "traffic": withTraffic(), "many": many(1500),
		"only a scale": {Report: retrieval.Report{Scale: "s", Unanswerable: &retrieval.Unanswerable{}, Latency: &retrieval.Latency{}, Diagnosis: &retrieval.Diagnosis{}}},
	}
}

func TestHTMLIsWhole(t *testing.T) {
	for name, d := range pages() {
		page := written(t, WriteHTML, d)
		list := nodes(t, page)
		if !utf8.ValidString(page) {
			t.Errorf("%s: not UTF-8", name)
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || strings.Contains(page, "ZgotmplZ") || strings.Contains(page, "<no value>") {
			t.Errorf("%s: holds what is no figure", name)
		}
		ids := map[string]bool{}
		for _, n := range list {
			if id, ok := n.attrs["id"]; ok {
				if ids[id] {
					t.Errorf("%s: id %q comes twice", name, id)
				}
				ids[id] = true
			}
		}
		for _, n := range list {
			if by, ok := n.attrs["aria-labelledby"]; ok && !ids[by] {
				t.Errorf("%s: labelled by %q, which is not there", name, by)
			}
		}
	}
}

// TestHTMLStandsAlone looks for whatever could load, run or send.
func TestHTMLStandsAlone(t *testing.T) {
	for name, d := range pages() {
		page := written(t, WriteHTML, d)
		for _, n := range nodes(t, page) {
			if slices.Contains([]string{"script", "img", "iframe", "object", "embed", "form", "input", "button", "a", "base", "use", "image", "foreignObject", "video", "audio"}, n.name) {
				t.Errorf("%s: has a <%s>", name, n.name)
			}
			for a, v := range n.attrs {
				if strings.HasPrefix(a, "on") || a == "style" || a == "src" || a == "srcset" || a == "href" && v != "data:," {
					t.Errorf("%s: <%s> has %s=%q", name, n.name, a, v)
				}
			}
		}
		if strings.Contains(pageStyle, "url(") || strings.Contains(pageStyle, "@import") || strings.Contains(pageStyle, "@font-face") {
			t.Error("the style asks for something")
		}
	}
}

// TestHTMLPolicy holds the policy to the style that is there: another hash, and browsers show the page bare.
func TestHTMLPolicy(t *testing.T) {
	page := written(t, WriteHTML, small())
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	if strings.Contains(style, "<") || len(style) < 1000 {
		t.Fatalf("the style is %q", style)
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
	for _, n := range nodes(t, page) {
		if n.attrs["http-equiv"] == "Content-Security-Policy" {
			if n.attrs["content"] != want {
				t.Errorf("policy is %q, want %q", n.attrs["content"], want)
			}
			return
		}
		if n.name == "style" {
			break
		}
	}
	t.Error("no policy stands before the style")
}

// TestHTMLIsReadAloud holds what screen readers need: headings in order, tables with heads, charts with words.
func TestHTMLIsReadAloud(t *testing.T) {
	for name, d := range pages() {
		level, h1 := 0, 0
		page := written(t, WriteHTML, d)
		if !strings.HasPrefix(page, "<!doctype html>\n<html lang=\"en\">") {
			t.Errorf("%s: begins with %q", name, page[:40])
		}
		for _, n := range nodes(t, page) {
			switch n.name {
			case "h1", "h2", "h3", "h4":
				now := int(n.name[1] - '0')
				if now > level+1 {
					t.Errorf("%s: h%d follows h%d", name, now, level)
				}
				if level = now; now == 1 {
					h1++
				}
			case "th":
				if n.attrs["scope"] == "" {
					t.Errorf("%s: a head without scope", name)
				}
			case "svg":
				if n.attrs["role"] != "img" || n.attrs["aria-label"] == "" {
					t.Errorf("%s: a chart without words: %v", name, n.attrs)
				}
			case "table":
				if scrolls := slices.Contains(n.in, "div"); !scrolls && n.attrs["class"] != "measures" {
					t.Errorf("%s: a table without a box to scroll in", name)
				}
			case "div":
				if n.attrs["class"] == "scroll" && (n.attrs["tabindex"] != "0" || n.attrs["role"] != "region" || n.attrs["aria-label"] == "") {
					t.Errorf("%s: a box that keys can't scroll: %v", name, n.attrs)
				}
			}
		}
		if h1 != 1 {
			t.Errorf("%s: %d first headings", name, h1)
		}
	}
}

func TestHTMLContents(t *testing.T) {
	page := written(t, WriteHTML, small())
	for _, want := range []string{
		"<title>handbook · assay check of bm25</title>", "2026-03-01 12:30 UTC", "1 of 3 gates failed, 1 unclear",
		"RR&gt;=1: 0.5000, n = 4", "What to mend first", "look at the ranking", "90 queries would do", "limit R@5 &lt; 0.70",
		"0.2500–0.8750", "0.5000–0.7500", "90%", "1 query finished without a relevant chunk", "the run has 1 query that",
		"recall 0.6250 at 5", "1 query: q1</title>", "language (none)", "tag identifier",
		"Of 2 unanswerable queries, the retriever returned something for 1.", "with probability 0.75", "n = 3, least 2, quartiles 4 and 8, median 6, greatest 12",
		"40.2 ms", "503 after 3 tries", "gone</bdi> <bdi>graded 2 for query q2", "Without the queries that the retriever failed on",
		"how to reset a password", "1, not relevant", ">unjudged<", "can&#39;t judge", "-2, counts as unjudged", "2, relevant", "3, relevant", "Two\nlines", "score 12.5", "Nothing was returned.",
		"2 hits were left out, since the same chunk came before", "bm25 k1=1.2", "trec_eval-10", "assay 1.2.3", "كيف أعيد تعيين كلمة المرور",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q", want)
		}
	}
	bare := written(t, WriteHTML, Document{Report: retrieval.Report{Unanswerable: &retrieval.Unanswerable{}, Latency: &retrieval.Latency{}, Diagnosis: &retrieval.Diagnosis{}}})
	for _, heading := range []string{"Gates", "What to mend", "Warnings", "Recall by", "Queries", "Slices", "Unanswerable", "Latency", "Faults", "Worst"} {
		if strings.Contains(bare, ">"+heading) {
			t.Errorf("a document with nothing has %q", heading)
		}
	}
	if !strings.Contains(bare, "No measure was asked for.") {
		t.Error("a document with nothing does not say so")
	}
}

func TestHTMLTextIsIsolated(t *testing.T) {
	d := small()
	d.Worst[0].Hits[0].Text = "\u202eevil\u202c"
	page := written(t, WriteHTML, d)
	if strings.ContainsAny(page, "\u202e\u202c") || !strings.Contains(html.UnescapeString(page), "⟨U+202E⟩evil⟨U+202C⟩") {
		t.Error("controls of direction reach the page")
	}
	for _, want := range []string{`<bdi class="id">a#1</bdi>`, `<div dir="auto" class="title">Accounts</div>`, `<div dir="auto" class="text">⟨U&#43;202E⟩evil`, `<h3 dir="auto">how to`, `<bdi class="id">bm25</bdi>`, `<bdi>handbook</bdi>`} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

func TestHTMLStaysUsable(t *testing.T) {
	start := len(written(t, WriteHTML, many(500)))
	page := written(t, WriteHTML, many(7000))
	if len(page) > 1<<20 {
		t.Errorf("7,000 queries take %d bytes, 500 take %d", len(page), start)
	}
	list := nodes(t, page)
	if len(list) > 20_000 {
		t.Errorf("7,000 queries take %d elements", len(list))
	}
	for _, want := range []string{"the 500 with the lowest R@5", "… and 6800 more", "6900 more queries are not shown", "Dots stand for cells", "7000 queries as dots"} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if few := written(t, WriteHTML, many(500)); !strings.Contains(few, "Values by query, by id") || strings.Contains(few, "Dots stand for cells") {
		t.Error("500 queries are cut or binned")
	}
}

func TestHTMLTime(t *testing.T) {
	d := small()
	d.At = time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("east", 2*3600))
	if page := written(t, WriteHTML, d); !strings.Contains(page, "2026-03-01 21:30 UTC") {
		t.Error("the time is not in UTC")
	}
	d.At = time.Time{}
	if page := written(t, WriteHTML, d); strings.Contains(page, "UTC") {
		t.Error("a time that nobody gave is shown")
	}
}

// FuzzHTML holds that no text from outside changes the elements of the page.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{hostile, "a", `"`, "'", "`", "</title>", "<!--", "-->", "<![CDATA[", "{{", "\x00", "\ufeff", "&quot;", "javascript:alert(1)", "\u2028"} {
		f.Add(s)
	}
	plain := elements(nodes(f, written(f, WriteHTML, withText("x"))))
	f.Fuzz(func(t *testing.T, s string) {
		page := written(t, WriteHTML, withText("x"+s))
		if !utf8.ValidString(page) {
			t.Fatal("not UTF-8")
		}
		if i := strings.IndexFunc(page, func(r rune) bool { return r < 0x20 && r != '\n' || r == 0x7f }); i >= 0 {
			t.Fatalf("holds %q", page[i:i+1])
		}
		if got := elements(nodes(t, page)); got != plain {
			t.Fatalf("%q changes the elements", s)
		}
	})
}

// elements are the names of elements and attributes in order.
func elements(list []node) string {
	var b strings.Builder
	for _, n := range list {
		names := []string{}
		for a := range n.attrs {
			names = append(names, a)
		}
		slices.Sort(names)
		fmt.Fprintln(&b, n.name, names)
	}
	return b.String()
}

var color = regexp.MustCompile(`--([a-z]+): #([0-9a-f]{3,6});`)

// TestColors holds text to WCAG's AA (4.5 to 1) and what charts are drawn with to 3 to 1, in both schemes and in print.
func TestColors(t *testing.T) {
	blocks := strings.Split(pageStyle, ":root {")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d schemes, want light, dark and print", len(blocks))
	}
	for i, block := range blocks {
		block, _, _ = strings.Cut(block, "}")
		colors := map[string]float64{}
		for _, m := range color.FindAllStringSubmatch(block, -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		least := map[string]float64{"ink": 7, "quiet": 4.5, "pass": 4.5, "fail": 4.5, "unclear": 4.5, "line": 4.5, "mean": 3}
		for name, want := range least {
			l, ok := colors[name]
			if got := contrast(l, colors["paper"]); !ok || got < want {
				t.Errorf("scheme %d: %s has a contrast of %.2f, want %.1f", i, name, got, want)
			}
		}
		if got := contrast(colors["ink"], colors["mean"]); got < 3 {
			t.Errorf("scheme %d: a whisker on its bar has a contrast of %.2f", i, got)
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
