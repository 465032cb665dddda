package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/screen"
)

func TestScreensAreMadeOnceAndShownAgain(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	if got := stubs[Label].took(); got != "init" {
		t.Fatal(got)
	}
	d.Send(screen.OpenQueries{})
	d.Send(screen.OpenCheck{})
	if got := stubs[Queries].took() + "," + stubs[Check].took(); got != "init,init" {
		t.Error(got)
	}
	if got := strings.Join(m.stack, " "); got != "label queries check" {
		t.Error(got)
	}
	d.Send(screen.Back{})
	if m.top() != stubs[Queries] || stubs[Queries].took() != "shown" {
		t.Error("not back at the queries")
	}
	d.Send(screen.OpenCheck{})
	d.Send(screen.OpenQuery{QueryID: "q7", ChunkID: "c1"})
	if got := stubs[Label].took(); got != "shown open:q7,c1" || len(m.stack) != 1 {
		t.Error(got, m.stack)
	}
	d.Send(screen.OpenQueries{})
	if got := stubs[Queries].took(); got != "shown" {
		t.Error(got)
	}
	d.Send(screen.OpenQueries{})
	if got := stubs[Queries].took(); got != "" || len(m.stack) != 2 {
		t.Error("shown while it was on show:", got)
	}
}

// Labeling asked for from the check screen lies above it, so that leaving it comes back to the figures.
func TestLabelingAboveTheScreenThatAsks(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stack := func(want string) {
		t.Helper()
		if got := strings.Join(m.stack, " "); got != want {
			t.Errorf("the stack is %s, want %s", got, want)
		}
	}
	d.Send(screen.OpenCheck{})
	stubs[Label].took()
	d.Send(screen.LabelChunks{QueryID: "q7", Run: "bm25", Chunks: []screen.Candidate{{ChunkID: "c1", Rank: 3}}})
	stack("label check label")
	if got := stubs[Label].took(); got != "shown sent:q7,bm25,[{c1 3}]" {
		t.Error(got)
	}
	stubs[Check].took()
	d.Send(screen.Back{})
	stack("label check")
	if got := stubs[Check].took(); got != "shown" {
		t.Error("the check screen is not told that it is shown again:", got)
	}
	for range 5 {
		d.Send(screen.OpenQuery{QueryID: "q7", ChunkID: "c1", Above: true})
		stack("label check label")
		d.Send(screen.OpenQuery{QueryID: "q7", ChunkID: "c1", Above: true})
		stack("label check label")
		d.Send(screen.OpenCheck{})
		stack("label check")
	}
	d.Send(screen.OpenQuery{QueryID: "q8"})
	stack("label")
}

func TestMessagesReachWhoTheyAreFor(t *testing.T) {
	d, _, stubs, _ := stubbed(t)
	d.Send(screen.OpenQueries{})
	stubs[Label].took()
	stubs[Queries].took()
	d.Send("reply")
	if stubs[Label].took() != "msg:reply" || stubs[Queries].took() != "msg:reply" {
		t.Error("a reply got lost")
	}
	d.Send(screen.Say{Text: "hello"})
	d.Send(screen.Changed{})
	if got := stubs[Queries].took(); got != "say:hello changed" {
		t.Error(got)
	}
	if got := stubs[Label].took(); got != "" {
		t.Error("a screen that is not on show reads for nothing:", got)
	}
}

func TestStartsWhereItIsTold(t *testing.T) {
	for _, start := range screenNames {
		_, m, _ := started(t, fake.Sample(fake.Plain, nil), Options{Start: start}, 80, 24)
		if len(m.stack) != 1 || m.stack[0] != start {
			t.Error(start, m.stack)
		}
	}
	if _, err := newModel(Options{Start: "nowhere", Theme: "none"}); err == nil {
		t.Error("a screen that isn't there")
	}
	if _, err := newModel(Options{Start: Label, Theme: "pink"}); err == nil {
		t.Error("a theme that isn't there")
	}
}

func TestGuidelinesAndOtherText(t *testing.T) {
	d, m, _, _ := stubbed(t)
	d.Send(screen.ShowText{Title: "guide\x1b[2Jlines", Text: strings.Repeat("line\x1b]0;x\x07\n", 100)})
	d.Sees("line")
	d.CheckFrame(80, 24)
	top := d.Plain()
	d.Press("G")
	if d.Plain() == top {
		t.Error("the text doesn't scroll")
	}
	d.CheckFrame(80, 24)
	d.Press("q")
	if len(m.overlays) != 0 {
		t.Error("q doesn't close the text")
	}
	d.Press("q")
	d.Sees("q again to leave")
}

// B060 (public reports: hzqtc/taproom#17, freeman412/mineos-sveltekit#120).
func TestB060Sizes(t *testing.T) {
	for _, start := range screenNames {
		d, m, _ := started(t, fake.Sample(fake.Emoji, nil), Options{Start: start}, 80, 24)
		for _, size := range [][4]int{
			{80, 24, 80, 24}, {19, 5, 19, 5}, {1, 1, 1, 1}, {0, 0, 1, 1}, {-3, 7, 1, 1}, {39, 10, 39, 10}, {40, 9, 40, 9}, {40, 10, 40, 10},
			{500, 200, 500, 200}, {65535, 65535, mostWidth, mostHeight}, {1, 65535, 1, mostHeight}, {80, 24, 80, 24},
		} {
			d.Resize(size[0], size[1])
			d.CheckFrame(size[2], size[3])
			if small := size[2] < leastWidth || size[3] < leastHeight; small && size[2] >= 9 && !strings.Contains(d.Plain(), "too small") || !small && strings.Contains(d.Plain(), "too small") {
				t.Errorf("%s at %v: %s", start, size, d.Plain())
			}
		}
		if m.tooSmall() {
			t.Error("does not recover")
		}
	}
}

func TestNothingActsWhileNothingIsSeen(t *testing.T) {
	d, _, stubs, _ := stubbed(t)
	stubs[Label].bind["2"] = nil
	d.Resize(30, 5)
	stubs[Label].took()
	d.Press("2", "?", "Q", "q")
	if got := stubs[Label].took(); got != "" {
		t.Error(got)
	}
	d.Resize(80, 24)
	d.SeesNot("keys", "again to leave")
	d.Resize(30, 5)
	d.Press("ctrl+c")
	if !d.Quit() {
		t.Error("ctrl+c doesn't leave")
	}
}

func TestASizeBeforeTheFirstIsTheUsual(t *testing.T) {
	m := root(t, fake.Sample(fake.Plain, nil), Options{}, drive.NewClock())
	m.Init()
	if err := drive.CheckFrame(m.View(), startWidth, startHeight); err != nil {
		t.Error(err)
	}
}

func TestResumingReadsAnew(t *testing.T) {
	d, _, stubs, _ := stubbed(t)
	stubs[Label].took()
	d.Send(tea.ResumeMsg{})
	if got := stubs[Label].took(); got != "shown" {
		t.Error(got)
	}
}
