package rows

import (
	"strings"
	"testing"
)

func TestJSONLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       []string
		rejects    []string
	}{
		{"space around", " {\"id\": 1} \r\n\t{\"id\":2}\n", []string{"id=1", "id=2"}, nil},
		{"an empty object", "{}\n", []string{""}, nil},
		{"a BOM in the middle", "{\"id\":1}\n\ufeff{\"id\":2}\n", []string{"id=1", "id=2"}, nil},
		{"all kinds", `{"s":"x","n":1,"b":true,"z":null,"l":[1],"o":{"a":1}}`, []string{"s=x|n=1|b=a boolean|z=null|l=a list|o=an object"}, nil},
		{"escaped keys", `{"\u0069d":1}`, []string{"id=1"}, nil},
		{"a key twice", "{\"id\":1,\"id\":2}\n{\"id\":1,\"id\":1}\n", []string{"id=1"}, []string{`1-1: the key "id" comes twice`}},
		{"a key twice, once escaped", `{"id":1,"\u0069d":2}`, []string{}, []string{`1-1: the key "id" comes twice`}},
		{"a lone CR", "{\"id\":1}\r{\"id\":2}\n", []string{}, []string{"1-1: more text after the object"}},
		{"words", "hello\n", []string{}, []string{"1-1: not JSON at byte 1"}},
		{"NaN", "{\"id\":NaN}\n", []string{}, []string{"1-1: not JSON at byte 7"}},
		{"single quotes", "{'id':1}\n", []string{}, []string{"1-1: not JSON at byte 2"}},
		{"a comment", "{\"id\":1} // one\n", []string{}, []string{"1-1: more text after the object, from byte 10"}},
	} {
		got := readAll(t, c.text, "q.jsonl", Options{Format: JSONLines})
		wantStrings(t, c.name, table(got.rows), c.rows)
		wantReasons(t, got.rejects, c.rejects...)
	}
}

// Escapes that stand for no character would be altered, or cut a text short, further on.
func TestEscapesThatStandForNothing(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":"\u0000"}`:                    `\u0000`,
		`{"a":{"b":["x\u0000"]}}`:           `\u0000`,
		`{"\u0000":1}`:                      `\u0000`,
		`{"a":"\\u0000"}`:                   "",
		`{"a":"\\\u0000"}`:                  `\u0000`,
		`{"a":"\ud83d\ude00"}`:              "",
		`{"a":"\uD83D\uDE00\uD83D\uDE00"}`:  "",
		`{"a":"\ud83d"}`:                    `\ud83d`,
		`{"a":"\ud83d\n"}`:                  `\ud83d`,
		`{"a":"\ud83dx\ude00"}`:             `\ud83d`,
		`{"a":"\ude00\ud83d"}`:              `\ude00`,
		`{"a":"\ud83d\ud83d\ude00"}`:        `\ud83d`,
		`{"a":"\u00e9\u0001 \ufffd\uffff"}`: "",
	} {
		if got := badEscape([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		b.WriteString(",\"k" + strings.Repeat("x", i%50) + string(rune('a'+i/50%26)) + string(rune('a'+i/1300)) + "\":1")
	}
	got := readAll(t, "{"+b.String()[1:]+"}\n", "q.jsonl", Options{})
	if len(got.rows) != 1 || len(got.rows[0].Fields) != 2000 {
		t.Fatalf("%q", refused(got.rejects))
	}
	got = readAll(t, "{"+b.String()[1:]+b.String()+",\"k\":1,\"k\":2}\n", "q.jsonl", Options{})
	wantReasons(t, got.rejects, `1-1: the key "k" comes twice`)
}
