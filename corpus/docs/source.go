package docs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// The values of corpus.Source.Format, beside "" for finding out.
const (
	formatMarkdown = "markdown"
	formatText     = "text"
	formatBEIR     = "beir"
)

// Formats are the values that corpus.Source.Format may have, beside "" for finding out. "markdown" and "text" read a
// file, or every file of a folder, as that, whatever its name.
func Formats() []string {
	return []string{formatMarkdown, formatText, formatBEIR, string(rows.JSONLines), string(rows.JSON), string(rows.CSV), string(rows.TSV), string(rows.Lines)}
}

// reading is how a file is read.
type reading uint8

const (
	asNothing reading = iota
	asMarkdown
	asText
	asRows
)

// input is one file to read.
type input struct {
	path   string // to open
	real   string // without symbolic links
	name   string // for messages
	id     string // the document's, where no other has it
	as     reading
	format rows.Format
	size   int64
}

// plan is what a source consists of.
type plan struct {
	source  corpus.Source
	kind    Kind
	folder  string // that ids count from; tells documents of the same name apart
	fields  rowFields
	inputs  []input
	skipped []Skipped
}

// planSource finds the files of a source without reading them.
func planSource(s corpus.Source) (plan, error) {
	p := plan{source: s}
	if s.Format != "" && !slices.Contains(Formats(), s.Format) {
		advice := "formats are " + strings.Join(Formats(), ", ")
		if near, ok := text.Nearest(s.Format, Formats()); ok {
			advice = fmt.Sprintf("did you mean %q?", near)
		}
		return p, &SourceError{Path: s.Path, Reason: fmt.Sprintf("there is no format called %q", s.Format), Advice: advice}
	}
	var err error
	if p.fields, err = newRowFields(s); err != nil {
		return p, err
	}
	if _, err := findCharset(s.Encoding); err != nil {
		return p, &SourceError{Path: s.Path, Reason: err.Error(), Advice: encodingHint}
	}
	real, info, err := resolve(s.Path)
	if err != nil {
		return p, sourceError(s.Path, err)
	}
	switch {
	case info.IsDir():
		p.kind, p.folder = KindFolder, real
		return p, p.planFolder(real)
	case info.Mode().IsRegular():
		p.folder = filepath.Dir(real)
		return p, p.planFile(real, info)
	}
	return p, &SourceError{Path: s.Path, Reason: "it is neither a file nor a folder", Advice: "save what it holds as a file"}
}

// resolve follows symbolic links, the path's own included, and looks at what is there.
func resolve(path string) (real string, info fs.FileInfo, err error) {
	if real, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return "", nil, err
	}
	info, err = os.Stat(real)
	return real, info, err
}

func sourceError(path string, err error) error {
	e := &SourceError{Path: path, Err: cause(err)}
	if errors.Is(err, fs.ErrNotExist) {
		e.Advice = "if it moved, index it from where it is now; `assay index --only PATH` forgets the old place"
	}
	return e
}

// cause is an error without the operation and path around it, which the message has already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// planFile plans a source that is one file.
func (p *plan) planFile(real string, info fs.FileInfo) error {
	in := input{path: real, real: real, name: p.source.Path, id: filepath.Base(p.source.Path), size: info.Size()}
	switch p.source.Format {
	case formatMarkdown:
		in.as = asMarkdown
	case formatText:
		in.as = asText
	case formatBEIR:
		in.as, in.format = asRows, rows.JSONLines
	case "":
		var reason string
		if in.as, reason = readingOf(in.id); in.as == asNothing {
			if in.as = sniff(real); in.as == asNothing || reason != "" {
				p.kind = KindFile
				p.skip(p.source.Path, orReason(reason, "its ending is not known and it holds no text"), "name its format with --format: "+strings.Join(Formats(), ", "))
				return nil
			}
		}
	default:
		in.as, in.format = asRows, rows.Format(p.source.Format)
	}
	p.kind = KindFile
	if in.as == asRows {
		p.kind = KindRows
	}
	p.inputs = []input{in}
	return nil
}

func orReason(reason, otherwise string) string {
	if reason != "" {
		return reason
	}
	return otherwise
}

func (p *plan) skip(path, reason, hint string) {
	p.skipped = append(p.skipped, Skipped{path, reason, hint})
}

// readingOf tells from a file's name how to read it. Where it can't be read at all, there is a reason.
func readingOf(name string) (as reading, reason string) {
	ending := strings.ToLower(filepath.Ext(name))
	switch ending {
	case ".md", ".markdown", ".mdx":
		return asMarkdown, ""
	case ".txt", ".text", ".rst", ".adoc", ".asciidoc":
		return asText, ""
	case ".jsonl", ".ndjson", ".json", ".csv", ".tsv":
		return asRows, ""
	case ".gz", ".zst":
		if inner, _ := readingOf(strings.TrimSuffix(name, filepath.Ext(name))); inner == asRows {
			return asRows, ""
		}
		return asNothing, "compressed; only rows are read compressed"
	case ".html", ".htm", ".xhtml":
		return asNothing, "HTML is not read"
	case ".parquet":
		return asNothing, "Parquet is not read"
	case ".pdf", ".doc", ".docx", ".odt", ".rtf", ".epub", ".ppt", ".pptx", ".xls", ".xlsx":
		return asNothing, "its ending " + ending + " says that it is no plain text"
	}
	return asNothing, ""
}

// sniff tells from a file's first bytes how to read it: JSON begins with a bracket.
func sniff(path string) reading {
	f, err := os.Open(path)
	if err != nil {
		return asText // reading it reports the error
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') {
		return asRows
	}
	return asText
}
