package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"assay/tui/fake"
)

// B061 (public reports: runmedev/runme#547, charmbracelet/bubbletea#761).
func TestB061NoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	k := fake.Sample(fake.Plain, nil)
	for name, o := range map[string]Options{"in": {In: f, Out: noFile{}}, "out": {In: noFile{}, Out: f}, "both": {In: f, Out: f}} {
		o.Desk, o.Finder = k.Desk, k.Finder
		if err := Run(context.Background(), o); !errors.Is(err, ErrNoTerminal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, _ := f.Stat(); info.Size() != 0 {
		t.Error("something was written all the same")
	}
	if err := Run(context.Background(), Options{In: noFile{}, Out: noFile{}}); err == nil {
		t.Error("no desk, no error")
	}
}

func TestOptionsAreCompleted(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	o, err := Options{Desk: k.Desk, Finder: k.Finder, In: noFile{}, Out: noFile{}, Theme: "auto"}.complete()
	if err != nil || o.Theme != "dark" || o.Now == nil || o.Tick == nil || o.Start != Label {
		t.Error(o, err)
	}
	o, _ = Options{Desk: k.Desk, Finder: k.Finder, In: noFile{}, Out: noFile{}, Theme: "light", NoColor: true}.complete()
	if o.Theme != "none" {
		t.Error("NO_COLOR is not honoured:", o.Theme)
	}
}

// ending is a reader that is at its end.
type ending struct{}

func (ending) Read([]byte) (int, error) { return 0, io.EOF }

func TestRunOverSomethingThatIsNoFileEndsWithItsInput(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	err := Run(context.Background(), Options{Desk: k.Desk, Finder: k.Finder, In: ending{}, Out: noFile{}})
	if !errors.Is(err, ErrHangup) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	block, _ := io.Pipe()
	err = Run(ctx, Options{Desk: k.Desk, Finder: k.Finder, In: block, Out: noFile{}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
