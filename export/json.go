package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"assay/corpus/rows"
)

// jsonLine builds a line of JSON with keys in the order in which they are written. encoding/json would do but for two
// things: it writes U+2028 and U+2029 as escapes, and it copies the escapes of raw JSON. Here the same text always has
// the same bytes, its own.
type jsonLine struct {
	b []byte
}

func (j *jsonLine) open(bracket byte)  { j.comma(); j.b = append(j.b, bracket) }
func (j *jsonLine) close(bracket byte) { j.b = append(j.b, bracket) }

// comma separates from what came before in the same brackets.
func (j *jsonLine) comma() {
	if n := len(j.b); n > 0 && j.b[n-1] != '{' && j.b[n-1] != '[' && j.b[n-1] != ':' {
		j.b = append(j.b, ',')
	}
}

func (j *jsonLine) key(k string) {
	j.comma()
	j.b = append(appendJSONString(j.b, k), ':')
}

func (j *jsonLine) string(s string)          { j.comma(); j.b = appendJSONString(j.b, s) }
func (j *jsonLine) int(n int)                { j.comma(); j.b = strconv.AppendInt(j.b, int64(n), 10) }
func (j *jsonLine) null()                    { j.comma(); j.b = append(j.b, "null"...) }
func (j *jsonLine) field(k, v string)        { j.key(k); j.string(v) }
func (j *jsonLine) intField(k string, n int) { j.key(k); j.int(n) }

// time is RFC 3339 in UTC, with as many digits of the second as there are.
func (j *jsonLine) time(t time.Time) {
	j.comma()
	j.b = append(j.b, '"')
	j.b = t.UTC().AppendFormat(j.b, time.RFC3339Nano)
	j.b = append(j.b, '"')
}

func (j *jsonLine) timeField(k string, t *time.Time) {
	j.key(k)
	if t == nil {
		j.null()
	} else {
		j.time(*t)
	}
}

func (j *jsonLine) strings(k string, list []string) {
	j.key(k)
	j.open('[')
	for _, s := range list {
		j.string(s)
	}
	j.close(']')
}

// number writes a float as encoding/json does; what JSON can't hold becomes null.
func (j *jsonLine) number(f *float64) {
	if f != nil {
		if b, err := json.Marshal(*f); err == nil {
			j.comma()
			j.b = append(j.b, b...)
			return
		}
	}
	j.null()
}

// raw writes any JSON value without space and with each string in our escaping; null where it is empty or not JSON.
func (j *jsonLine) raw(value json.RawMessage) {
	v, err := rows.ParseValue(value)
	if err != nil {
		j.null()
		return
	}
	j.value(v)
}

func (j *jsonLine) value(v rows.Value) {
	switch v.Kind() {
	case rows.String:
		s, _ := v.Text()
		j.string(s)
	case rows.List:
		elements, _ := v.Elements()
		j.open('[')
		for _, e := range elements {
			j.value(e)
		}
		j.close(']')
	case rows.Object:
		members, _ := v.Members()
		j.open('{')
		for _, m := range members {
			j.key(m.Name)
			j.value(m.Value)
		}
		j.close('}')
	default: // numbers keep their digits
		j.comma()
		j.b = append(j.b, v.Raw()...)
	}
}

// appendJSONString quotes s and escapes what JSON demands and no more. Bytes that are not UTF-8 become U+FFFD.
func appendJSONString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	copied := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[copied:i]...), "\ufffd"...)
				copied = i + 1
			}
			i += size
			continue
		}
		b = append(b, s[copied:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		copied = i
	}
	return append(append(b, s[copied:]...), '"')
}

// decodeStrict reads one JSON object into v. A key that v does not have, at any depth, and a key given twice are
// errors: both are ways to lose what somebody wrote.
func decodeStrict(raw []byte, v any, keys []string) error {
	value, err := rows.ParseValue(raw)
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	members, ok := value.Members()
	if !ok {
		return fmt.Errorf("%s, not an object", value.Kind())
	}
	for _, m := range members {
		if !slices.Contains(keys, m.Name) { // encoding/json would take other case for the same
			return fmt.Errorf("unknown key %q", m.Name)
		}
	}
	if err := eachKeyOnce(value); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

func eachKeyOnce(v rows.Value) error {
	elements, _ := v.Elements()
	for _, e := range elements {
		if err := eachKeyOnce(e); err != nil {
			return err
		}
	}
	members, _ := v.Members()
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if seen[m.Name] {
			return fmt.Errorf("key %q is there twice", m.Name)
		}
		seen[m.Name] = true
		if err := eachKeyOnce(m.Value); err != nil {
			return err
		}
	}
	return nil
}
