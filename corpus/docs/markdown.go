package docs

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown finds the blocks of Markdown documents. The zero value is not ready; see newMarkdown.
type markdown struct {
	blocks  parser.Parser // blocks only, with GFM tables
	inlines parser.Parser // of one heading
}

func newMarkdown() *markdown {
	return &markdown{
		// Without the transformer for link definitions: as paragraphs they stay where they are, and it takes quadratic
		// time. Without inline parsers: only headings need them.
		blocks: parser.NewParser(
			parser.WithBlockParsers(parser.DefaultBlockParsers()...),
			parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		),
		inlines: parser.NewParser(
			parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100)),
			parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
		),
	}
}

// cut cuts a document and finds its title: the front matter's, else the first heading of level 1, else fallback.
func (m *markdown) cut(doc, fallback string, c Chunking) (pieces []piece, title string, notes []Note) {
	front := readFrontMatter(doc)
	if front.err != "" {
		notes = append(notes, Note{Place{Line: front.errLine}, "the front matter can't be read: " + front.err})
	}
	sections, first, note := m.sections(doc, front)
	if note != "" {
		notes = append(notes, Note{Text: note})
	}
	if title = front.title; title == "" {
		title = first
	}
	if title == "" {
		title = fallback
	}
	for i := range sections {
		if sections[i].title == "" {
			sections[i].title = title
		}
	}
	return pack(doc, sections, c), title, notes
}

// sections divides the document at its headings; those in lists and quotes don't count. first is the first heading of
// level 1. A section's title is the path of headings to it, after the front matter's title.
func (m *markdown) sections(doc string, front frontMatter) (sections []section, first, note string) {
	blocks, headings, err := m.parse(doc, front.end)
	if err != nil {
		body := paragraphs(doc, front.end, len(doc))
		if len(body) == 0 {
			return nil, "", ""
		}
		return []section{{front.title, body}}, "", err.Error() + "; it was cut as plain text"
	}
	var path headingPath
	for i, b := range blocks {
		if h, ok := headings[i]; ok {
			if h.level == 1 && first == "" {
				first = h.text
			}
			path.enter(h)
		}
		if i == 0 || b.shape == heading {
			sections = append(sections, section{title: path.title(front.title)})
		}
		last := &sections[len(sections)-1]
		last.blocks = append(last.blocks, b)
	}
	return sections, first, ""
}

// found is a heading.
type found struct {
	level int
	text  string
}

// headingPath are the headings that a place in the document stands under, outermost first.
type headingPath []found

func (p *headingPath) enter(h found) {
	for len(*p) > 0 && (*p)[len(*p)-1].level >= h.level {
		*p = (*p)[:len(*p)-1]
	}
	*p = append(*p, h)
}

func (p headingPath) title(front string) string {
	var parts []string
	if front != "" {
		parts = append(parts, front)
	}
	for i, h := range p {
		if h.text != "" && (i > 0 || h.text != front) {
			parts = append(parts, h.text)
		}
	}
	return strings.Join(parts, " › ")
}

// maxMarkdown is the longest document that is parsed, in bytes. The parser takes some 40 times that in memory.
const maxMarkdown = 8 << 20

// parse finds the blocks of doc from a byte on, and which of them are headings. It is an error if doc can't be parsed as
// Markdown in reasonable time and space.
func (m *markdown) parse(doc string, from int) (blocks []block, headings map[int]found, err error) {
	if len(doc)-from > maxMarkdown {
		return nil, nil, fmt.Errorf("longer than %d MiB", maxMarkdown>>20)
	}
	if at := tooDeep(doc[from:]); at >= 0 {
		return nil, nil, fmt.Errorf("line %d is nested more than %d deep", 1+strings.Count(doc[:from+at], "\n"), maxDepth)
	}
	// The parser has panicked on odd input before; one such file must not end the reading of a corpus.
	defer func() {
		if p := recover(); p != nil {
			blocks, headings, err = nil, nil, fmt.Errorf("the Markdown parser failed (%v)", p)
		}
	}()
	source := []byte(doc[from:])
	root := m.blocks.Parse(text.NewReader(source))
	e := extent{doc: doc, from: from}
	headings = map[int]found{}
	var nodes []ast.Node
	blocks, nodes = e.children(root, from, len(doc))
	for i, n := range nodes {
		if h, ok := n.(*ast.Heading); ok {
			headings[i] = found{h.Level, m.plainText(h.Lines().Value(source))}
		}
	}
	return blocks, headings, nil
}

// extent turns nodes into blocks. A node knows where it begins, if that; it ends where the next one begins, so that
// fences, underlines and whatever else the parser consumed are part of some block.
type extent struct {
	doc  string
	from int // what the parser's positions count from
}

// children are the blocks of a node that lies in [start, end) of the document, and the nodes that they stand for.
func (e extent) children(parent ast.Node, start, end int) ([]block, []ast.Node) {
	var starts []int
	var kept []ast.Node
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		at, ok := e.lineStart(n)
		switch {
		case len(starts) == 0:
			at = start // whatever stands before the first is part of it
		case !ok || at <= starts[len(starts)-1] || at >= end:
			continue // on the same line as the one before, as a list in a list's first line
		}
		starts, kept = append(starts, at), append(kept, n)
	}
	var blocks []block
	var nodes []ast.Node
	for i, n := range kept {
		stop := end
		if i+1 < len(starts) {
			stop = starts[i+1]
		}
		b, ok := stretch(e.doc, starts[i], stop, shapeOf(n))
		if !ok {
			continue
		}
		if b.shape == container {
			if b.parts, _ = e.children(n, b.start, b.end); len(b.parts) == 0 {
				b.shape = prose
			}
		}
		blocks, nodes = append(blocks, b), append(nodes, n)
	}
	return blocks, nodes
}

// lineStart is where the line begins that a node begins on.
func (e extent) lineStart(n ast.Node) (int, bool) {
	pos := n.Pos()
	if t, ok := n.(*extast.Table); ok && t.FirstChild() != nil {
		pos = t.FirstChild().Pos() // the table's own is that of the paragraph that it was part of
	}
	if pos < 0 {
		return 0, false
	}
	at := min(e.from+pos, len(e.doc))
	return 1 + strings.LastIndexByte(e.doc[:at], '\n'), true
}

func shapeOf(n ast.Node) shape {
	switch n.(type) {
	case *ast.Heading:
		return heading
	case *ast.List, *ast.ListItem, *ast.Blockquote:
		return container
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *extast.Table:
		return solid
	}
	return prose
}

// maxDepth is how deep lists and quotes may be nested. The parser's time grows with the depth of each line, and its
// stack with the deepest.
const maxDepth = 100

// tooDeep is the offset of the first line nested deeper than maxDepth, -1 if there is none.
func tooDeep(s string) int {
	for at := 0; at < len(s); {
		l := lineAt(s, at)
		if len(l) > maxDepth && depth(l) > maxDepth && !isRule(l) {
			return at
		}
		at += len(l)
	}
	return -1
}

// depth is about how deep a line is nested: it counts the marks that open lists and quotes at its start, and the
// indentation before the first of them as one level for two columns, which is the least that a list needs.
func depth(l string) int {
	marks, columns := 0, 0
	for i := 0; i < len(l); {
		n := markLen(l[i:])
		switch {
		case l[i] == ' ' || l[i] == '\t':
			if n = 1; marks == 0 && l[i] == '\t' {
				columns += 4
			} else if marks == 0 {
				columns++
			}
		case n == 0:
			i = len(l)
		default:
			marks++
		}
		i += n
	}
	if marks == 0 {
		return 0
	}
	return marks + columns/2
}

// markLen is the length of the mark of a quote or a list item that s starts with, 0 if there is none.
func markLen(s string) int {
	n := 0
	switch c := s[0]; {
	case c == '>':
		return 1
	case c == '-', c == '*', c == '+':
		n = 1
	case c >= '0' && c <= '9':
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == len(s) || n > 9 || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' && s[n] != '\n' {
		return 0
	}
	return n
}

// isRule reports whether a line is a thematic break, however long.
func isRule(l string) bool {
	bare := strings.TrimLeft(strings.Trim(l, " \t\n"), " \t")
	return bare != "" && strings.ContainsRune("-*", rune(bare[0])) && strings.Trim(bare, bare[:1]+" \t") == ""
}

func lineAt(s string, at int) string {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return s[at : at+i+1]
	}
	return s[at:]
}

// The longest heading that is parsed, and the longest part of a title, in bytes.
const (
	maxHeading = 4 << 10
	maxTitle   = 200
)

var (
	headingID     = regexp.MustCompile(`\s*\{#[^{}]*\}\s*$`)         // "## Limits {#limits}"
	referenceLink = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`) // its target is defined elsewhere
)

// plainText is a heading without its markup. One that is absurdly long keeps it.
func (m *markdown) plainText(source []byte) string {
	if len(source) > maxHeading || !bytes.ContainsAny(source, "\\`*_[]<>&~!{:@") {
		source = bytes.ToValidUTF8(source[:min(len(source), maxHeading)], nil)
		return shorten(strings.Join(strings.Fields(string(source)), " "), maxTitle)
	}
	source = headingID.ReplaceAll(source, nil)
	source = referenceLink.ReplaceAll(source, []byte("$1"))
	var b strings.Builder
	root := m.inlines.Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(resolved(n, source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return shorten(strings.Join(strings.Fields(b.String()), " "), maxTitle)
}

// resolved is the text that a reader sees: escapes and entities count outside of code.
func resolved(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if _, code := n.Parent().(*ast.CodeSpan); code || n.IsRaw() {
		return value
	}
	return util.ResolveNumericReferences(util.ResolveEntityNames(util.UnescapePunctuations(value)))
}

// shorten cuts s to at most limit bytes, at a rune, and shows that it did.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return strings.TrimRight(s[:limit], " ") + "…"
}
