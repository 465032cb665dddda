package rows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/quick"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       []string
		rejects    []string
	}{
		{"a list", `[{"id":1},{"id":2}]`, []string{"id=1", "id=2"}, nil},
		{"a list over lines", "[\n  {\n    \"id\": 1,\n    \"query\": \"a\\nb\"\n  },\n  {\n    \"id\": 2\n  }\n]\n", []string{"id=1|query=a\nb", "id=2"}, nil},
		{"objects over lines", "{\n  \"id\": 1\n}\n{\n  \"id\": 2\n}\n", []string{"id=1", "id=2"}, nil},
		{"lists after one another", `[{"id":1}] [{"id":2}]`, []string{"id=1", "id=2"}, nil},
		{"an empty list", " [ ] ", []string{}, nil},
		{"brackets in strings", `[{"id":"]}\"","q":[{"a":["}"]}]},{"id":2}]`, []string{`id=]}"|q=a list`, "id=2"}, nil},
		{"a comma too many", `[{"id":1},,{"id":2},]`, []string{"id=1", "id=2"}, nil},
		{"other values", `["a", 17, [1, {"id":0}], {"id":1}, null, true, -1.5e3]`, []string{"id=1"}, []string{
			"1-1: a string where an object belongs", "1-1: a number where", "1-1: a list where", "1-1: null where",
			"1-1: a boolean where", "1-1: a number where"}},
		{"not JSON, but whole", "[{\"id\":01},\n{\"id\":tru},\n{\"id\":1,},\n{\"id\":2}]", []string{"id=2"},
			[]string{"1-1: not JSON at byte 8", "2-2: not JSON", "3-3: not JSON"}},
		{"a NUL escape", "[{\"id\":\"\\u0000\"},\n{\"id\":2}]", []string{"id=2"}, []string{`1-1: \u0000 stands for no character`}},
		{"bad bytes", "[{\"id\":\"a\"},\n{\n\"id\":\"\xff\"},\n{\"id\":2}]", []string{"id=a", "id=2"},
			[]string{"2-3: byte 0xff at line 3, offset 21 is not UTF-8"}},
	} {
		got := readAll(t, c.text, "q.json", Options{Format: JSON})
		wantStrings(t, c.name, table(got.rows), c.rows)
		wantReasons(t, got.rejects, c.rejects...)
		if got.err != nil {
			t.Errorf("%s: %v", c.name, got.err)
		}
	}
}

// B004: a broken element of a list does not take the others with it. Public report: khoj-ai/khoj#460.
func TestB004BrokenElements(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       []string
		rejects    []string
	}{
		{"a cut string", "[\n{\"id\":1},\n{\"id\":2,\"q\":\"cut\n{\"id\":3},\n{\"id\":4}\n]\n", []string{"id=1", "id=3", "id=4"},
			[]string{"3-3: not JSON at line 3, column 17"}},
		{"a missing brace", "[\n{\"id\":1},\n{\"id\":2,\n{\"id\":3},\n{\"id\":4}\n]\n", []string{"id=1", "id=3", "id=4"},
			[]string{"3-3: not JSON at line 4, column 1"}},
		{"a missing quote", "[\n  {\n    \"id\": 1\n  },\n  {\n    \"id\": \"2,\n    \"q\": 0\n  },\n  {\n    \"id\": 3\n  }\n]\n",
			[]string{"id=1", "id=3"}, []string{"5-8: not JSON at line 6"}},
		{"a brace too many", "[\n {\"id\":1}},\n {\"id\":2}\n]\n", []string{"id=1", "id=2"}, []string{"2-2: not JSON at line 2, column 10"}},
		{"the wrong bracket", "[\n {\"id\":1, \"q\":[}},\n {\"id\":2}\n]\n", []string{"id=2"}, []string{"2-2: not JSON at line 2, column 16"}},
		{"words between", "[\n {\"id\":1},\n so: what?\n {\"id\":2}\n]\n", []string{"id=1", "id=2"},
			[]string{"3-3: not JSON at byte 1", "3-3: not JSON at line 3, column 4"}},
		{"cut off after an element", "[\n{\"id\":1},\n{\"id\":2}\n", []string{"id=1", "id=2"}, []string{"4-4: the list is not closed"}},
		{"cut off within an element", "[\n{\"id\":1},\n{\"id\":", []string{"id=1"}, []string{"3-3: the value has no end; nothing after it"}},
		{"nothing to hold on to", `[{"id":1},{"id":"2},{"id":3},{"id":4}]`, []string{"id=1"},
			[]string{"1-1: not JSON at line 1, column 23; nothing after it can be told apart"}},
		{"too deep", "[\n" + strings.Repeat("[", maxDepth+1) + "\n,\n{\"id\":1}]", []string{"id=1"}, []string{"2-3: not JSON"}},
	} {
		got := readAll(t, c.text, "q.json", Options{Format: JSON})
		wantStrings(t, c.name, table(got.rows), c.rows)
		wantReasons(t, got.rejects, c.rejects...)
	}
}

func TestJSONPlaces(t *testing.T) {
	text := "\ufeff[\r\n  {\"id\":1},\r\n\r\n  {\r\n    \"id\": 2\r\n  }, {\"id\":3}\r\n]\r\n"
	got := readAll(t, text, "q.json", Options{})
	want := []string{"2-2", "4-6", "6-6"}
	for i, r := range got.rows {
		if at := fmt.Sprintf("%d-%d", r.Line, r.EndLine); at != want[i] {
			t.Errorf("row %d is on lines %s, want %s", i, at, want[i])
		}
		if text[r.Offset:r.Offset+int64(len(r.Raw))] != string(r.Raw) {
			t.Errorf("row %d is not at %d", i, r.Offset)
		}
	}
	if len(got.rows) != 3 || got.stats.Lines != 7 {
		t.Errorf("%d rows, %d lines", len(got.rows), got.stats.Lines)
	}
}

// B003: an element above the cap is refused without being held.
func TestB003LongElements(t *testing.T) {
	text := `[{"id":1},{"id":2,"q":"` + strings.Repeat("x", 5000) + "\"},\n{\"id\":3}]"
	got := readAll(t, text, "q.json", Options{MaxLine: 1000})
	wantStrings(t, "rows", table(got.rows), []string{"id=1", "id=3"})
	wantReasons(t, got.rejects, "1-1: the value is 5015 bytes long, more than 1000")
	text = `[{"id":1},{"id":2,"q":"` + strings.Repeat("x", 5000) + "\n,\n{\"id\":3}]"
	got = readAll(t, text, "q.json", Options{MaxLine: 1000})
	wantStrings(t, "rows", table(got.rows), []string{"id=1", "id=3"})
	wantReasons(t, got.rejects, "1-2: not JSON at line 1, column 5024")
}

// Input made of broken elements costs no more than a multiple of its size.
func TestHostileElements(t *testing.T) {
	for name, line := range map[string]string{"open": "{\"a\":\n", "lists": "{\"a\":[\n", "strings": "{\"a\":\"b\n", "closed": "}\n"} {
		text := strings.Repeat(line, 20_000)
		r, err := New(strings.NewReader(text), "q.json", Options{Format: JSON, MaxLine: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		drain(t, r)
		if j := r.rows.(*jsonValues); j.wasted > int64(10*len(text)+1<<11) {
			t.Errorf("%s: %d bytes of %d were read again", name, j.wasted, len(text))
		}
	}
}

// What encoding/json writes as a list, in one line or indented, comes back element by element.
func TestJSONAgreesWithEncodingJSON(t *testing.T) {
	type object struct {
		ID     string
		Nested map[string][]string
		More   *object
		Number float64
	}
	same := func(objects []object, indent bool) bool {
		raw, err := json.Marshal(objects)
		if indent {
			raw, err = json.MarshalIndent(objects, "", "  ")
		}
		if err != nil || objects == nil || strings.Contains(string(raw), `\u0000`) {
			return true
		}
		got := readAll(t, string(raw), "q.json", Options{Format: JSON})
		if len(got.rows) != len(objects) || len(got.rejects) > 0 {
			return false
		}
		for i, r := range got.rows {
			var back object
			v, _, _ := r.Get("ID")
			if id, _ := v.Text(); json.Unmarshal(r.Raw, &back) != nil || id != objects[i].ID {
				return false
			}
		}
		return true
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 50}); err != nil {
		t.Error(err)
	}
}

// A broken element may be longer than what is buffered at a time.
func TestB004LongBrokenElement(t *testing.T) {
	long := strings.Repeat(" {\"more\":\"and more\"},\n", 10_000)
	text := "[\n{\"id\":1},\n{\"id\":2,\"list\":[\n" + long + "\n{\"id\":3}\n]\n"
	got := readAll(t, text, "q.json", Options{Format: JSON})
	// The list within is never closed, so its elements are not told from those of the list itself; but the next line
	// that begins as far left as the broken element does is one of the list's own.
	wantStrings(t, "rows", table(got.rows), []string{"id=1", "id=3"})
	wantReasons(t, got.rejects, "3-10004: the value has no end")
	if got.stats.Lines != 10_006 {
		t.Errorf("%d lines", got.stats.Lines)
	}
}

func TestElementScan(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "end 2", `{"a":[1,{"b":"}"}],"c":null}x`: "end 28", `"a\"b",`: "end 6", `[[],[]],`: "end 7",
		`17,`: "before 2", `true]`: "before 4", "null ": "before 4", "-1.5e3\n": "before 6", "17:": "before 2",
		`{1}`: "broken 1", `{"a"1}`: "broken 4", `{"a":1 2}`: "broken 7", `{"a":{]}`: "broken 6", `{,}`: "broken 1", `[1}`: "broken 2",
		"\"a\n\"": "broken 2", "{\"a\r\"": "broken 3", `{"a":"b""c"}`: "broken 8", `{"a":tru"e"}`: "broken 8", `{"a":1{`: "broken 6",
		`}`: "broken 0", `:`: "broken 0", `{"a":`: "open 5", `"a`: "open 2", `12`: "open 2",
	} {
		var scan elementScan
		got := fmt.Sprintf("open %d", len(text))
		for i := range len(text) {
			step := scan.step(text[i])
			if step == stepInside {
				continue
			}
			got = map[stepResult]string{stepEnd: "end", stepBefore: "before", stepBroken: "broken"}[step]
			if step == stepEnd {
				i++
			}
			got = fmt.Sprintf("%s %d", got, i)
			break
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	// A number may end with the text, nothing else may.
	for text, want := range map[string]bool{"12": true, "tru": true, "": false, `"a`: false, "[1": false, "{": false} {
		var scan elementScan
		for i := range len(text) {
			scan.step(text[i])
		}
		if scan.endsAtEOF() != want {
			t.Errorf("%q ends: %v", text, !want)
		}
	}
}

func TestJSONWithCRLineEnds(t *testing.T) {
	got := readAll(t, "[\r{\"id\":1},\r{\"id\":2,\"q\":\"cut\r{\"id\":3}\r]\r", "q.json", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"id=1", "id=3"})
	wantReasons(t, got.rejects, "3-3: not JSON at line 3")
	if got.stats.Lines != 5 {
		t.Errorf("%d lines", got.stats.Lines)
	}
}
