package guide

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEveryPageIsATopic(t *testing.T) {
	files, err := fs.Glob(Pages(), "*")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, topic := range Topics() {
		listed = append(listed, topic.Name+".md")
	}
	slices.Sort(listed)
	if !slices.Equal(files, listed) {
		t.Errorf("the files are %q, the topics %q", files, listed)
	}
}

func TestTopicsSayWhatTheyAre(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, topic := range Topics() {
		if !kebab.MatchString(topic.Name) {
			t.Errorf("%s: the name is not in kebab case", topic.Name)
		}
		if topic.Title == "" || strings.HasPrefix(topic.Title, "#") {
			t.Errorf("%s: title %q", topic.Name, topic.Title)
		}
		if !strings.HasSuffix(topic.Summary, ".") || utf8.RuneCountInString(topic.Summary) > 100 {
			t.Errorf("%s: the summary %q is not one short sentence", topic.Name, topic.Summary)
		}
	}
}

func TestPageKnowsOnlyTopics(t *testing.T) {
	for _, name := range []string{"", ".", "..", "/start", "start.md", "../guide/start", "nothing", "START", "doc.go", "start\x00"} {
		if text, ok := Page(name); ok || text != "" {
			t.Errorf("Page(%q) is a page", name)
		}
	}
	for _, topic := range Topics() {
		text, ok := Page(topic.Name)
		if !ok || !strings.HasPrefix(text, "# "+topic.Title+"\n\n"+topic.Summary+"\n\n") {
			t.Errorf("Page(%q) does not begin with its title and summary", topic.Name)
		}
		if again, _ := Page(topic.Name); again != text {
			t.Errorf("Page(%q) differs from itself", topic.Name)
		}
	}
}

// TestPagesAreReadable holds what a reader in a terminal of 110 columns relies on.
func TestPagesAreReadable(t *testing.T) {
	for name, text := range allPages(t) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) < 60 || len(lines) > 200 {
			t.Errorf("%s: %d lines, not 60 to 200", name, len(lines))
		}
		if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
			t.Errorf("%s: does not end with one line feed", name)
		}
		fences := 0
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > 110 {
				t.Errorf("%s:%d: %d columns wide", name, i+1, n)
			}
			if strings.ContainsAny(line, "\t\r\x1b") || strings.TrimRight(line, " ") != line || !utf8.ValidString(line) {
				t.Errorf("%s:%d: holds tabs, control characters or trailing space", name, i+1)
			}
			if strings.HasPrefix(line, "```") {
				fences++
			}
		}
		if fences%2 != 0 {
			t.Errorf("%s: a code block is not closed", name)
		}
	}
}

// TestSectionsNamePassages holds what the demo relies on: page and heading name one passage of a chunk's length.
func TestSectionsNamePassages(t *testing.T) {
	const chunk = 1200 // the default size of a chunk, in bytes
	for name, text := range allPages(t) {
		seen := map[string]bool{}
		for _, s := range sections(text) {
			if seen[s.heading] {
				t.Errorf("%s: heading %q comes twice", name, s.heading)
			}
			seen[s.heading] = true
			if len(s.text) > chunk {
				t.Errorf("%s: section %q has %d bytes, more than %d", name, s.heading, len(s.text), chunk)
			}
			if strings.TrimSpace(strings.TrimLeft(s.text, "# ")) == s.heading {
				t.Errorf("%s: section %q is empty", name, s.heading)
			}
		}
	}
}

// TestPagesNameOnlyWhatThereIs keeps the guide from describing commands and flags of another version.
func TestPagesNameOnlyWhatThereIs(t *testing.T) {
	known := map[string][]string{
		"command": {
			"demo", "init", "index", "import", "search", "label", "status", "check", "compare", "export", "log", "guide",
			"completion", "version", "help", "forget",
		},
		"flag": {
			"workspace", "annotator", "query", "scale", "relevant-from", "language", "only", "format", "encoding", "id-field",
			"text-field", "title-field", "document-field", "metadata-field", "json", "dry-run", "kind", "source",
			"unfinished", "name", "mode", "text", "rule", "guard-formulas", "encode-ids", "run", "per-query", "trec", "strict",
			"batch", "batches", "keep", "replace", "decode-ids", "binary", "allow-missing", "compat", "version",
			"labels", "queries", "by", "seed", "retriever", "exec", "http", "method", "body", "header", "hits-path", "id-path",
			"score-path", "timeout", "retries", "concurrency", "depth", "fresh", "require", "no-worse-than", "alpha",
			"allowed-drop", "force", "sample", "strata", "time-field", "user-field", "session-field", "param", "gap", "no-clean", "max-length",
			"no-redact", "no-group", "rejects", "all", "yes", "html", "markdown", "junit", "worst", "moved", "show", "worse",
		},
		"topic": {"schema"},
	}
	for _, topic := range Topics() {
		known["topic"] = append(known["topic"], topic.Name)
	}
	mention := map[string]*regexp.Regexp{
		"command": regexp.MustCompile(`\bassay ([a-z]+)`),
		"flag":    regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`),
		"topic":   regexp.MustCompile(`\bassay guide ([a-z-]+)`),
	}
	found := map[string]int{}
	for name, text := range allPages(t) {
		for _, code := range codeOf(text) {
			if code == "--flag" { // stands for any
				continue
			}
			for what, pattern := range mention {
				for _, m := range pattern.FindAllStringSubmatch(code, -1) {
					found[what]++
					if !slices.Contains(known[what], m[1]) {
						t.Errorf("%s: there is no %s %s: %s", name, what, m[1], code)
					}
				}
			}
		}
	}
	for what, n := range found {
		if n < 20 {
			t.Errorf("only %d mentions of a %s were found", n, what)
		}
	}
}

func TestTablesHaveEvenRows(t *testing.T) {
	for name, text := range allPages(t) {
		cells := 0
		for i, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "|") {
				cells = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if cells != 0 && n != cells {
				t.Errorf("%s:%d: %d bars in the row, %d in the one before", name, i+1, n, cells)
			}
			cells = n
		}
	}
}

// TestSections tries the reader of sections that the tests above stand on.
func TestSections(t *testing.T) {
	got := sections("# A\n\nx\n\n```\n# no heading\n```\n## B\ny\n")
	want := []section{{"A", "# A\n\nx\n\n```\n# no heading\n```\n"}, {"B", "## B\ny\n"}}
	if !slices.Equal(got, want) {
		t.Errorf("sections are %q, want %q", got, want)
	}
}

type section struct{ heading, text string }

// sections cuts a page at its headings, whatever their level.
func sections(page string) []section {
	var all []section
	code := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code && strings.HasPrefix(line, "#") {
			all = append(all, section{heading: strings.TrimSpace(strings.TrimLeft(line, "#"))})
		}
		if len(all) > 0 {
			all[len(all)-1].text += line
		}
	}
	return all
}

// codeOf lists the lines of code blocks and the code within lines.
func codeOf(page string) []string {
	var all []string
	block := false
	for _, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			block = !block
		case block:
			all = append(all, line)
		default:
			for i, part := range strings.Split(line, "`") {
				if i%2 == 1 {
					all = append(all, part)
				}
			}
		}
	}
	return all
}

func allPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, topic := range Topics() {
		text, ok := Page(topic.Name)
		if !ok {
			t.Fatalf("no page %s", topic.Name)
		}
		pages[topic.Name] = text
	}
	if len(pages) < 12 || len(pages) > 20 {
		t.Errorf("%d pages", len(pages))
	}
	return pages
}

func ExampleTopics() {
	first := Topics()[0]
	fmt.Println(first.Name, "|", first.Title, "|", first.Summary)
	// Output: start | Getting started | From an empty folder to a first figure, in about ten minutes.
}
