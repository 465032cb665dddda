package rows

import (
	"fmt"
	"strings"
)

// Row is one record of a source. It owns its memory: it stays valid after the next call of Next.
type Row struct {
	File    string
	Line    int   // physical line of the first byte, from 1
	EndLine int   // physical line of the last byte; more than Line where a quoted cell or an object spans lines
	Offset  int64 // of the first byte, in the decompressed source where that is UTF-8 (a BOM counts), else in its text as UTF-8
	Fields  []Field
	Raw     []byte // the record's source as UTF-8, without its line end

	keep bool // all of it, where it is refused
}

// Field is one named value of a row. Names are the source's own: JSON keys, header cells (trimmed), "1", "2", … where
// there is no header, and "text" for plain lines.
type Field struct {
	Name  string
	Value Value
}

// Get returns the first field that has one of the names, the name as the source spells it, and whether there was one.
// All names are tried as they are before any is tried regardless of case.
func (r Row) Get(names ...string) (Value, string, bool) {
	for _, n := range names {
		for _, f := range r.Fields {
			if f.Name == n {
				return f.Value, f.Name, true
			}
		}
	}
	for _, n := range names {
		for _, f := range r.Fields {
			if strings.EqualFold(f.Name, n) {
				return f.Value, f.Name, true
			}
		}
	}
	return Value{}, "", false
}

// Reject makes the error that refuses this row, for readers further up that find it wanting.
func (r Row) Reject(reason, hint string) *Reject {
	raw := r.Raw
	if !r.keep {
		raw = clip(raw)
	}
	return &Reject{File: r.File, Line: r.Line, EndLine: r.EndLine, Offset: r.Offset, Reason: reason, Hint: hint, Raw: raw}
}

// Reject is the error for one bad row: the caller counts it and goes on with Next.
type Reject struct {
	File    string
	Line    int // physical line where the row begins
	EndLine int // and where the refused text ends
	Offset  int64
	Reason  string // what is wrong, in one line
	Hint    string // what to do; may be empty
	Raw     []byte // the row's first bytes, at most 256, for showing; all of it with Options.WholeRejects
}

// Error is "file:line: reason".
func (r *Reject) Error() string { return fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.Reason) }

// Error ends the reading of a source. Line is 0 where the fault has no line.
type Error struct {
	File   string
	Line   int
	Reason string
	Advice string // what to do; may be empty
	Err    error  // the cause; may be nil
}

// Hint is what to do about it.
func (e *Error) Hint() string { return e.Advice }

// Error is "read file:line: reason: cause", as far as there is one of each.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("read " + e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// clip keeps what is worth showing of a refused row, so that a million refused rows fit in memory.
func clip(raw []byte) []byte {
	const most = 256
	return append([]byte(nil), raw[:min(len(raw), most)]...)
}
