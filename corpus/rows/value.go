package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Kind says what a Value is.
type Kind uint8

// The kinds of value. Cells of CSV and TSV and plain lines are always strings.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	List
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}

// String is the kind with its article, for messages: "a list".
func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// Value is what a field holds, as the source wrote it: nothing passes through a float.
type Value struct {
	kind Kind
	raw  []byte // JSON as in the source; nil for cells and lines
	text string // of cells and lines
}

// StringValue is a Value of kind String.
func StringValue(s string) Value { return Value{kind: String, text: s} }

// Kind is the value's kind; Absent for the zero Value.
func (v Value) Kind() Kind { return v.kind }

// Text is a string's text or a number's digits as in the source (42, 1e3 and -0 stay what they are). It is false for
// any other kind.
func (v Value) Text() (string, bool) {
	switch {
	case v.kind == Number:
		return string(v.raw), true
	case v.kind == String && v.raw == nil:
		return v.text, true
	case v.kind == String:
		return unquote(v.raw), true
	}
	return "", false
}

// Bool is a boolean's value; false, false for any other kind.
func (v Value) Bool() (value, ok bool) { return v.kind == Bool && v.raw[0] == 't', v.kind == Bool }

// Raw is the value as JSON, byte for byte as in the source; for cells and lines a JSON string; nil where absent.
func (v Value) Raw() json.RawMessage {
	if v.kind == String && v.raw == nil {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if enc.Encode(v.text) != nil {
			return nil
		}
		return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	return v.raw
}

// Strings are the texts of a list of strings and numbers; a string or number alone is a list of one. It is false for
// any other kind, and for a list that holds anything else.
func (v Value) Strings() ([]string, bool) {
	if s, ok := v.Text(); ok {
		return []string{s}, true
	}
	elems, ok := v.Elements()
	if !ok {
		return nil, false
	}
	texts := make([]string, len(elems))
	for i, e := range elems {
		if texts[i], ok = e.Text(); !ok {
			return nil, false
		}
	}
	return texts, true
}

// Elements are a list's values; false for any other kind.
func (v Value) Elements() ([]Value, bool) {
	if v.kind != List {
		return nil, false
	}
	elems := []Value{}
	for i := skipSpace(v.raw, 1); v.raw[i] != ']'; {
		end := valueEnd(v.raw, i)
		elems = append(elems, valueOf(v.raw[i:end]))
		if i = skipSpace(v.raw, end); v.raw[i] == ',' {
			i = skipSpace(v.raw, i+1)
		}
	}
	return elems, true
}

// Members are an object's fields in the order of the source, repeated keys included; false for any other kind.
func (v Value) Members() ([]Field, bool) {
	if v.kind != Object {
		return nil, false
	}
	fields, _ := membersOf(v.raw, nil)
	return fields, true
}

// membersOf are the fields of the object that raw is, and whether their names are exactly those that are known: these
// are shared instead of copied.
func membersOf(raw []byte, known []string) (fields []Field, same bool) {
	fields = make([]Field, 0, max(4, len(known)))
	same = true
	for i := skipSpace(raw, 1); raw[i] != '}'; {
		end := valueEnd(raw, i)
		name := ""
		if n := len(fields); n < len(known) && string(raw[i+1:end-1]) == known[n] && strings.IndexByte(known[n], '\\') < 0 {
			name = known[n]
		} else {
			name, same = unquote(raw[i:end]), false
		}
		i = skipSpace(raw, skipSpace(raw, end)+1) // past the colon
		end = valueEnd(raw, i)
		fields = append(fields, Field{name, valueOf(raw[i:end])})
		if i = skipSpace(raw, end); raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return fields, same && len(fields) == len(known)
}

// ParseValue reads one JSON value. The value refers to raw, which must not change afterwards.
func ParseValue(raw []byte) (Value, error) {
	if !json.Valid(raw) {
		var whole json.RawMessage
		return Value{}, json.Unmarshal(raw, &whole) // says why
	}
	if !utf8.Valid(raw) {
		return Value{}, errors.New("the JSON is not valid UTF-8")
	}
	return valueOf(bytes.Trim(raw, " \t\r\n")), nil
}

// valueOf takes raw as one valid JSON value without space around it.
func valueOf(raw []byte) Value {
	kind := Number
	switch raw[0] {
	case '"':
		kind = String
	case '{':
		kind = Object
	case '[':
		kind = List
	case 't', 'f':
		kind = Bool
	case 'n':
		kind = Null
	}
	return Value{kind: kind, raw: raw[:len(raw):len(raw)]}
}

// unquote decodes a valid JSON string.
func unquote(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(inner)
	}
	return s
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// valueEnd is where the value that begins at i ends. b is valid JSON, so brackets match and quotes close.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		for depth := 0; i < len(b); i++ {
			switch b[i] {
			case '"':
				i = stringEnd(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(b)
	}
	for i < len(b) && bytes.IndexByte([]byte(" \t\r\n,]}"), b[i]) < 0 {
		i++
	}
	return i
}

// stringEnd is the index after the quote that closes the string at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		slashes := 0
		for slashes < n && b[i+n-1-slashes] == '\\' {
			slashes++
		}
		if i += n + 1; slashes%2 == 0 {
			return i
		}
	}
	return len(b)
}
