package queries

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

// asked are the messages of a type that the screen sent.
func asked[T any](d *drive.Driver) (out []T) {
	for _, m := range d.Messages() {
		if v, ok := m.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

func ids(s *Screen) string {
	var out []string
	for _, n := range s.list.view {
		out = append(out, s.list.items[n].row.Query.ID)
	}
	return strings.Join(out, " ")
}

func plain(t testing.TB) (*drive.Driver, *Screen, fake.Kit) {
	t.Helper()
	k := fake.Sample(fake.Plain, nil)
	d, s := shown(t, k, "none", 100, 24)
	return d, s, k
}

func TestFilterAsYouType(t *testing.T) {
	d, s, k := plain(t)
	progress(t, k)
	d.Press("r", "/")
	for typed, want := range map[string]string{
		"key":         "q0001 q0004",
		"KEY signing": "q0001",
		"q0003":       "q0003",
		"#identifier": "q0003",
		"is:done":     "q0001",
		"is:open":     "q0004 q0005",
		"is:excluded": "q0006",
		"zzz":         "",
	} {
		d.Press("ctrl+u")
		d.Type(typed)
		if got := ids(s); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	d.Press("ctrl+u")
	d.Type("zzz")
	d.Sees("no query matches")
	d.Press("esc")
	if got := ids(s); got != "q0001 q0002 q0003 q0004 q0005 q0006" || s.InText() {
		t.Error(got)
	}
}

func TestNarrowingFindsWhatLookingAnewFinds(t *testing.T) {
	k := fake.NewKit(port.Workspace{}, nil, []corpus.Query{{ID: "1", Text: "e"}, {ID: "2", Text: "é cafe\u0301"}, {ID: "3", Text: "ab abc"}, {ID: "4", Text: "Straße STRASSE"}}, nil)
	d, s := shown(t, k, "none", 80, 24)
	d.Press("/")
	for _, text := range []string{"e\u0301", "ab c", "strasse", "  caf\u00e9 "} {
		d.Press("ctrl+u")
		for _, r := range text {
			d.Type(string(r))
			want := look(s.list.items, nil, s.filter.Text(), byImport)
			if !slices.Equal(s.list.view, want) {
				t.Errorf("%q: %v, want %v", s.filter.Text(), s.list.view, want)
			}
		}
	}
}

func TestALateViewNeverReplacesANewerOne(t *testing.T) {
	d, s, _ := plain(t)
	d.Press("/")
	d.Hold()
	d.Type("ke")
	d.Type("z")
	d.Sees("… ")
	for d.Held() > 0 {
		d.Step(d.Held() - 1) // the newest first
	}
	if got := ids(s); got != "" || s.lags() {
		t.Errorf("%q, lags %v", got, s.lags())
	}
	d.Release()
}

// Public report: lookit#129.
func TestEnterIsRefusedWhileTheListLags(t *testing.T) {
	d, s, _ := plain(t)
	d.Press("/")
	d.Hold()
	d.Type("refund")
	d.Press("enter", "enter", "X")
	d.Release()
	if n := len(asked[screen.OpenQuery](d)); n != 0 || len(s.writes) != 0 {
		t.Error("acted on a row that the filter no longer shows")
	}
	d.Press("enter")
	if got := asked[screen.OpenQuery](d); len(got) != 1 || got[0].QueryID != "q0002" {
		t.Error(got)
	}
}

func TestOrders(t *testing.T) {
	d, s, k := plain(t)
	progress(t, k)
	d.Press("r")
	for _, want := range []string{"q0001 q0002 q0003 q0004 q0005 q0006", "q0004 q0005 q0002 q0003 q0001 q0006", "q0001 q0002 q0003 q0004 q0005 q0006"} {
		d.Press("o")
		if got := ids(s); got != want {
			t.Errorf("by %s: %s", s.list.order, got)
		}
	}
	d.Press("j", "j", "j", "o", "o")
	if it, _ := s.current(); it.row.Query.ID != "q0004" {
		t.Error("the cursor left its query for", it.row.Query.ID)
	}
}

func TestReloadKeepsCursorAndFilter(t *testing.T) {
	d, s, k := plain(t)
	d.Press("G", "k")
	if _, err := k.Desk.AddQuery(t.Context(), "one more"); err != nil {
		t.Fatal(err)
	}
	d.Send(screen.Changed{})
	if it, _ := s.current(); it.row.Query.ID != "q0005" || len(s.list.view) != 7 {
		t.Error(it.row.Query.ID, len(s.list.view))
	}
	// A filter typed while the queue is read is not lost.
	d.Press("/")
	d.Hold()
	d.Send(screen.Changed{})
	d.Type("more")
	d.Step(0)
	d.Release()
	if got := ids(s); got != "w-7" || s.lags() {
		t.Error(got, s.lags())
	}
}

func TestAddEditExclude(t *testing.T) {
	d, s, k := plain(t)
	d.Press("+")
	if !s.InText() {
		t.Fatal("+ opens no field")
	}
	d.Type("why is q? 2 x")
	d.Press("enter")
	if it, _ := s.current(); it.row.Query.Text != "why is q? 2 x" || it.row.Query.Kind != corpus.Written || s.InText() {
		t.Error(it.row.Query)
	}
	d.Press("e")
	d.Type(" yes")
	d.Press("ctrl+s")
	if it, _ := s.current(); it.row.Query.Text != "why is q? 2 x yes" {
		t.Error(it.row.Query.Text)
	}
	d.Press("X")
	if it, _ := s.current(); !it.row.Query.Excluded {
		t.Error("not excluded")
	}
	d.Sees("[x]", "excluded the query")
	d.Press("X")
	if it, _ := s.current(); it.row.Query.Excluded {
		t.Error("not included again")
	}
	if n := len(asked[screen.Changed](d)); n != 4 {
		t.Errorf("%d changes told", n)
	}
	writes := k.Desk.Written()
	d.Press("e", "enter", "+", "enter", "esc")
	if k.Desk.Written() != writes {
		t.Error("wrote what did not change, or an empty query")
	}
	d.Press("+")
	d.Paste("two\nlines")
	d.Press("enter")
	if it, _ := s.current(); it.row.Query.Text != "two lines" {
		t.Errorf("%q", it.row.Query.Text)
	}
}

func TestWritesLandInOrder(t *testing.T) {
	d, s, k := plain(t)
	d.Hold()
	d.Press("X", "X", "X")
	if s.Pending() != 3 || d.Held() != 1 {
		t.Fatalf("%d pending, %d under way", s.Pending(), d.Held())
	}
	d.Sees("saving…")
	d.Release()
	q, _ := k.Desk.Queue(t.Context())
	if !q[0].Query.Excluded || s.Pending() != 0 {
		t.Error("XXX is not excluded")
	}
}

// B012 (public report: HumanSignal/label-studio#6674), B053: a failed save does not look saved, and can be repeated.
func TestAFailedSaveStaysOpen(t *testing.T) {
	d, s, k := plain(t)
	k.Desk.Fail("AddQuery", errors.New("no space left on device"))
	d.Press("+")
	d.Type("keep me")
	d.Press("enter")
	d.Sees("NOT SAVED: no space left on device", "keep me▏")
	k.Desk.Fail("AddQuery", nil)
	d.Press("enter")
	if it, _ := s.current(); it.row.Query.Text != "keep me" || s.editor != nil {
		t.Error(it.row.Query)
	}
	k.Desk.Fail("Exclude", errors.New("read-only"))
	d.Press("X")
	d.Sees("NOT SAVED: read-only")
	if s.Pending() != 0 {
		t.Error("pending for ever")
	}
}

func TestDraftsOutliveTheEditor(t *testing.T) {
	d, s, k := plain(t)
	d.Press("+")
	d.Type("half a thou")
	d.Press("esc")
	if drafts, _ := k.Desk.Drafts(t.Context()); drafts["queries/new"] != "half a thou" {
		t.Fatal(drafts)
	}
	d.Press("+")
	if got := s.editor.field.Text(); got != "half a thou" {
		t.Error(got)
	}
	d.Type("ght")
	d.Press("enter")
	if drafts, _ := k.Desk.Drafts(t.Context()); len(drafts) != 0 {
		t.Error("the draft stays:", drafts)
	}
	// Close keeps what is being written: the window may go at any time (B059).
	d.Press("e")
	d.Type("!")
	if msg := s.Close()(); msg == nil {
		t.Error("nothing said")
	}
	if drafts, _ := k.Desk.Drafts(t.Context()); !strings.HasSuffix(drafts["queries/edit/w-7"], "!") {
		t.Error(drafts)
	}
	k.Desk.Fail("Draft", errors.New("disk full"))
	if say, ok := s.Close()().(screen.Say); !ok || !say.Bad {
		t.Error("a lost draft is not told")
	}
}

func TestLongAndManyLinedQueriesAreNotHarmedByEditing(t *testing.T) {
	k := fake.NewKit(port.Workspace{}, nil, []corpus.Query{{ID: "a", Text: "line one\nline two"}, {ID: "b", Text: strings.Repeat("long ", 2000)}}, nil)
	d, s := shown(t, k, "none", 80, 24)
	d.Press("e", "enter")
	d.Type("x")
	d.CheckFrame(80, 24)
	d.Press("ctrl+s")
	if it, _ := s.current(); it.row.Query.Text != "line one\nline two\nx" {
		t.Errorf("%q", it.row.Query.Text)
	}
	d.Press("j", "e")
	if s.editor != nil {
		t.Error("a text that does not fit the field is edited")
	}
	d.Sees("too long to edit")
}

func TestExport(t *testing.T) {
	d, s, k := plain(t)
	k.Exporter.Losses = []string{"notes"}
	d.Press("E", "j")
	d.Sees("assay", "› beir", "trec")
	d.Press("enter")
	if got := asked[screen.ShowText](d); len(got) != 1 || !strings.Contains(got[0].Text, "exports/gold.beir.jsonl") || !strings.Contains(got[0].Text, "notes") || s.menu != nil {
		t.Error(got)
	}
	k.Exporter.Err = errors.New("disk full")
	d.Press("E", "enter")
	d.Sees("export failed", "disk full")
	d.Press("E", "q", "j")
	if s.menu != nil || s.list.cursor != 1 {
		t.Error("q doesn't close the chooser")
	}
	s.o.Exporter = nil
	d.Press("E")
	d.Sees("assay export")
}

func TestFailuresAreTold(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	k.Desk.Fail("Queue", errors.New("bad page"))
	d, s := shown(t, k, "none", 80, 24)
	d.Sees("can't read the queries: bad page", "r to try again")
	k.Desk.Fail("Queue", nil)
	d.Press("r")
	if len(s.list.view) != 6 {
		t.Error("not read again")
	}
	k.Desk.Fail("Queue", errors.New("bad page"))
	d.Press("r")
	d.Sees("q0001", "can't read the queries: bad page")
}

func TestShowsTheWholeQuery(t *testing.T) {
	d, _, _ := plain(t)
	d.Press("j", "v")
	got := asked[screen.ShowText](d)
	if len(got) != 1 || !strings.Contains(got[0].Text, "assistant: To rotate") {
		t.Error(got)
	}
}

func TestMouse(t *testing.T) {
	d, s, _ := plain(t)
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	d.Send(tea.MouseMsg{Button: tea.MouseButtonLeft, Y: headLines + 1})
	if s.list.cursor != 1 {
		t.Error(s.list.cursor)
	}
	d.Send(tea.MouseMsg{Button: tea.MouseButtonLeft, Y: 23})
	d.Send(tea.MouseMsg{Button: tea.MouseButtonLeft, Y: 0})
	if s.list.cursor != 1 {
		t.Error("a click beside the rows moved to", s.list.cursor)
	}
}

func TestAHundredThousandQueries(t *testing.T) {
	var qs []corpus.Query
	for i := range 100_000 {
		qs = append(qs, corpus.Query{ID: fmt.Sprintf("q%06d", i), Text: fmt.Sprintf("how to do thing number %d in place %d", i, i%97), Count: i % 1000})
	}
	d, s := shown(t, fake.NewKit(port.Workspace{}, nil, qs, nil), "none", 80, 24)
	d.Press("/")
	d.Type("number 99 place 9")
	if n := len(s.list.view); n == 0 || n == len(qs) {
		t.Error(n)
	}
	d.Press("enter", "o", "o", "G", "g")
	d.CheckFrame(80, 24)
}

func BenchmarkView100k(b *testing.B) {
	var qs []corpus.Query
	for i := range 100_000 {
		qs = append(qs, corpus.Query{ID: fmt.Sprintf("q%06d", i), Text: fmt.Sprintf("how to do thing number %d", i)})
	}
	_, s := shown(b, fake.NewKit(port.Workspace{}, nil, qs, nil), "dark", 160, 50)
	for b.Loop() {
		s.list.move(1)
		s.settle()
		_ = s.View()
	}
}

func BenchmarkFilter100k(b *testing.B) {
	var items []item
	for i := range 100_000 {
		r := port.QueueRow{Query: corpus.Query{ID: fmt.Sprintf("q%06d", i), Text: fmt.Sprintf("how to do thing number %d", i)}}
		items = append(items, item{r, key(r)})
	}
	for b.Loop() {
		look(items, nil, "thing 99", byCount)
	}
}
