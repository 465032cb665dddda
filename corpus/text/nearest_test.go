package text

import (
	"testing"
	"testing/quick"
)

func TestNearest(t *testing.T) {
	known := []string{"name", "scale", "guidelines", "relevant_from", "search.prefix", "language", "size", "überschrift", "k"}
	for _, tt := range []struct{ name, want string }{
		{"nmae", "name"}, {"Name", "name"}, {"scales", "scale"}, {"guidlines", "guidelines"}, {"relevant-from", "relevant_from"},
		{"relevantfrom", "relevant_from"}, {"search.prefx", "search.prefix"}, {"langauge", "language"}, {"uberschrift", "überschrift"},
		{"guide_lines_", "guidelines"}, {"K", "k"},
		{"", ""}, {"x", ""}, {"zz", ""}, {"completely different", ""}, {"corpus", ""},
	} {
		got, ok := Nearest(tt.name, known)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
	if got, _ := Nearest("bat", []string{"cat", "hat"}); got != "cat" {
		t.Errorf("of equally near ones the first is taken, not %q", got)
	}
	if got, _ := Nearest("hat", []string{"cat", "hat"}); got != "hat" {
		t.Errorf("an equal one is nearest, not %q", got)
	}
	if _, ok := Nearest("name", nil); ok {
		t.Error("found a name among none")
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"größe", "grösse", 2}} {
		if got := distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	symmetric := func(a, b string) bool {
		x, y := []rune(a), []rune(b)
		d := distance(x, y)
		return d == distance(y, x) && d <= max(len(x), len(y)) && d >= abs(len(x)-len(y)) && (d == 0) == (string(x) == string(y))
	}
	if err := quick.Check(symmetric, nil); err != nil {
		t.Error(err)
	}
}
