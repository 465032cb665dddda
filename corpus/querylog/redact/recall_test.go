package redact

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// line is a text of testdata/lines.jsonl with the values in it that must not survive.
type line struct {
	Text   string   `json:"text"`
	Names  []string `json:"names"`
	Values []struct {
		Type Kind   `json:"type"`
		Text string `json:"text"`
	} `json:"values"`
}

func readLines(t testing.TB) []line {
	t.Helper()
	f, err := os.Open("testdata/lines.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []line
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		all = append(all, l)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// At least 98 of 100 values that others wrote are caught, and 95 of 100 of each type; at most 5 of 1000 lines that hold
// none are touched.
func TestRecall(t *testing.T) {
	caught, all := map[Kind]int{}, map[Kind]int{}
	clean, touched := 0, 0
	for n, l := range readLines(t) {
		got := New().Text(l.Text, l.Names...)
		if len(l.Values) == 0 {
			if clean++; got != l.Text {
				touched++
				t.Logf("line %d holds nothing: %q became %q", n+1, l.Text, got)
			}
		}
		for _, v := range l.Values {
			all[v.Type]++
			if left := survives(got, l.Text, v.Text); left != "" {
				t.Logf("line %d: %s %q survives as %q in %q", n+1, v.Type, v.Text, left, got)
				continue
			}
			caught[v.Type]++
		}
	}
	sum, total := 0, 0
	for kind, n := range all {
		sum, total = sum+caught[kind], total+n
		t.Logf("%s: %d of %d", kind, caught[kind], n)
		if caught[kind]*100 < n*95 {
			t.Errorf("%s: %d of %d caught", kind, caught[kind], n)
		}
	}
	if total == 0 || sum*100 < total*98 {
		t.Errorf("%d of %d caught", sum, total)
	}
	t.Logf("%d of %d caught; %d of %d lines without values touched", sum, total, touched, clean)
	if touched*1000 > clean*5 {
		t.Errorf("%d of %d lines without values touched", touched, clean)
	}
}
