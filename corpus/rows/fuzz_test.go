package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are texts that hold what readers trip over.
var seeds = []string{
	"", "\n", "\ufeff", "a\r\nb\r\rc\n",
	"id,query\nq1,\"a\nb\"\nq2,24\" wide\nq3,\"open\nq4,d\n",
	"id,query\r\nq1,\"a\"\"b\"\r\n\"q2\" x,\r\n,\r\n",
	"x\",\"y\nx\",\"y\nx\",\"y\n",
	"u1\t970916\tyahoo chat\nu2\t970916\t\n",
	"{\"id\":1,\"query\":\"a\\u0000\"}\n\n{\"id\":2}{\n[1]\nnull\n{\"id\":\"\\ud800\",\"id\":3}",
	"[{\"id\":1},\n {\"id\":2,\"q\":\"cut\n {\"id\":3}]\n",
	"{\n\"id\": 1\n}\n{\n\"id\": [}\n}\n",
	"pass\xe9\nok\n", "a\x00b\n", "\xff\xfea\x00\n\x00\x00\xd8", "a\x00b\x00\n\x00", "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd\x00",
}

// FuzzReader: whatever the bytes and options, nothing panics, every row is clean and everything is counted.
func FuzzReader(f *testing.F) {
	formats := []Format{Detect, JSONLines, JSON, CSV, TSV, Lines}
	encodings := []string{"", "latin1", "shift_jis", "utf-16be", "gb18030"}
	for i, s := range seeds {
		for format := range formats {
			f.Add([]byte(s), uint8(format), uint8(i), uint16(0))
		}
		f.Add([]byte(s), uint8(0), uint8(0), uint16(8))
	}
	f.Fuzz(func(t *testing.T, source []byte, format, encoding uint8, limit uint16) {
		opt := Options{
			Format:   formats[int(format)%len(formats)],
			Encoding: encodings[int(encoding)%len(encodings)],
			MaxLine:  int(limit),
			Header:   HeaderMode(format % 3),
		}
		r, err := New(bytes.NewReader(source), "fuzz", opt)
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.File != "fuzz" {
				t.Fatalf("New: %v", err)
			}
			return
		}
		got := drain(t, r)
		if s := got.stats; s.Format == JSONLines || s.Format == JSON {
			for _, row := range got.rows {
				if !json.Valid(row.Raw) {
					t.Errorf("accepted %q", row.Raw)
				}
			}
		}
	})
}

// FuzzJSONLines: a line is a row where encoding/json reads an object from it, and nothing else is.
func FuzzJSONLines(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Add(`{"01":1,"01":1}`)
	f.Add(`{"01":1,"01":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\x00") || strings.Contains(text, `\u`) || strings.Contains(text, "\ufeff") ||
			!utf8.ValidString(text) || foreignText(text) {
			return
		}
		want := 0
		for _, line := range strings.Split(text, "\n") {
			var object map[string]json.RawMessage
			if strings.HasPrefix(strings.TrimSpace(line), "{") && json.Unmarshal([]byte(line), &object) == nil && !repeatsKey(line) {
				want++
			}
		}
		got := readAll(t, text, "fuzz.jsonl", Options{Format: JSONLines, Encoding: "utf-8"})
		if len(got.rows) != want {
			t.Errorf("%q: %d rows of %d", text, len(got.rows), want)
		}
		for _, row := range got.rows {
			if at := int(row.Offset); text[at:at+len(row.Raw)] != string(row.Raw) || strings.Count(text[:at], "\n") != row.Line-1 {
				t.Errorf("line %d is not at %d", row.Line, row.Offset)
			}
		}
	})
}

// foreignText reports whether a text begins like something else.
func foreignText(text string) bool {
	_, fault := decode(strings.NewReader(text), utf8Name, nil)
	return fault != nil
}

// repeatsKey reports whether an object gives a key twice with different bytes.
func repeatsKey(line string) bool {
	v, err := ParseValue([]byte(line))
	if err != nil {
		return false
	}
	seen := map[string]string{}
	for _, m := range members(v) {
		raw := string(m.Value.raw)
		if was, ok := seen[m.Name]; ok && was != raw {
			return true
		}
		seen[m.Name] = raw
	}
	return false
}

// FuzzTables: no line of a table is lost. Each is in the header, in one row or reject, or blank.
func FuzzTables(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		opt := Options{Format: CSV, Header: HeaderAbsent, Encoding: "utf-8", Delimiter: ','}
		if tabs {
			opt.Format = TSV
		}
		r, err := New(strings.NewReader(text), "fuzz", opt)
		if err != nil || r.Stats().Encoding != utf8Name || r.Stats().Compression != "" {
			return
		}
		checkLinesTaken(t, r, text)
	})
}

// FuzzValue: what ParseValue takes, encoding/json takes, and the parts of a value are values.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}],"c":"\"}"}`, ` [ ] `, `"\ud800"`, `-1.5e3`, `{"a" : "b" , "c":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := ParseValue(raw)
		if err == nil != (json.Valid(raw) && utf8.Valid(raw)) {
			t.Fatalf("%q: %v", raw, err)
		}
		if err == nil {
			checkParts(t, v, 0)
		}
	})
}

func checkParts(t *testing.T, v Value, depth int) {
	if !json.Valid(v.Raw()) {
		t.Fatalf("%q is no value", v.Raw())
	}
	if s, ok := v.Text(); ok && v.Kind() == String {
		var want string
		if json.Unmarshal(v.Raw(), &want) != nil || s != want {
			t.Errorf("%s is %q", v.Raw(), s)
		}
	}
	if depth > 20 {
		return
	}
	elems, _ := v.Elements()
	for _, m := range members(v) {
		elems = append(elems, m.Value)
	}
	for _, e := range elems {
		checkParts(t, e, depth+1)
	}
}
