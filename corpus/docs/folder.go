package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// beirNames are what the corpus of a BEIR collection is called.
var beirNames = [...]string{"corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst"}

// planFolder plans a source that is a folder: a BEIR collection, or documents.
func (p *plan) planFolder(root string) error {
	switch p.source.Format {
	case "", formatBEIR:
		for _, name := range beirNames {
			path := filepath.Join(root, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return p.planBEIR(root, name, info)
			}
		}
		if p.source.Format == formatBEIR {
			return &SourceError{Path: p.source.Path, Reason: "it holds no corpus.jsonl", Advice: "a BEIR collection is a folder with corpus.jsonl, queries.jsonl and qrels/"}
		}
	case formatMarkdown, formatText:
	default:
		return &SourceError{Path: p.source.Path, Reason: fmt.Sprintf("it is a folder, which has no format %q", p.source.Format), Advice: "name the file itself"}
	}
	w := walker{plan: p, root: root}
	if err := w.walk(); err != nil {
		return err
	}
	w.follow()
	return nil
}

func (p *plan) planBEIR(root, name string, info fs.FileInfo) error {
	p.kind = KindRows
	path := filepath.Join(root, name)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return sourceError(path, err)
	}
	p.inputs = []input{{path: path, real: real, name: filepath.Join(p.source.Path, name), id: name, as: asRows, size: info.Size()}}
	entries, err := os.ReadDir(root)
	if err != nil {
		return sourceError(p.source.Path, err)
	}
	for _, e := range entries {
		if e.Name() != name {
			p.skip(filepath.Join(p.source.Path, e.Name()), "the folder is a BEIR collection, whose corpus is "+name, "")
		}
	}
	return nil
}

// walker finds the files of a folder. Symbolic links are looked at last: whether one leads to a file that is read
// anyway is known only then.
type walker struct {
	*plan
	root  string          // without symbolic links
	links []string        // paths below root
	taken map[string]bool // paths of files that are read, below root
}

// display is a path below the root as messages show it.
func (w *walker) display(rel string) string { return filepath.Join(w.source.Path, rel) }

func (w *walker) walk() error {
	w.taken = map[string]bool{}
	return filepath.WalkDir(w.root, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(w.root, path)
		switch {
		case relErr != nil:
			return sourceError(w.source.Path, relErr)
		case err != nil && rel == ".":
			return sourceError(w.source.Path, err)
		case err != nil:
			w.skip(w.display(rel), fmt.Sprintf("it can't be read: %v", cause(err)), "")
			return nil
		case rel == ".":
			return nil
		case strings.HasPrefix(e.Name(), "."):
			w.skip(w.display(rel), "hidden", "")
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			w.links = append(w.links, rel)
			return nil
		case !e.Type().IsRegular():
			w.skip(w.display(rel), "not a regular file", "")
			return nil
		}
		info, err := e.Info()
		if err != nil {
			w.skip(w.display(rel), fmt.Sprintf("it can't be read: %v", cause(err)), "")
			return nil
		}
		w.file(rel, path, info.Size())
		return nil
	})
}

// file plans one file of the folder.
func (w *walker) file(rel, real string, size int64) {
	in := input{path: real, real: real, name: w.display(rel), id: filepath.ToSlash(rel), size: size}
	if !utf8.ValidString(rel) {
		w.skip(in.name, "its name is not valid UTF-8, so that it can't be an id", "rename it")
		return
	}
	as, reason := readingOf(rel)
	switch {
	case w.source.Format == formatMarkdown:
		as = asMarkdown
	case w.source.Format == formatText:
		as = asText
	case as == asRows:
		w.skip(in.name, "a file of rows within a folder of documents", "index the file itself")
		return
	case as == asNothing && reason != "":
		w.skip(in.name, reason, "")
		return
	case as == asNothing:
		w.skip(in.name, unknownEnding(rel), "index the file itself, or the folder with --format text")
		return
	}
	in.as = as
	w.taken[rel] = true
	w.inputs = append(w.inputs, in)
}

func unknownEnding(rel string) string {
	if ext := filepath.Ext(rel); len(ext) > 1 {
		return fmt.Sprintf("%s is not an ending of Markdown or text", ext)
	}
	return "its name has no ending that says Markdown or text"
}

// follow decides about the symbolic links, and puts the files in order.
func (w *walker) follow() {
	slices.Sort(w.links)
	for _, rel := range w.links {
		w.link(rel)
	}
	slices.SortFunc(w.inputs, func(a, b input) int { return strings.Compare(a.id, b.id) })
}

// link reads what a link leads to if that is a file below the root which isn't read under its own name.
func (w *walker) link(rel string) {
	path := filepath.Join(w.root, rel)
	name := w.display(rel)
	real, info, err := resolve(path)
	if err != nil {
		target, linkErr := os.Readlink(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && linkErr == nil:
			w.skip(name, fmt.Sprintf("a link to %s, which is not there", target), "")
		case linkErr == nil && !errors.Is(err, fs.ErrPermission):
			w.skip(name, fmt.Sprintf("a link to %s that leads nowhere", target), "") // a chain of links that ends in itself
		default:
			w.skip(name, fmt.Sprintf("it can't be read: %v", cause(err)), "")
		}
		return
	}
	target, err := filepath.Rel(w.root, real)
	switch {
	case err != nil || target == ".." || strings.HasPrefix(target, ".."+string(filepath.Separator)):
		w.skip(name, "a link out of the folder", "index what it leads to by its own path")
	case info.IsDir() && (target == "." || strings.HasPrefix(path, real+string(filepath.Separator))):
		w.skip(name, "a link to a folder that it is in, a loop", "")
	case info.IsDir():
		w.skip(name, fmt.Sprintf("a link to %s, a folder of this folder", filepath.ToSlash(target)), "")
	case !info.Mode().IsRegular():
		w.skip(name, "not a regular file", "")
	case w.taken[target]:
		w.skip(name, fmt.Sprintf("a link to %s, which is read", filepath.ToSlash(target)), "")
	default:
		n := len(w.inputs)
		if w.file(rel, real, info.Size()); len(w.inputs) > n {
			w.taken[target] = true
		}
	}
}
