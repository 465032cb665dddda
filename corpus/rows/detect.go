package rows

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// detect finds out the format, and the delimiter where it is CSV, from the beginning of the text. The file's name
// decides where the content could be several things.
func detect(head []byte, whole bool, name string, wanted []string) (Format, byte) {
	lines := sampleLines(head, whole)
	ext := extension(name)
	if f := detectJSON(head, lines, ext); f != Detect {
		return f, 0
	}
	first := firstLine(head, whole)
	header := func(comma byte) bool {
		cells := roughCells(first, comma)
		return len(cells) > 1 && isHeader(cells, wanted)
	}
	switch {
	case ext == "csv" && bytes.IndexByte(first, ',') < 0 && bytes.IndexByte(first, '\t') >= 0:
		return TSV, '\t'
	case ext == "csv":
		return CSV, delimiter(first)
	case (ext == "tsv" || ext == "tab") && (bytes.IndexByte(first, '\t') >= 0 || !header(',')):
		return TSV, '\t'
	case sameTabs(lines), header('\t'):
		return TSV, '\t'
	case header(','), header(';'):
		return CSV, delimiter(first)
	}
	return Lines, 0
}

// detectJSON recognises both forms of JSON; Detect where there is no sign of it.
func detectJSON(head []byte, lines [][]byte, ext string) Format {
	objects := 0
	for _, l := range lines {
		if opensObject(l) {
			objects++
		}
	}
	text := bytes.TrimSpace(head)
	if rest, ok := bytes.CutPrefix(text, []byte("[")); ok {
		rest = bytes.TrimSpace(rest)
		if opensObject(rest) || bytes.HasPrefix(rest, []byte("]")) {
			return JSON
		}
	}
	switch {
	case len(lines) > 0 && opensObject(lines[0]) && json.Valid(lines[0]):
		return JSONLines
	case bytes.HasPrefix(text, []byte("{")) && opensObject(text) && (2*objects < len(lines) || ext == "json" || indented(text)):
		return JSON // one object over several lines
	case objects > 0 && 2*objects >= len(lines):
		if len(lines) > 1 || ext != "json" {
			return JSONLines
		}
	}
	switch ext {
	case "json":
		return JSON
	case "jsonl", "ndjson":
		return JSONLines
	}
	return Detect
}

// indented reports whether the second line of a text begins with space, as those of a written-out object do.
func indented(text []byte) bool {
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t')
}

// opensObject reports whether the text begins like a JSON object rather than like a template or a log's {tag}.
func opensObject(b []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(b), []byte("{"))
	rest = bytes.TrimSpace(rest)
	return ok && (len(rest) == 0 || rest[0] == '"' || rest[0] == '}')
}

// sameTabs reports whether nearly all lines have tabs, and equally many.
func sameTabs(lines [][]byte) bool {
	counts := map[int]int{}
	for _, l := range lines {
		counts[bytes.Count(l, []byte("\t"))]++
	}
	for tabs, n := range counts {
		if tabs > 0 && n*10 >= len(lines)*9 {
			return true
		}
	}
	return false
}

// delimiter of CSV: a semicolon where the first line has no comma, as spreadsheets write it in half of Europe.
func delimiter(first []byte) byte {
	if bytes.IndexByte(first, ',') < 0 && bytes.IndexByte(first, ';') >= 0 {
		return ';'
	}
	return ','
}

// firstLine is the first line that holds something, nil where none does.
func firstLine(head []byte, whole bool) []byte {
	if lines := sampleLines(head, whole); len(lines) > 0 {
		return lines[0]
	}
	return nil
}

// sampleLines are the first lines that hold something, without one that the sample cuts off.
func sampleLines(head []byte, whole bool) [][]byte {
	const enough = 200
	end := "\n"
	if bytes.IndexByte(head, '\n') < 0 {
		end = "\r"
	}
	lines := bytes.Split(head, []byte(end))
	if !whole && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	kept := lines[:0]
	for _, l := range lines {
		if l = bytes.TrimRight(l, "\r"); len(bytes.TrimSpace(l)) > 0 && len(kept) < enough {
			kept = append(kept, l)
		}
	}
	return kept
}

// extension of a file name in lower case, without that of its compression.
func extension(name string) string {
	name = strings.ToLower(filepath.Base(name))
	for _, z := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, z)
	}
	return strings.TrimPrefix(filepath.Ext(name), ".")
}
