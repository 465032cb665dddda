package guide

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.md
var pages embed.FS

// order is the one in which a newcomer would read.
var order = [...]string{
	"start", "workspace", "corpus", "queries", "mining", "search", "labeling", "keys", "tags", "gold-sets", "checks", "measures",
	"retrievers", "compare", "gates", "files-and-formats", "journal", "scripting", "troubleshooting", "glossary",
}

// Topic is a page of the guide as a list shows it.
type Topic struct {
	Name    string // what "assay guide NAME" takes; its file is Name + ".md"
	Title   string
	Summary string // one sentence
}

// Pages are the pages as files, all at the root: "start.md", "workspace.md" …
func Pages() fs.FS { return pages }

// Topics lists the pages in reading order.
func Topics() []Topic {
	topics := make([]Topic, 0, len(order))
	for _, name := range order {
		text, ok := Page(name)
		if !ok {
			continue
		}
		title, rest, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		summary, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
		topics = append(topics, Topic{Name: name, Title: title, Summary: summary})
	}
	return topics
}

// Page is the Markdown of a topic.
func Page(name string) (text string, ok bool) {
	b, err := pages.ReadFile(name + ".md")
	return string(b), err == nil
}
