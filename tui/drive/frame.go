package drive

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// CheckFrame reports why frame is not exactly height lines of at most width cells, or holds a byte that a terminal
// obeys other than the sequences that StripStyles removes. It is what every View promises.
func CheckFrame(frame string, width, height int) error {
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		return fmt.Errorf("the frame has %d lines, not %d", len(lines), height)
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			return fmt.Errorf("line %d is %d cells wide, more than %d: %q", i+1, w, width, l)
		}
		for j, r := range StripStyles(l) {
			if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				return fmt.Errorf("line %d holds %U at byte %d: %q", i+1, r, j, l)
			}
		}
	}
	return nil
}

// allowed are the sequences that a frame may hold: colours, and the absolute column that tui/cell places text with.
var allowed = regexp.MustCompile("\x1b\\[([0-9;]*m|[0-9]+G)")

// StripStyles removes colours (ESC [ … m) and columns (ESC [ n G), and nothing else.
func StripStyles(s string) string { return allowed.ReplaceAllString(s, "") }

// CheckFrame checks that the view fits and is inert.
func (d *Driver) CheckFrame(width, height int) {
	d.t.Helper()
	if err := CheckFrame(d.Frame(), width, height); err != nil {
		d.t.Error(err)
	}
}

// Golden compares got with testdata/<name>.golden, or writes it where update is true. Styles are kept, with the
// escape byte written as \e, so that the file can be read and shows nothing when it is printed.
func Golden(t testing.TB, name, got string, update bool) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	got = strings.ReplaceAll(got, "\x1b", `\e`) + "\n"
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to make it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update if that is right)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}
