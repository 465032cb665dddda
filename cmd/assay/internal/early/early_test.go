package early

import (
	"os"
	"testing"
)

// TestRestore checks that TERM is hidden while packages initialise and comes back as it was, set or not.
func TestRestore(t *testing.T) {
	was, had := term, hadTerm
	t.Cleanup(func() { term, hadTerm = was, had; Restore() })
	if got := os.Getenv("TERM"); got != "dumb" {
		t.Errorf("before Restore TERM is %q", got)
	}
	Restore()
	if got, ok := os.LookupEnv("TERM"); got != was || ok != had {
		t.Errorf("after Restore TERM is %q (%v), it was %q (%v)", got, ok, was, had)
	}
	t.Setenv("TERM", "xterm-256color")
	if term, hadTerm = hide(); os.Getenv("TERM") != "dumb" {
		t.Error("TERM is not hidden")
	}
	if Restore(); os.Getenv("TERM") != "xterm-256color" {
		t.Errorf("TERM came back as %q", os.Getenv("TERM"))
	}
	os.Unsetenv("TERM")
	if term, hadTerm = hide(); hadTerm {
		t.Error("an unset TERM counts as set")
	}
	if Restore(); os.Getenv("TERM") != "" {
		t.Error("an unset TERM came back")
	}
}
