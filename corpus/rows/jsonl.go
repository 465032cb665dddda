package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// jsonLines reads one object a line.
type jsonLines struct {
	*Reader
	lines *lineReader
}

func (j *jsonLines) next() (Row, error) {
	for {
		l, err := j.lines.next()
		if err != nil {
			return Row{}, j.ending(err, j.lines.number+1)
		}
		j.stats.Lines++
		if l.long {
			return Row{}, j.tooLong(l)
		}
		// Files that were pasted together have a BOM in the middle, outside of the objects.
		text := bytes.TrimPrefix(l.text, []byte("\ufeff"))
		if len(bytes.TrimSpace(text)) == 0 {
			j.stats.Blank++
			continue
		}
		row := Row{File: j.file, Line: l.number, EndLine: l.number, Offset: l.offset, Raw: bytes.Clone(text), keep: j.keep}
		if reason, hint := j.badText(l.text, l.number, l.offset); reason != "" {
			return Row{}, row.Reject(reason, hint)
		}
		fields, reason, hint := parseObject(row.Raw, &j.names)
		if reason != "" {
			return Row{}, row.Reject(reason, hint)
		}
		row.Fields = fields
		return row, nil
	}
}

// plainLines takes each line as it is.
type plainLines struct {
	*Reader
	lines *lineReader
}

func (p *plainLines) next() (Row, error) {
	for {
		l, err := p.lines.next()
		if err != nil {
			return Row{}, p.ending(err, p.lines.number+1)
		}
		p.stats.Lines++
		if l.long {
			return Row{}, p.tooLong(l)
		}
		if len(bytes.TrimSpace(l.text)) == 0 {
			p.stats.Blank++
			continue
		}
		row := Row{File: p.file, Line: l.number, EndLine: l.number, Offset: l.offset, Raw: bytes.Clone(l.text), keep: p.keep}
		if reason, hint := p.badText(l.text, l.number, l.offset); reason != "" {
			return Row{}, row.Reject(reason, hint)
		}
		row.Fields = []Field{{"text", StringValue(string(l.text))}}
		return row, nil
	}
}

// tooLong refuses a line above the cap.
func (r *Reader) tooLong(l line) *Reject {
	row := Row{File: r.file, Line: l.number, EndLine: l.number, Offset: l.offset, Raw: l.text, keep: r.keep}
	reason := fmt.Sprintf("the line is %d bytes long, more than %d", l.size, r.maxLine)
	if r.keep && int64(len(l.text)) < l.size {
		reason += fmt.Sprintf("; its first %d are kept", len(l.text))
	}
	return row.Reject(reason, "")
}

// badText says why the text that begins at a line is none: its bytes don't decode, or a NUL is among them.
func (r *Reader) badText(text []byte, line int, offset int64) (reason, hint string) {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return fmt.Sprintf("byte 0x00 (NUL) at line %d, offset %d is no text", line+lineBreaks(text[:i]), offset+int64(i)),
			"remove it; if the file is UTF-16, say --encoding utf-16le"
	}
	// What was decoded has no offsets in the source any more.
	decoded := func(what string, at int) string {
		start := 1 + bytes.LastIndexAny(text[:at], "\r\n")
		return fmt.Sprintf("%s after %d characters of line %d", what, utf8.RuneCount(text[start:at]), line+lineBreaks(text[:at]))
	}
	if r.lossy {
		if i := bytes.IndexRune(text, utf8.RuneError); i >= 0 {
			return decoded("bytes that "+r.stats.Encoding+" doesn't have", i), "the file may have another encoding: --encoding NAME"
		}
	}
	i := invalidUTF8(text)
	if i < 0 {
		return "", ""
	}
	if r.stats.Encoding != utf8Name {
		return decoded("half a surrogate pair", i), ""
	}
	return fmt.Sprintf("byte 0x%02x at line %d, offset %d is not UTF-8", text[i], line+lineBreaks(text[:i]), offset+int64(i)),
		"say how the file is encoded, e.g. --encoding windows-1252 or --encoding shift_jis"
}

// lineBreaks counts the line ends in a piece of a record.
func lineBreaks(b []byte) int {
	if n := bytes.Count(b, []byte("\n")); n > 0 {
		return n
	}
	return bytes.Count(b, []byte("\r"))
}

// invalidUTF8 is the index of the first byte that is not UTF-8, -1 where all are.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
	return -1
}

// parseObject reads raw as one JSON object. The fields refer to raw. A reason says why it is none. names are the keys of
// the object before, which this one mostly has too, and become this one's.
func parseObject(raw []byte, names *[]string) (fields []Field, reason, hint string) {
	const oneALine = "JSON Lines has one object a line and nothing between them"
	v, err := ParseValue(raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		rest := bytes.TrimSpace(raw[min(len(raw), int(max(0, syntax.Offset-1))):])
		switch {
		case len(rest) == 0 || err.Error() == "unexpected end of JSON input":
			return nil, "the value is cut off", ""
		case bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw[:syntax.Offset-1]):
			return nil, fmt.Sprintf("more text after the object, from byte %d", syntax.Offset), oneALine
		}
		return nil, fmt.Sprintf("not JSON at byte %d: %v", syntax.Offset, err), ""
	}
	if err != nil {
		return nil, "not JSON: " + err.Error(), ""
	}
	if v.Kind() != Object {
		return nil, v.Kind().String() + " where an object belongs", ""
	}
	if escape := badEscape(raw); escape != "" {
		return nil, escape + " stands for no character", "remove it"
	}
	members, same := membersOf(v.raw, *names)
	if same { // as in the object before, where each was there once
		return members, "", ""
	}
	if fields, reason, hint = uniqueNames(members); reason == "" {
		*names = make([]string, len(fields))
		for i, f := range fields {
			(*names)[i] = f.Name
		}
	}
	return fields, reason, hint
}

// uniqueNames drops repeated keys that say the same and refuses those that don't: other readers would take the first,
// or the last.
func uniqueNames(members []Field) (fields []Field, reason, hint string) {
	const few = 16
	seen := map[string]int{}
	fields = members[:0]
	for _, m := range members {
		at, again := -1, false
		if len(members) <= few {
			at = slices.IndexFunc(fields, func(f Field) bool { return f.Name == m.Name })
			again = at >= 0
		} else if at, again = seen[m.Name]; !again {
			seen[m.Name] = len(fields)
		}
		if !again {
			fields = append(fields, m)
		} else if !bytes.Equal(fields[at].Value.raw, m.Value.raw) {
			return nil, fmt.Sprintf("the key %q comes twice with different values", m.Name), "keep one of them"
		}
	}
	return fields, "", ""
}

// badEscape finds an escape in valid JSON that no text can hold: \u0000, which most of what reads exports later stops
// at, and half a surrogate pair, which Go would turn into U+FFFD, so that two ids could become one.
func badEscape(raw []byte) string {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return ""
	}
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		unit, ok := escapedUnit(raw, i-1)
		switch {
		case !ok:
		case unit == 0:
			return `\u0000`
		case unit >= 0xd800 && unit < 0xdc00:
			if low, ok := escapedUnit(raw, i+5); !ok || low < 0xdc00 || low > 0xdfff {
				return string(raw[i-1 : i+5])
			}
			i += 10
		case unit >= 0xdc00 && unit < 0xe000:
			return string(raw[i-1 : i+5])
		}
	}
	return ""
}

// escapedUnit is the UTF-16 unit that the escape at i stands for, false where there is no \u escape.
func escapedUnit(raw []byte, i int) (uint64, bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
	return unit, err == nil
}
