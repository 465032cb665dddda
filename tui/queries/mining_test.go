package queries

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

// mined is the screen over queries as an import leaves them.
func mined(t testing.TB, w, h int) (*drive.Driver, *Screen, fake.Kit) {
	t.Helper()
	weight, inclusion := 12.5, 0.4
	k := fake.NewKit(port.Workspace{Name: "support", Annotator: "ann"}, nil, []corpus.Query{
		{ID: "q1", Text: "how do I lock my card?", Count: 5, Source: "web.log", Kind: corpus.Mined, Proposed: []string{"question"}, Stratum: "head",
			Inclusion: &inclusion, Weight: &weight, Group: "q1", Variants: []corpus.Variant{{ID: "v1", Text: "lock card", Count: 2}, {ID: "v2", Text: "how do I lock my crad", Count: 1}}},
		{ID: "q2", Text: "what is ERR_CARD_7", Count: 3, Source: "app.log", Language: "en", Proposed: []string{"identifier", "question"}},
		{ID: "q3", Text: "wie sperre ich die karte", Count: 1, Source: "app.log", Language: "de", Proposed: []string{"non-english"}},
		{ID: "q4", Text: "refund", Count: 1, Source: "web.log"},
	}, nil)
	s := New(Options{Desk: k.Desk, Exporter: k.Exporter, Importer: k.Importer, Theme: theme(t, "none")})
	return drive.Screen(t, s, nil, w, h), s, k
}

func tags(s *Screen, id string) string {
	for _, it := range s.list.items {
		if it.row.Query.ID == id {
			return tagsOf(it.row)
		}
	}
	return "no such query"
}

func TestMinedQueriesShowWhatIsKnown(t *testing.T) {
	d, _, _ := mined(t, 160, 24)
	d.Sees("×5 ≈3", "×3", "#identifier? #question?", "#non-english?", "web.log", "app.log", "source", "a accept")
	drive.Golden(t, "mined-160x24", d.Frame(), *update)
	d.Resize(80, 24)
	drive.Golden(t, "mined-80x24", d.Frame(), *update)
	d.Press("v")
	shown := asked[screen.ShowText](d)
	for _, want := range []string{"×2  lock card", "×1  how do I lock my crad", "from web.log", "stratum head", "stands for 12.5 asked", "#question?"} {
		if !strings.Contains(shown[0].Text, want) {
			t.Errorf("no %q in %q", want, shown[0].Text)
		}
	}
}

func TestFilterByWhatImportsKnow(t *testing.T) {
	d, s, _ := mined(t, 100, 24)
	d.Press("/")
	for typed, want := range map[string]string{
		"#question?":              "q1 q2",
		"#identifier":             "q2",
		"is:proposed":             "q1 q2 q3",
		"is:grouped":              "q1",
		"is:sampled":              "q1",
		"source:app":              "q2 q3",
		"source:app #non-english": "q3",
		"lang:de":                 "q3",
		"kind:mined":              "q1",
		"stratum:head":            "q1",
		"group:q1":                "q1",
		"crad":                    "q1", // a variant's words find what stands for it
	} {
		d.Press("ctrl+u")
		d.Type(typed)
		if got := ids(s); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestAcceptAndReject(t *testing.T) {
	d, s, k := mined(t, 100, 24)
	d.Press("j", "a")
	if got := tags(s, "q2"); got != "#identifier #question" {
		t.Errorf("accepted: %q", got)
	}
	d.Press("u")
	if got := tags(s, "q2"); got != "#identifier? #question?" {
		t.Errorf("taken back: %q", got)
	}
	d.Press("ctrl+r")
	if got := tags(s, "q2"); got != "#identifier #question" {
		t.Errorf("again: %q", got)
	}
	d.Press("j", "d")
	if got := tags(s, "q3"); got != "" {
		t.Errorf("rejected: %q", got)
	}
	d.Press("j", "a")
	d.Sees("nothing is proposed for this query")
	if n := k.Desk.Calls("Settle"); n != 2 {
		t.Errorf("settled %d times", n)
	}
}

func TestAcceptInBulkWhatIsShown(t *testing.T) {
	d, s, _ := mined(t, 100, 24)
	d.Press("/")
	d.Type("source:app")
	d.Press("enter", "A")
	d.Sees("accept on the 2 queries shown", "#identifier? (1)", "#non-english? (1)", "#question? (1)", "all of them (3)")
	d.Press("j", "j", "enter") // #question
	if tags(s, "q2") != "#question #identifier?" || tags(s, "q1") != "#question?" || tags(s, "q3") != "#non-english?" {
		t.Errorf("%q, %q, %q", tags(s, "q1"), tags(s, "q2"), tags(s, "q3"))
	}
	d.Press("D", "j", "j", "enter") // all
	if tags(s, "q2") != "#question" || tags(s, "q3") != "" || tags(s, "q1") != "#question?" {
		t.Errorf("%q, %q, %q", tags(s, "q1"), tags(s, "q2"), tags(s, "q3"))
	}
	d.Press("u")
	if tags(s, "q2") != "#question #identifier?" || tags(s, "q3") != "#non-english?" {
		t.Errorf("one undo takes back the whole: %q, %q", tags(s, "q2"), tags(s, "q3"))
	}
	d.Press("D", "esc")
	if s.menu != nil || tags(s, "q3") != "#non-english?" {
		t.Error("esc rejected")
	}
}

func TestFailedSettleIsSaid(t *testing.T) {
	d, s, k := mined(t, 100, 24)
	k.Desk.Fail("Settle", errors.New("disk full"))
	d.Press("a")
	d.Sees("NOT SAVED: disk full")
	if got := tags(s, "q1"); got != "#question?" {
		t.Error(got)
	}
}

func TestSplit(t *testing.T) {
	d, s, _ := mined(t, 100, 24)
	d.Press("S")
	d.Sees("split off", "×2  lock card", "×1  how do I lock my crad")
	d.Press("enter")
	if got := ids(s); got != "q1 q2 q3 q4 v1" {
		t.Fatal(got)
	}
	d.Sees("› [·] q1", "×3 ≈2", "[·] v1") // the cursor stays: there may be more to split off
	d.Press("u")
	if got := ids(s); got != "q1 q2 q3 q4" {
		t.Error(got)
	}
}

func TestJoin(t *testing.T) {
	d, s, _ := mined(t, 100, 24)
	d.Press("J")
	d.Sees("mark the near-duplicates with m")
	d.Press("G", "m", "g", "J") // refund into q1
	d.Sees("×6 ≈4")
	d.Press("G")
	d.Sees("[x] q4")
	if len(s.marked) != 0 {
		t.Error("marks stay")
	}
	d.Press("u")
	d.Sees("×5 ≈3", "[·] q4")
}

func TestImportIsPreviewed(t *testing.T) {
	d, s, k := mined(t, 100, 24)
	k.Importer.Report = port.ImportReport{Lines: []string{"read 10 rows", "2 rejected"}, New: 8, Batch: "queries-1"}
	d.Press("I")
	if !s.InText() {
		t.Error("the path is no text field")
	}
	d.Press("enter")
	d.Sees("name a file")
	d.Type("logs/web log.jsonl 200")
	d.Press("enter")
	d.Sees("what an import of logs/web log.jsonl would do", "read 10 rows", "2 rejected", "enter imports 8 new")
	if s.intake.ask.Sample != 200 || s.InText() {
		t.Errorf("%+v", s.intake.ask)
	}
	d.Press("enter")
	if got := asked[screen.ShowText](d); len(got) != 1 || !strings.Contains(got[0].Text, "read 10 rows") || s.intake != nil {
		t.Errorf("%+v", got)
	}
	if got := strings.Join(k.Importer.Asked(), ", "); got != "preview logs/web log.jsonl, import logs/web log.jsonl" {
		t.Error(got)
	}
}

func TestImportThatFailsOrIsStopped(t *testing.T) {
	d, s, k := mined(t, 100, 24)
	k.Importer.Err = errors.New("read x: no such file")
	d.Press("I")
	d.Type("x")
	d.Press("enter")
	d.Sees("read x: no such file")
	if s.intake == nil || s.intake.field.Text() != "x" {
		t.Error("what was typed is gone")
	}
	d.Type("y")
	d.SeesNot("no such file")
	k.Importer.Err = nil
	var stopped context.Context
	k.Importer.Hook = func(ctx context.Context, _ string) error {
		stopped = ctx
		return nil
	}
	d.Hold()
	d.Press("enter")
	d.Press("esc")
	d.Release()
	if s.intake != nil || stopped.Err() == nil {
		t.Error("esc did not stop the preview")
	}
	d.Press("I")
	d.Type("x 0")
	d.Press("enter")
	d.Sees("draw at least one")
}

func TestLongReportScrolls(t *testing.T) {
	d, _, k := mined(t, 80, 12)
	for i := range 30 {
		k.Importer.Report.Lines = append(k.Importer.Report.Lines, "line "+strings.Repeat("x", i))
	}
	d.Press("I")
	d.Type("x")
	d.Press("enter")
	d.SeesNot(" " + k.Importer.Report.Lines[29])
	for range 10 {
		d.Press("pgdown")
	}
	d.Sees(k.Importer.Report.Lines[29])
	d.CheckFrame(80, 12)
}
