package querylog

import (
	"errors"
	"io"
	"iter"
	"os"

	"assay/corpus/rows"
)

// Stats say how a log was read, and count what was read so far. Accepted + Rejected is the number of rows, Blank lines
// apart; what is accepted includes the rows that hold no query. A topic of several lines is one row, and so is each
// span of an export that puts many into one object.
type Stats struct {
	Format       Format
	Encoding     string
	Compression  string
	Header       bool   // whether the first row was taken as names
	TextField    string // where the query's text was found: the columns, keys or parameters of the first accepted row
	IDField      string // and its id; "" where the log gives none
	TimeField    string
	UserField    string
	SessionField string
	Accepted     int
	Rejected     int
	Blank        int
	NoQuery      int    // rows that are understood and ask nothing, e.g. a page view in an access log
	Lines        int    // physical lines
	Consumed     int64  // bytes read, compressed where the file is: for progress
	Size         int64  // of the file in the same bytes; 0 where it is not known
	Warning      string // what looks odd about the file as a log; "" where nothing does
}

// Log is an open query log.
type Log struct {
	r     *rows.Reader
	opt   Options
	ahead []ahead // rows that were looked at to tell the format, or that came together, still to be given
	form  form
	lay   *layout            // of the row before
	known map[string]*layout // by the names of their fields
	stats Stats
}

// ahead is what the reader of rows gave.
type ahead struct {
	row rows.Row
	err error
}

// lookedAt is how many rows are looked at to tell what a file holds.
const lookedAt = 200

// Open opens a log, or the standard input for "-". The error names what is wrong with the file as a log, with a hint
// where there is one.
func Open(path string, opt Options) (*Log, error) {
	format, err := opt.Format.rows()
	if err != nil {
		return nil, err
	}
	found := sniffed{wanted: opt.Format}
	r, err := rows.Open(path, rows.Options{
		Format: format, Encoding: opt.Encoding, Columns: opt.Columns(), Stdin: opt.Stdin, Sniff: found.sniff, Digest: opt.Digest,
		WholeRejects: opt.WholeRejects,
	})
	if err != nil {
		return nil, hinted(err)
	}
	l, err := newLog(r, opt, found)
	if err != nil {
		r.Close()
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && path != "-" && info.Mode().IsRegular() {
		l.stats.Size = info.Size()
	}
	return l, nil
}

// hinted says of a folder what to do about it.
func hinted(err error) error {
	var fault *rows.Error
	if errors.As(err, &fault) && fault.Advice == "" {
		if info, statErr := os.Stat(fault.File); statErr == nil && info.IsDir() {
			fault.Advice = "name the log's file in it"
		}
	}
	return err
}

// newLog looks at the first rows and settles what the log is.
func newLog(r *rows.Reader, opt Options, found sniffed) (*Log, error) {
	if found.binary {
		return nil, &rows.Error{File: r.File(), Reason: "this is a binary file, not a log", Advice: "export what it holds as JSON Lines, CSV or text"}
	}
	l := &Log{r: r, opt: opt.filled(r.File()), known: map[string]*layout{}}
	switch {
	case found.format == Topics:
		l.form.split, l.form.end = splitTopics()
	case r.Columns() == nil && r.Stats().Format != rows.Lines:
		l.form.split = unwrapped
	}
	for len(l.ahead) < lookedAt && l.read() {
	}
	if err := l.settle(found); err != nil {
		return nil, err
	}
	return l, nil
}

// read takes the next row in, or the rows that it holds. It is false at the end.
func (l *Log) read() bool {
	row, err := l.r.Next()
	parts, split := l.split(row, err)
	if !split {
		parts = []ahead{{row, err}}
	}
	l.ahead = append(l.ahead, parts...)
	var reject *rows.Reject
	return err == nil || errors.As(err, &reject)
}

// split are the rows that one row holds, or that the end of the log completes; false where a row is just that.
func (l *Log) split(row rows.Row, err error) ([]ahead, bool) {
	switch {
	case err == io.EOF && l.form.end != nil:
		return append(l.form.end(), ahead{err: err}), true
	case err == nil && l.form.split != nil:
		return l.form.split(row)
	}
	return nil, false
}

func (l *Log) next() (rows.Row, error) {
	for len(l.ahead) == 0 {
		row, err := l.r.Next()
		parts, split := l.split(row, err)
		if !split {
			return row, err
		}
		l.ahead = parts
	}
	a := l.ahead[0]
	l.ahead[0], l.ahead = ahead{}, l.ahead[1:]
	return a.row, a.err
}

// Rows yields what was asked, row by row. A *rows.Reject is one bad row; the sequence goes on after it. Any other error
// is the last thing that it yields.
func (l *Log) Rows() iter.Seq2[Asked, error] {
	return func(yield func(Asked, error) bool) {
		for {
			row, err := l.next()
			if err == io.EOF || !l.hand(row, err, yield) {
				return
			}
		}
	}
}

// hand takes one row, and yields what it asks or what is wrong with it. It is false where nothing more is to come.
func (l *Log) hand(row rows.Row, err error, yield func(Asked, error) bool) bool {
	var asked Asked
	holds := true
	if err == nil {
		holds, err = l.asked(row, &asked)
	}
	var reject *rows.Reject
	switch {
	case err == nil && !holds:
		l.stats.Accepted++
		l.stats.NoQuery++
		return true
	case err == nil:
		if l.stats.Accepted++; l.stats.TextField == "" {
			l.stats.TextField, l.stats.IDField = asked.textField, asked.idField
		}
	case errors.As(err, &reject):
		l.stats.Rejected++
	}
	if err != nil {
		asked = Asked{}
	}
	return yield(asked, err) && (err == nil || reject != nil)
}

// together is how many rows are handed from the one who decodes to the one who understands at once.
const together = 256

// RowsAhead is Rows with the decoding done ahead, on another core: for logs that take long. While it runs nothing else of
// the Log may be used.
func (l *Log) RowsAhead() iter.Seq2[Asked, error] {
	return func(yield func(Asked, error) bool) {
		batches, stop := make(chan []ahead, 8), make(chan struct{})
		go func() {
			defer close(batches)
			for {
				b := make([]ahead, 0, together)
				end := false
				for len(b) < together && !end {
					row, err := l.next()
					var reject *rows.Reject
					end = err != nil && !errors.As(err, &reject)
					b = append(b, ahead{row, err})
				}
				select {
				case batches <- b:
				case <-stop:
					return
				}
				if end {
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for range batches { // the other one has ended when this is closed
			}
		}()
		for b := range batches {
			for _, a := range b {
				if a.err == io.EOF || !l.hand(a.row, a.err, yield) {
					return
				}
			}
		}
	}
}

// Stats are the counts so far; what was found out of the format holds from the start.
func (l *Log) Stats() Stats {
	s, r := l.stats, l.r.Stats()
	s.Encoding, s.Compression, s.Header, s.Blank, s.Lines, s.Consumed = r.Encoding, r.Compression, r.Header, r.Blank, r.Lines, r.Consumed
	return s
}

// File is the name that rows and rejects carry.
func (l *Log) File() string { return l.r.File() }

// Close closes the file that Open opened.
func (l *Log) Close() error { return l.r.Close() }
