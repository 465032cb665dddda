package querylog

import (
	"errors"
	"io"
	"iter"
	"os"

	"assay/corpus/rows"
)

// Stats say how a log was read, and count what was read so far. Accepted + Rejected is the number of rows, Blank lines
// apart; what is accepted includes the rows that hold no query.
type Stats struct {
	Format       Format
	Encoding     string
	Compression  string
	TextField    string // where the query's text was found: the columns, or the keys of the first accepted row
	IDField      string // and its id; "" where the log gives none
	TimeField    string
	UserField    string
	SessionField string
	Accepted     int
	Rejected     int
	Blank        int
	NoQuery      int    // rows that are understood and ask nothing, e.g. a page view in an access log
	Consumed     int64  // bytes read, compressed where the file is: for progress
	Size         int64  // of the file in the same bytes; 0 where it is not known
	Warning      string // what looks odd about the file as a log; "" where nothing does
}

// Log is an open query log.
type Log struct {
	r     *rows.Reader
	opt   Options
	ahead []ahead // rows that were looked at to tell the format, still to be given
	form  form
	lay   layout
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
	r, err := rows.Open(path, rows.Options{
		Format: format, Encoding: opt.Encoding, Columns: opt.Columns(), Stdin: opt.Stdin, Sniff: sniff, Digest: opt.Digest,
		WholeRejects: opt.WholeRejects,
	})
	if err != nil {
		return nil, err
	}
	l, err := newLog(r, opt)
	if err != nil {
		r.Close()
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && path != "-" && info.Mode().IsRegular() {
		l.stats.Size = info.Size()
	}
	return l, nil
}

// newLog looks at the first rows and settles what the log is.
func newLog(r *rows.Reader, opt Options) (*Log, error) {
	l := &Log{r: r, opt: opt.filled(r.File())}
	for len(l.ahead) < lookedAt {
		row, err := r.Next()
		l.ahead = append(l.ahead, ahead{row, err})
		var reject *rows.Reject
		if err != nil && !errors.As(err, &reject) {
			break
		}
	}
	if err := l.settle(); err != nil {
		return nil, err
	}
	return l, nil
}

// Rows yields what was asked, row by row. A *rows.Reject is one bad row; the sequence goes on after it. Any other error
// is the last thing that it yields.
func (l *Log) Rows() iter.Seq2[Asked, error] {
	return func(yield func(Asked, error) bool) {
		for {
			row, err := l.next()
			if err == io.EOF {
				return
			}
			var asked Asked
			holds := true
			if err == nil {
				asked, holds, err = l.asked(row)
			}
			var reject *rows.Reject
			switch {
			case err == nil && !holds:
				l.stats.Accepted++
				l.stats.NoQuery++
				continue
			case err == nil:
				if l.stats.Accepted++; l.stats.TextField == "" {
					l.stats.TextField, l.stats.IDField = asked.textField, asked.idField
				}
			case errors.As(err, &reject):
				l.stats.Rejected++
			}
			if !yield(asked, err) || err != nil && reject == nil {
				return
			}
		}
	}
}

func (l *Log) next() (rows.Row, error) {
	if len(l.ahead) > 0 {
		a := l.ahead[0]
		l.ahead[0], l.ahead = ahead{}, l.ahead[1:]
		return a.row, a.err
	}
	return l.r.Next()
}

// Stats are the counts so far; what was found out of the format holds from the start.
func (l *Log) Stats() Stats {
	s, r := l.stats, l.r.Stats()
	s.Encoding, s.Compression, s.Blank, s.Consumed = r.Encoding, r.Compression, r.Blank, r.Consumed
	return s
}

// File is the name that rows and rejects carry.
func (l *Log) File() string { return l.r.File() }

// Close closes the file that Open opened.
func (l *Log) Close() error { return l.r.Close() }
