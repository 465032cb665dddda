//go:build unix

package index

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"assay/corpus"
)

// buildAndWait builds in dir and, when as many chunks are in as told, says so and waits to be killed.
func buildAndWait(dir string, at int) error {
	_, err := Build(context.Background(), dir, BuildOptions{Language: "en"}, func(_ context.Context, s Sink) error {
		for i := range 5000 {
			if i == at {
				fmt.Println("now")
				select {}
			}
			if err := s.Chunk(corpus.Chunk{ID: fmt.Sprint(i), Text: fmt.Sprintf("new text %d", i)}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// B046. Public reports: sageox/ox#826, blevesearch/bleve#2310. A build that is killed at any time leaves the old index,
// or none, and the next build is none the worse.
func TestKilledBuilds(t *testing.T) {
	if dir := os.Getenv("BUILD_AND_WAIT"); dir != "" {
		var at int
		fmt.Sscan(os.Getenv("BUILD_UNTIL"), &at)
		t.Fatal(buildAndWait(dir, at))
	}
	old := chunksOf("old text", "more old text")
	for _, at := range []int{0, 1, 2500, 4999} {
		for _, before := range []bool{false, true} {
			dir := t.TempDir()
			if before {
				mustBuild(t, dir, BuildOptions{Language: "en"}, old...)
			}
			child := exec.Command(os.Args[0], "-test.run=^TestKilledBuilds$")
			child.Env = append(os.Environ(), "BUILD_AND_WAIT="+dir, fmt.Sprint("BUILD_UNTIL=", at))
			out, err := child.StdoutPipe()
			if err == nil {
				err = child.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "now"; {
			}
			// B045: who builds is named.
			var b *BuildingError
			if _, err := Build(context.Background(), dir, BuildOptions{}, feedOf()); !errors.As(err, &b) || b.PID != child.Process.Pid {
				t.Errorf("beside process %d: %v", child.Process.Pid, err)
			}
			child.Process.Kill()
			child.Wait()
			if len(folders(t, dir)) < 1 {
				t.Error("the killed build left nothing: the test tests nothing")
			}
			if ix, err := Open(dir); before {
				if err != nil {
					t.Fatalf("killed at %d: %v", at, err)
				}
				if got := plain(t, ix, "text"); len(got) != 2 || ix.Verify(context.Background()) != nil {
					t.Errorf("killed at %d: %q", at, got)
				}
				ix.Close()
			} else if !errors.Is(err, ErrNone) {
				t.Errorf("killed at %d: %v", at, err)
			}
			r := mustBuild(t, dir, BuildOptions{}, old...)
			if before != (r.Unchanged == 2) || r.Repaired != "" {
				t.Errorf("killed at %d, then %+v", at, r)
			}
			onlyCurrent(t, dir)
			if got := plain(t, mustOpen(t, dir), "text"); len(got) != 2 {
				t.Errorf("killed at %d, then %q", at, strings.Join(got, " "))
			}
		}
	}
}
