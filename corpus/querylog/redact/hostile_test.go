package redact

import (
	"strings"
	"testing"
)

// Each candidate looks around itself no farther than a question is long, however long the line is that it stands in.
func TestAddressesLookNoFartherThanAQuestion(t *testing.T) {
	far := strings.Repeat("x ", wide)
	for _, c := range []struct {
		text    string
		touched bool
	}{
		{"the host that crashed was 6.1.0.2", true},
		{"it crashed on 6.1.0.2 again", false},
		{"host " + far + "it crashed on 6.1.0.2", false},
		{far + "the host that crashed was 6.1.0.2", true},
		{strings.Repeat("9:", 40) + "9", false},
	} {
		if got := New().Text(c.text); (got != c.text) != c.touched {
			t.Errorf("%q became %q", c.text, got)
		}
	}
	// With a search from each to the ends of the line these took minutes.
	for _, unit := range []string{"6.1.0.2 ", "9:", "x:1::"} {
		text := strings.Repeat(unit, 200000/len(unit))
		if got := New().Text(text); strings.Contains(got, "[ip-") {
			t.Errorf("an address in %q", unit)
		}
	}
}
