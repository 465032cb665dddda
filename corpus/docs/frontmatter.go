package docs

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// maxFrontMatter is the longest front matter that is looked for, in bytes.
const maxFrontMatter = 64 << 10

// frontMatter is what stands before a document's text between two lines of --- (YAML) or +++ (TOML).
type frontMatter struct {
	end     int    // where the text begins; 0 if there is none
	title   string // may be empty
	err     string // what is wrong with it
	errLine int    // of the document
}

var (
	yamlKey = regexp.MustCompile(`^["']?[\pL_][^:]*:(\s|$)`)
	tomlKey = regexp.MustCompile(`^(\[|["']?[\pL_][\pL\pN_.-]*["']?\s*=)`)
)

// readFrontMatter reads it. What can't be parsed is front matter all the same if its first line looks like a key: it is
// no part of the text. Otherwise the document starts with a rule.
func readFrontMatter(doc string) frontMatter {
	first, _, _ := strings.Cut(doc, "\n")
	var closers []string
	switch strings.TrimRight(first, " \t") {
	case "---":
		closers = []string{"---", "..."}
	case "+++":
		closers = []string{"+++"}
	default:
		return frontMatter{}
	}
	start := len(first) + 1
	for at := start; at < len(doc) && at-start <= maxFrontMatter; {
		l := lineAt(doc, at)
		for _, closer := range closers {
			if strings.TrimRight(l, " \t\n") == closer {
				return parseFrontMatter(doc[start:at], at+len(l), closers[0])
			}
		}
		at += len(l)
	}
	return frontMatter{}
}

func parseFrontMatter(matter string, end int, fence string) frontMatter {
	if strings.TrimSpace(matter) == "" {
		return frontMatter{end: end}
	}
	read, key := yamlTitle, yamlKey
	if fence == "+++" {
		read, key = tomlTitle, tomlKey
	}
	title, mapping, line, err := read(matter)
	switch {
	case mapping:
		return frontMatter{end: end, title: shorten(strings.Join(strings.Fields(title), " "), maxTitle)}
	case err != nil && key.MatchString(firstLine(matter)):
		return frontMatter{end: end, err: err.Error(), errLine: line + 1}
	}
	return frontMatter{}
}

// firstLine is the first line that is neither blank nor a comment.
func firstLine(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimRight(l, " \t\n"); l != "" && l[0] != '#' {
			return l
		}
	}
	return ""
}

// yamlTitle finds the title in YAML without building what aliases may blow up. mapping is whether it is front matter.
func yamlTitle(matter string) (title string, mapping bool, line int, err error) {
	defer func() {
		if p := recover(); p != nil {
			title, mapping, line, err = "", false, 1, fmt.Errorf("the YAML parser failed (%v)", p)
		}
	}()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(matter), &root); err != nil {
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		if _, scanErr := fmt.Sscanf(message, "line %d:", &line); scanErr == nil {
			_, message, _ = strings.Cut(message, ": ")
		}
		return "", false, max(line, 1), fmt.Errorf("YAML: %s", message)
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return "", false, 0, nil
	}
	pairs := root.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		value := pairs[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if pairs[i].Value == "title" && value.Kind == yaml.ScalarNode && value.Tag != "!!null" && utf8.ValidString(value.Value) {
			return value.Value, true, 0, nil
		}
	}
	return "", true, 0, nil
}

func tomlTitle(matter string) (title string, mapping bool, line int, err error) {
	var front struct {
		Title any `toml:"title"`
	}
	if err := toml.Unmarshal([]byte(matter), &front); err != nil {
		line := 1
		if at, ok := err.(*toml.DecodeError); ok {
			line, _ = at.Position()
		}
		return "", false, line, fmt.Errorf("TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	title, _ = front.Title.(string)
	return title, true, 0, nil
}
