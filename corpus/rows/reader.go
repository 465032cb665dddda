package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
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

// DefaultMaxLine is the longest line (or CSV record with quotes, or element of a JSON list) that is read, in bytes.
const DefaultMaxLine = 64 << 20

// mostKept is how many times the longest allowed line is kept of what is refused because it is longer.
const mostKept = 4

// Options override what a Reader finds out by itself. The zero value detects everything.
type Options struct {
	Format    Format
	Encoding  string // a name of the WHATWG index (latin1, windows-1252, shift_jis, utf-16le …); "" for UTF-8 and UTF-16; a BOM wins
	MaxLine   int    // in bytes; 0 for DefaultMaxLine. Longer lines are rejected by number and not held in memory
	Header    HeaderMode
	Columns   []string  // names that the caller will ask for: they make a first row a header too
	Delimiter byte      // of CSV; 0 for a comma, or a semicolon where the first line has no comma
	Stdin     io.Reader // what Open("-") reads; nil for the process's own
	// Sniff, where not nil, is asked for the format first: it gets the beginning of the text, at most 64 KiB, and answers
	// Detect where it does not know better.
	Sniff func(head []byte) Format
	// Digest, where not nil, gets the decompressed bytes, in order, as they are read: at least those of all rows given.
	Digest io.Writer
	// WholeRejects has each Reject.Raw hold all of the refused text, for keeping it. Of a line or an element that is
	// longer than four times MaxLine the beginning is kept, and the reason says so.
	WholeRejects bool
}

// Stats count what was read so far. Accepted + Rejected + Blank is the number of rows met; for JSON Lines and plain
// lines that is Lines. A row of CSV or TSV with nothing but space in its cells is blank too.
type Stats struct {
	Format      Format
	Encoding    string // "utf-8", "utf-16le", "windows-1252" …
	Compression string // "gzip", "zstd" or ""
	Header      bool   // whether the first row was taken as names
	Accepted    int
	Rejected    int
	Blank       int
	Lines       int   // physical lines, the header's included
	Consumed    int64 // bytes taken from the source, compressed where it is: for progress
}

// Reader streams the rows of one source.
type Reader struct {
	file    string
	maxLine int
	keep    bool // refused rows whole
	lossy   bool // U+FFFD stands for bytes that the encoding doesn't have
	stats   Stats
	columns []string
	names   []string // the keys of the object before, which the next one mostly has too
	taken   *counter
	damage  func() string
	close   []func() error
	rows    interface{ next() (Row, error) }
	end     error // what Next returned last, once it ended
}

// Open opens a file, or the standard input for "-". Compression is recognised by its magic, not the name. The error is
// an *Error, with a hint where there is one.
func Open(path string, opt Options) (*Reader, error) {
	if path == "-" {
		in := opt.Stdin
		if in == nil {
			in = os.Stdin
		}
		return New(in, "standard input", opt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Err: bare(err)}
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &Error{File: path, Reason: "it is a folder, not a file"}
	}
	r, err := New(f, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = append(r.close, f.Close)
	return r, nil
}

// New reads from r; name is for messages and, by its extension, a hint at the format. It reads the beginning at once.
func New(r io.Reader, name string, opt Options) (*Reader, error) {
	rd := &Reader{file: name, maxLine: opt.MaxLine, keep: opt.WholeRejects, taken: &counter{r: r}}
	if rd.maxLine <= 0 {
		rd.maxLine = DefaultMaxLine
	}
	d, fault := decode(rd.taken, opt.Encoding, opt.Digest)
	if fault != nil {
		d.close()
		fault.File = name
		return nil, fault
	}
	rd.lossy, rd.damage = d.lossy, d.damage
	rd.stats.Encoding, rd.stats.Compression = d.encoding, d.compression
	rd.close = append(rd.close, func() error { d.close(); return nil })
	src := &source{src: d, offset: int64(d.bom), most: rd.maxLine + sampleSize}
	if err := rd.start(src, opt); err != nil {
		d.close()
		return nil, err
	}
	return rd, nil
}

// start chooses the format and reads a header.
func (r *Reader) start(src *source, opt Options) error {
	head, whole := src.sample()
	format, comma := opt.Format, opt.Delimiter
	if format == Detect && opt.Sniff != nil {
		format = opt.Sniff(head)
	}
	if format == Detect {
		var found byte
		format, found = detect(head, whole, r.file, opt.Columns)
		if comma == 0 {
			comma = found
		}
	}
	r.stats.Format = format
	lines := &lineReader{source: src, max: r.maxLine}
	if r.keep {
		lines.keep = mostKept * r.maxLine
	}
	switch format {
	case JSONLines:
		r.rows = &jsonLines{r, lines}
	case Lines:
		r.rows = &plainLines{r, lines}
	case JSON:
		r.rows = &jsonValues{Reader: r, src: src, line: 1, indent: true}
	case CSV, TSV:
		d := &delimited{Reader: r, lines: lines, comma: '\t', quotes: format == CSV}
		if format == CSV {
			d.comma = comma
			if comma == 0 {
				d.comma = delimiter(firstLine(head, whole))
			}
		}
		r.rows = d
		return d.start(opt, bytes.Clone(head), whole)
	default:
		return &Error{File: r.file, Reason: fmt.Sprintf("no format is called %q", format), Advice: "formats are jsonl, json, csv, tsv and lines"}
	}
	return nil
}

// Next returns the next row. The error is io.EOF at the end, a *Reject for a row that can't be used (go on with Next),
// and an *Error where reading can't go on.
func (r *Reader) Next() (Row, error) {
	if r.end != nil {
		return Row{}, r.end
	}
	row, err := r.rows.next()
	var reject *Reject
	switch {
	case err == nil:
		r.stats.Accepted++
		row.keep = r.keep
	case errors.As(err, &reject):
		r.stats.Rejected++
	default:
		r.end = err
	}
	return row, err
}

// Columns are the names of the columns of CSV and TSV, in order; nil for other formats.
func (r *Reader) Columns() []string { return r.columns }

// File is the name that rows and rejects carry.
func (r *Reader) File() string { return r.file }

// Stats are the counts so far; Format, Encoding, Compression and Header hold from the start.
func (r *Reader) Stats() Stats {
	s := r.stats
	s.Consumed = r.taken.n
	return s
}

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	var errs []error
	for _, c := range r.close {
		errs = append(errs, c())
	}
	r.close = nil
	if r.end == nil {
		r.end = &Error{File: r.file, Err: os.ErrClosed}
	}
	return errors.Join(errs...)
}

// ending turns what a stream ended with into what Next returns.
func (r *Reader) ending(err error, line int) error {
	if err == io.EOF {
		return io.EOF
	}
	return &Error{File: r.file, Line: line, Reason: r.damage(), Err: bare(err)}
}

// bare is the error without the file's name, which ours gives already.
func bare(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
