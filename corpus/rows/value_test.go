package rows

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/quick"
)

func parse(t testing.TB, raw string) Value {
	t.Helper()
	v, err := ParseValue([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestValueText(t *testing.T) {
	for _, c := range []struct {
		raw  string
		kind Kind
		text string
		ok   bool
	}{
		{`"plain"`, String, "plain", true},
		{`"a\"b\\c\u00e9\ud83d\ude00\/"`, String, "a\"b\\cé😀/", true},
		{`""`, String, "", true},
		{` 42 `, Number, "42", true},
		{`-0`, Number, "-0", true},
		{`1e3`, Number, "1e3", true},
		{`12345678901234567890.10`, Number, "12345678901234567890.10", true},
		{`true`, Bool, "", false},
		{`null`, Null, "", false},
		{`["a"]`, List, "", false},
		{`{"a":1}`, Object, "", false},
	} {
		v := parse(t, c.raw)
		if s, ok := v.Text(); v.Kind() != c.kind || s != c.text || ok != c.ok {
			t.Errorf("%s is %s %q, %v", c.raw, v.Kind(), s, ok)
		}
		if string(v.Raw()) != strings.TrimSpace(c.raw) {
			t.Errorf("%s: raw %s", c.raw, v.Raw())
		}
	}
	var absent Value
	if s, ok := absent.Text(); s != "" || ok || absent.Kind() != Absent || absent.Raw() != nil {
		t.Error("the zero value is something")
	}
	if v := StringValue(`a<b> "c" ` + "\n"); string(v.Raw()) != `"a<b> \"c\" \n"` {
		t.Errorf("a cell as JSON: %s", v.Raw())
	}
	if yes, ok := parse(t, "true").Bool(); !yes || !ok {
		t.Error("true is not true")
	}
	if yes, ok := parse(t, `"true"`).Bool(); yes || ok {
		t.Error("a string is a boolean")
	}
}

func TestValueStrings(t *testing.T) {
	for raw, want := range map[string][]string{
		`["a", 7 ,"b\n"]`: {"a", "7", "b\n"}, `[]`: {}, `[ ]`: {}, `"alone"`: {"alone"}, `7`: {"7"},
	} {
		if got, ok := parse(t, raw).Strings(); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{`["a",null]`, `[["a"]]`, `{}`, `null`, `true`} {
		if got, ok := parse(t, raw).Strings(); ok {
			t.Errorf("%s: %q", raw, got)
		}
	}
}

func TestValueMembers(t *testing.T) {
	v := parse(t, ` { "a" : [1, {"x":"}"}] , "b\u0021":{"c":"]\\\""},"a":null , "e":{ } } `)
	members, ok := v.Members()
	if !ok {
		t.Fatal("not an object")
	}
	var got []string
	for _, m := range members {
		got = append(got, m.Name+" "+string(m.Value.Raw()))
	}
	wantStrings(t, "members", got, []string{`a [1, {"x":"}"}]`, `b! {"c":"]\\\""}`, `a null`, `e { }`})
	if empty, ok := parse(t, "{}").Members(); !ok || len(empty) != 0 {
		t.Error("an empty object has members")
	}
	if _, ok := parse(t, "[1]").Members(); ok {
		t.Error("a list has members")
	}
}

func TestParseValueRefuses(t *testing.T) {
	for _, raw := range []string{"", " ", "{", `{"a":1}{}`, `"\x"`, "01", "nul", "\"\xff\"", "[1,]"} {
		if v, err := ParseValue([]byte(raw)); err == nil {
			t.Errorf("%q is %s", raw, v.Kind())
		}
	}
}

// What encoding/json reads is what a Value says.
func TestValueAgreesWithJSON(t *testing.T) {
	same := func(strs []string, numbers map[string]int64, nested map[string][]string) bool {
		raw, err := json.MarshalIndent(map[string]any{"strings": strs, "numbers": numbers, "nested": nested}, " ", "\t")
		if err != nil {
			return false
		}
		row := Row{Fields: members(parse(t, string(raw)))}
		v, _, _ := row.Get("strings")
		if v.Kind() == List {
			if got, ok := v.Strings(); !ok || !slices.Equal(got, validAll(strs)) {
				return false
			}
		}
		v, _, _ = row.Get("numbers")
		for _, m := range members(v) {
			var n int64
			if json.Unmarshal(m.Value.Raw(), &n) != nil {
				return false
			}
		}
		v, _, _ = row.Get("nested")
		return len(members(v)) == len(nested)
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

func members(v Value) []Field {
	fields, _ := v.Members()
	return fields
}

func validAll(strs []string) []string {
	valid := make([]string, len(strs))
	for i, s := range strs {
		valid[i] = strings.ToValidUTF8(s, "\ufffd")
	}
	return valid
}
