package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"assay/corpus"

	"github.com/pelletier/go-toml/v2"
)

// Template is a new workspace's assay.toml.
func Template(name, language string, scale corpus.Scale) string {
	sc := scaleConfig(scale)
	d := Default()
	return fmt.Sprintf(`# An assay workspace. Edit it by hand; "assay guide workspace" explains every setting.
version = 1
name = %s

[scale]
# Grades are the integers from min to max; a chunk counts as relevant from relevant_from on.
# Once there are labels the scale is fixed: a change here is refused.
min = %d
max = %d
relevant_from = %d
names = %s

[corpus]
# Stemming and common words: en, de, fr, es, … or "none". A change re-indexes everything.
language = %s

[chunking]
# How documents (Markdown, text) are cut: bytes a chunk, and bytes that neighbours share. Rows of JSON Lines and
# tables are chunks already and are never cut.
size = %d
overlap = %d

[labeling]
# After a grade the cursor moves to the next row without one.
auto_advance = true
# The mouse stays with the terminal (select, copy) unless this is true.
mouse = false
# dark, light or none. NO_COLOR is honoured too.
theme = "dark"

[gold]
# How several annotators' grades become one: majority, single or adjudicated.
rule = "majority"

[check]
measures = %s
# How many chunks the built-in search returns for a query when it is measured.
depth = %d

[diagnosis]
# Below these figures a check says what to mend first: R@50, R@5, RR and P@5.
deep_recall = %g
top_recall = %g
first_hit = %g
precision = %g

# Retrievers to ask by name: "assay check --retriever NAME". "assay guide retrievers" says more.
# [[retriever]]
# name = "prod"
# http = "http://localhost:8080/search"
# headers = { Authorization = "Bearer ${SEARCH_TOKEN}" }

# Where the corpus comes from is recorded below by "assay index PATH…"; a bare "assay index" rereads it all.
`, quote(name), sc.Min, sc.Max, sc.RelevantFrom, quoteList(sc.Names), quote(language),
		d.Chunking.Size, d.Chunking.Overlap, quoteList(d.Check.Measures), d.Check.Depth,
		d.Diagnosis.DeepRecall, d.Diagnosis.TopRecall, d.Diagnosis.FirstHit, d.Diagnosis.Precision)
}

func quote(s string) string {
	b, err := toml.Marshal(map[string]string{"k": s})
	if err != nil { // a map of strings always encodes
		return `""`
	}
	return strings.TrimSpace(strings.TrimPrefix(string(b), "k = "))
}

func quoteList(list []string) string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = quote(s)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

var tableLine = regexp.MustCompile(`^\s*(\[{1,2})\s*([A-Za-z0-9_.\s-]+?)\s*\]{1,2}\s*(?:#.*)?$`)

// table is the header that a line holds, without spaces and comment: "[scale]", "[[source]]"; "" where it holds none.
func table(line string) string {
	m := tableLine.FindStringSubmatch(line)
	switch {
	case m == nil:
		return ""
	case m[1] == "[[":
		return "[[" + m[2] + "]]"
	}
	return "[" + m[2] + "]"
}

// withScale changes the lines of the [scale] table and leaves all others as they are. A file without the table gets
// one at its end.
func withScale(content string, s corpus.Scale) string {
	sc := scaleConfig(s)
	want := map[string]string{
		"min": fmt.Sprint(sc.Min), "max": fmt.Sprint(sc.Max),
		"relevant_from": fmt.Sprint(sc.RelevantFrom), "names": quoteList(sc.Names),
	}
	order := []string{"min", "max", "relevant_from", "names"}
	var out []string
	done := map[string]bool{}
	missing := func() {
		for _, k := range order {
			if !done[k] {
				out = append(out, k+" = "+want[k])
				done[k] = true
			}
		}
	}
	in, seen, open := false, false, 0
	for _, line := range strings.Split(strings.TrimSuffix(content, "\n"), "\n") {
		switch {
		case open > 0: // the rest of a list over several lines that was replaced
			open += strings.Count(line, "[") - strings.Count(line, "]")
			continue
		case table(line) != "":
			if in {
				missing()
			}
			in = table(line) == "[scale]"
			seen = seen || in
		case in:
			key := strings.TrimSpace(strings.SplitN(line, "=", 2)[0])
			if v, ok := want[key]; ok && strings.Contains(line, "=") {
				open = max(0, strings.Count(line, "[")-strings.Count(line, "]"))
				line = key + " = " + v
				done[key] = true
			}
		}
		out = append(out, line)
	}
	if in {
		missing()
	}
	if !seen {
		out = append(out, "", "[scale]")
		missing()
	}
	return strings.Join(out, "\n") + "\n"
}

// withSources replaces the [[source]] tables, which always stand together at the end of what they are replaced by.
func withSources(content string, sources []corpus.Source) string {
	var out []string
	in := false
	for _, line := range strings.Split(strings.TrimRight(content, "\n"), "\n") {
		if t := table(line); t != "" {
			in = t == "[[source]]" || strings.HasPrefix(t, "[source.")
		}
		if !in || strings.HasPrefix(strings.TrimSpace(line), "#") {
			out = append(out, line)
		}
	}
	for len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "" {
		out = out[:len(out)-1]
	}
	for _, s := range sources {
		out = append(out, "", "[[source]]", "path = "+quote(s.Path))
		if s.Format != "" {
			out = append(out, "format = "+quote(s.Format))
		}
		if s.Encoding != "" {
			out = append(out, "encoding = "+quote(s.Encoding))
		}
		if len(s.Fields) > 0 {
			var fields []string
			for _, k := range []string{"id", "text", "title", "document", "metadata"} {
				if v := s.Fields[k]; v != "" {
					fields = append(fields, k+" = "+quote(v))
				}
			}
			out = append(out, "fields = { "+strings.Join(fields, ", ")+" }")
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// SetScale writes the scale into assay.toml.
func (w *Workspace) SetScale(s corpus.Scale) error {
	return w.edit(func(c string) string { return withScale(c, s) })
}

// SetSources writes the recorded sources into assay.toml.
func (w *Workspace) SetSources(sources []corpus.Source) error {
	return w.edit(func(c string) string { return withSources(c, sources) })
}

// edit changes assay.toml and checks that the program can still read it before the old file goes.
func (w *Workspace) edit(change func(string) string) error {
	path := w.Path("assay.toml")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next := change(string(old))
	c, err := parseConfig(path, []byte(next))
	if err != nil {
		return fmt.Errorf("change assay.toml: %w", err)
	}
	if next != string(old) {
		if err := replaceFile(path, next); err != nil {
			return fmt.Errorf("change assay.toml: %w", err)
		}
	}
	w.Config = c
	return nil
}

// replaceFile writes through a temporary file in the same folder, so that the old content stays until the new is on disk.
func replaceFile(path, content string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".assay-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
