package text

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 queries", 1: "1 query", 2: "2 queries", -1: "-1 queries", 12345: "12345 queries"} {
		if got := Count(n, "query", "queries"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
