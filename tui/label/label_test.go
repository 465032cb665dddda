package label

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

var update = flag.Bool("update", false, "write the golden files")

// bench is a screen under test with all around it.
type bench struct {
	*drive.Driver
	t     testing.TB
	s     *Screen
	kit   fake.Kit
	clock *drive.Clock
	w, h  int
}

type setup struct {
	theme string // "" is none
	w, h  int
	start screen.OpenQuery
	wait  func(kit fake.Kit) // runs before the screen starts
}

func begin(t testing.TB, clock *drive.Clock, kit fake.Kit, o setup) *bench {
	t.Helper()
	if o.theme == "" {
		o.theme = "none"
	}
	if o.w == 0 {
		o.w, o.h = 120, 35
	}
	theme, err := cell.NewTheme(o.theme, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.wait != nil {
		o.wait(kit)
	}
	s := New(Options{Desk: kit.Desk, Finder: kit.Finder, Theme: theme, Now: clock.Now, Tick: clock.Tick, Start: o.start})
	return &bench{drive.Screen(t, s, clock, o.w, o.h), t, s, kit, clock, o.w, o.h}
}

// sample begins with the plain sample workspace.
func sample(t testing.TB) *bench {
	t.Helper()
	clock := drive.NewClock()
	return begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{})
}

// said is the line at the foot of the screen.
func (b *bench) said() string { return b.s.message.Text }

func (b *bench) says(text string) {
	b.t.Helper()
	if !strings.Contains(b.said(), text) {
		b.t.Errorf("says %q, want %q", b.said(), text)
	}
}

func (b *bench) asked(want tea.Msg) {
	b.t.Helper()
	if !slices.ContainsFunc(b.Messages(), func(m tea.Msg) bool { return fmt.Sprintf("%#v", m) == fmt.Sprintf("%#v", want) }) {
		b.t.Errorf("did not ask for %#v", want)
	}
}

// row is the list's line with the chunk, as it is shown.
func (b *bench) row(chunkID string) string {
	b.t.Helper()
	for line := range strings.Lines(b.Plain()) {
		if strings.Contains(line, chunkID+" ") && strings.Contains(line, "]") || strings.Contains(line, ") "+chunkID) || strings.Contains(line, "! "+chunkID) {
			return strings.TrimRight(line, "\n")
		}
	}
	b.t.Fatalf("no row of %s:\n%s", chunkID, b.Plain())
	return ""
}

func (b *bench) rowHas(chunkID, mark string) {
	b.t.Helper()
	if row := b.row(chunkID); !strings.Contains(row, mark) {
		b.t.Errorf("row %q has no %q", row, mark)
	}
}

func (b *bench) current() string {
	r, _ := b.s.tabs[b.s.tab].current()
	return r.chunkID
}

func (b *bench) graded(queryID, chunkID string, want corpus.Grade) {
	b.t.Helper()
	if g, ok := b.kit.Desk.GradeOf(queryID, chunkID); !ok || g != want {
		b.t.Errorf("%s on %s is graded %v (%v), want %v", chunkID, queryID, g, ok, want)
	}
}

func (b *bench) ungraded(queryID, chunkID string) {
	b.t.Helper()
	if g, ok := b.kit.Desk.GradeOf(queryID, chunkID); ok {
		b.t.Errorf("%s on %s is graded %v", chunkID, queryID, g)
	}
}

func (b *bench) search(text string) {
	b.t.Helper()
	b.Press("/")
	b.Type(text)
}

func (b *bench) sheet(queryID string) port.Sheet {
	b.t.Helper()
	sheet, err := b.kit.Desk.Sheet(b.t.Context(), queryID)
	if err != nil {
		b.t.Fatal(err)
	}
	return sheet
}

// A person opens the program and grades: nothing else is pressed first.
func TestDigitsGradeAtOnce(t *testing.T) {
	b := sample(t)
	b.Sees("how do i rotate the signing key", "docs/keys.md#1", "To [rotate] [the] [signing] [key]", "0/6 done", "saved")
	b.Press("2")
	b.graded("q0001", "docs/keys.md#1", 2)
	b.rowHas("docs/keys.md#1", "[2]")
	b.says("graded 2 relevant")
	if b.current() != "blog/2023-tokens.md#1" {
		t.Errorf("the cursor is on %s", b.current())
	}
	b.Press("0", "k", "k", "x", "c")
	b.rowHas("blog/2023-tokens.md#1", "[0]")
	b.rowHas("docs/keys.md#1", "[~]")
	b.graded("q0001", "docs/keys.md#1", corpus.CannotJudge)
}

func TestAutoAdvanceCanBeOff(t *testing.T) {
	clock := drive.NewClock()
	kit := fake.Sample(fake.Plain, clock.Now)
	ws := kit.Desk.Workspace()
	ws.AutoAdvance = false
	kit = fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, []corpus.Chunk{{ID: "a", Text: "key"}, {ID: "b", Text: "key"}})
	b := begin(t, clock, kit, setup{})
	at := b.current()
	b.Press("1", "3")
	b.graded("q1", at, 3)
	if b.current() != at {
		t.Error("the cursor moved")
	}
}

// Grading goes to the next row without a grade; those with one are passed over, rows never move.
func TestAdvanceSkipsJudgedRows(t *testing.T) {
	b := sample(t)
	rows := slices.Clone(b.s.tabs[searchTab].rows)
	b.Press("j", "1", "g", "1")
	if b.current() != rows[2].chunkID {
		t.Errorf("the cursor is on %s, want %s", b.current(), rows[2].chunkID)
	}
	for i, r := range b.s.tabs[searchTab].rows {
		if r.chunkID != rows[i].chunkID {
			t.Errorf("row %d is now %s", i, r.chunkID)
		}
	}
	b.Press("G", "1")
	if b.current() != rows[len(rows)-1].chunkID {
		t.Errorf("below the last row: %s", b.current())
	}
}

func TestKeysMove(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range 60 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("c%02d", 59-i), Text: "key " + strings.Repeat("word ", 400)})
	}
	clock := drive.NewClock()
	kit := fake.NewKit(fake.Sample(fake.Plain, nil).Desk.Workspace(), clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, chunks)
	b := begin(t, clock, kit, setup{w: 80, h: 23})
	for _, c := range []struct {
		keys []string
		want int
	}{{[]string{"j", "j"}, 2}, {[]string{"up"}, 1}, {[]string{"G"}, 59}, {[]string{"down"}, 59}, {[]string{"g"}, 0}, {[]string{"k"}, 0}, {[]string{"pgdown"}, 5}, {[]string{"pgup"}, 0}, {[]string{"end"}, 59}, {[]string{"home"}, 0}} {
		if b.Press(c.keys...); b.s.tabs[searchTab].cursor != c.want {
			t.Errorf("%v: row %d, want %d", c.keys, b.s.tabs[searchTab].cursor, c.want)
		}
		b.CheckFrame(80, 23)
	}
	b.Press(" ")
	if b.s.view.top == 0 {
		t.Error("space does not scroll the chunk")
	}
	b.Press("b", "b")
	if b.s.view.top != 0 {
		t.Error("b does not scroll back")
	}
	b.Press(" ", "j")
	if b.s.view.top != 0 {
		t.Error("another chunk does not begin at its top")
	}
}

// A list that is read to its end grows, and what was there stays where it is.
func TestListGrows(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range 700 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("c%03d", i), Text: "key"})
	}
	clock := drive.NewClock()
	b := begin(t, clock, fake.NewKit(fake.Sample(fake.Plain, nil).Desk.Workspace(), clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, chunks), setup{})
	if n := len(b.s.tabs[searchTab].rows); n != firstHits {
		t.Fatalf("%d rows at first", n)
	}
	first := b.s.tabs[searchTab].rows[0].chunkID
	b.Press("G", "G", "G")
	if n := len(b.s.tabs[searchTab].rows); n != 700 || b.s.tabs[searchTab].rows[0].chunkID != first {
		t.Errorf("%d rows at the end", n)
	}
	b.Press("G", "2")
	b.graded("q1", b.current(), 2)
	if g := b.sheet("q1"); len(g.Searches) != 1 {
		t.Errorf("%d searches were tried", len(g.Searches))
	}
}

// Where the index changed between two answers, an open list does not.
func TestListGrowsOnlyInItsOwnOrder(t *testing.T) {
	b := sample(t)
	b.s.find.shown.Total = 999
	b.s.gotResults(foundMsg{gen: b.s.find.gen, extend: true, result: corpus.SearchResult{Hits: []corpus.SearchHit{{ChunkID: "new"}, {ChunkID: "x"}, {}, {}, {}, {}}}})
	if len(b.s.tabs[searchTab].rows) != 5 || b.s.tabs[searchTab].rows[0].chunkID != "docs/keys.md#1" {
		t.Errorf("rows are %v", b.s.tabs[searchTab].rows)
	}
}

func TestTabsKeepTheirCursors(t *testing.T) {
	b := sample(t)
	b.Press("j", "2", "0", "tab")
	b.Sees("‹judged 2›")
	if got := []string{b.s.tabs[judgedTab].rows[0].chunkID, b.s.tabs[judgedTab].rows[1].chunkID}; !slices.Equal(got, []string{"blog/2023-tokens.md#1", "docs/keys.md#2"}) {
		t.Errorf("judged, best first: %v", got)
	}
	b.Press("j", "tab")
	if b.s.tabs[searchTab].cursor != 3 {
		t.Errorf("search is at %d", b.s.tabs[searchTab].cursor)
	}
	b.Press("shift+tab")
	if b.s.tabs[judgedTab].cursor != 1 {
		t.Errorf("judged is at %d", b.s.tabs[judgedTab].cursor)
	}
	// What is graded anew there keeps its place until r.
	b.Press("3")
	b.rowHas("docs/keys.md#2", "[3]")
	if b.s.tabs[judgedTab].rows[1].chunkID != "docs/keys.md#2" {
		t.Error("the row moved")
	}
	if b.Press("r"); b.s.tabs[judgedTab].rows[0].chunkID != "docs/keys.md#2" {
		t.Error("r does not put it first")
	}
}

func TestEmptyStatesSayWhatToDo(t *testing.T) {
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	none := begin(t, clock, fake.NewKit(ws, clock.Now, nil, nil), setup{})
	none.Sees("no queries yet: assay import queries LOG", "nothing is indexed yet: assay index PATH…")
	none.Press("2", "n", "p", "f", "t", "m", "M", "a", "u", "/", "x", "esc", "enter", "tab", "x", "c", "!", "j", "G", "o", "v", "r")
	if none.kit.Desk.Written() != 0 {
		t.Error("something was written")
	}
	empty := begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: "zebra"}}, []corpus.Chunk{{ID: "a", Text: "key"}}), setup{})
	empty.Sees("no results: try other words")
	empty.Press("2")
	empty.says("there is no chunk here")
	empty.Press("tab")
	empty.Sees("nothing is judged yet")
	empty.Press("/", "backspace")
	empty.Sees("type to search")
}

func TestHintsGoWithTheFirstLabel(t *testing.T) {
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	ws.Hint = []string{"digits grade", "/ searches", "f finishes"}
	b := begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, []corpus.Chunk{{ID: "a", Text: "key"}}), setup{})
	b.Sees("digits grade", "/ searches", "f finishes")
	b.Press("2")
	b.SeesNot("digits grade")
}

func TestPaceLeavesPausesOut(t *testing.T) {
	b := sample(t)
	b.SeesNot("/min")
	for range 4 {
		b.Advance(10 * time.Second)
		b.Press("1")
	}
	b.Sees("6.0/min")
	b.Advance(time.Hour)
	b.Press("1")
	b.Sees("3.0/min") // an hour away counts as a minute
}

func TestWorkspaceThatCantBeRead(t *testing.T) {
	clock := drive.NewClock()
	b := begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{wait: func(k fake.Kit) { k.Desk.Fail("Queue", os.ErrPermission) }})
	b.Sees("can't read the workspace: permission denied", "r tries again")
	b.Press("2", "j", "q")
	b.kit.Desk.Fail("", nil)
	b.Press("r")
	b.Sees("how do i rotate the signing key")
}

// run gives the screen what a Cmd that the root ran came back with.
func (b *bench) run(cmd tea.Cmd) {
	b.t.Helper()
	if cmd == nil {
		return
	}
	msg := cmd()
	if cmds, ok := drive.Cmds(msg); ok {
		for _, c := range cmds {
			b.run(c)
		}
		return
	}
	if msg != nil {
		b.Send(msg)
	}
}

// bugs is the folder of a public report's input files.
func bugs(t testing.TB, id, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "bugs", id, file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
