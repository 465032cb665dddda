package rows

import (
	"errors"
	"io"
)

// Format is how a source holds its rows.
type Format string

// The formats. Detect finds out from the content, with the file's name as a tie-break.
const (
	Detect    Format = ""
	JSONLines Format = "jsonl" // one object a line
	JSON      Format = "json"  // a list of objects, or objects one after the other over any number of lines
	CSV       Format = "csv"   // RFC 4180
	TSV       Format = "tsv"   // tabs; quotes are literal
	Lines     Format = "lines" // a line is a row with the one field "text"
)

// HeaderMode says whether the first row of CSV and TSV holds the columns' names.
type HeaderMode int

// The header modes. HeaderAuto takes the first row as a header where it holds a name that is known in this field or
// listed in Options.Columns, and no number.
const (
	HeaderAuto HeaderMode = iota
	HeaderPresent
	HeaderAbsent
)

// DefaultMaxLine is the longest line (or quoted CSV record, or element of a JSON list) that is read, in bytes.
const DefaultMaxLine = 64 << 20

// Options override what a Reader finds out by itself. The zero value detects everything.
type Options struct {
	Format    Format
	Encoding  string // a name of the WHATWG index (latin1, windows-1252, shift_jis, utf-16le …); "" for UTF-8 and UTF-16; a BOM wins
	MaxLine   int    // in bytes; 0 for DefaultMaxLine. Longer lines are rejected by number and not held in memory
	Header    HeaderMode
	Columns   []string  // names that the caller will ask for: they make a first row a header too
	Delimiter byte      // of CSV; 0 for a comma, or a semicolon where the content shows it
	Stdin     io.Reader // what Open("-") reads; nil for the process's own
}

// Stats count what was read so far. Accepted + Rejected + Blank is the number of rows met; for JSON Lines and plain
// lines that is Lines.
type Stats struct {
	Format      Format
	Encoding    string // "utf-8", "utf-16le", "windows-1252" …
	Compression string // "gzip", "zstd" or ""
	Header      bool   // whether the first row was taken as names
	Accepted    int
	Rejected    int
	Blank       int   // lines without anything but space
	Lines       int   // physical lines, the header's included
	Bytes       int64 // of text as UTF-8
}

// Reader streams the rows of one source.
type Reader struct{}

// Open opens a file, or the standard input for "-". Compression is recognised by its magic. The error is an *Error
// unless the file can't be opened.
func Open(path string, opt Options) (*Reader, error) { return nil, errors.New("not there yet") }

// New reads from r; name is for messages and, by its extension, a hint at the format.
func New(r io.Reader, name string, opt Options) (*Reader, error) {
	return nil, errors.New("not there yet")
}

// Next returns the next row. The error is io.EOF at the end, a *Reject for a row that can't be used (go on with Next),
// and anything else ends the reading.
func (r *Reader) Next() (Row, error) { return Row{}, io.EOF }

// Columns are the names of the columns of CSV and TSV, in order; nil for other formats.
func (r *Reader) Columns() []string { return nil }

// Stats are the counts so far; Format, Encoding and Header hold from the start.
func (r *Reader) Stats() Stats { return Stats{} }

// Close closes the file that Open opened.
func (r *Reader) Close() error { return nil }
