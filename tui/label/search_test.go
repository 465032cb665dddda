package label

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
)

func TestSearchAsYouType(t *testing.T) {
	b := sample(t)
	b.Press("/")
	b.Sees("[how do i rotate the signing key")
	b.Type("ref")
	b.Sees("/ ref▏", "docs/faq.md#1", "Our [ref]und policy", "1 · 3 ms")
	b.Type("und")
	b.Press("down", "2")
	b.graded("q0001", "docs/faq.md#1", 2)
	// Letters typed into the box are text, whatever they are bound to elsewhere.
	was := b.kit.Desk.Written()
	b.search("q 2 u x f n ! t")
	b.Sees("/ q 2 u x f n ! t▏")
	if b.kit.Desk.Written() != was || b.s.q.id != "q0001" {
		t.Error("text acted")
	}
	if !b.s.InText() {
		t.Error("the box has no focus")
	}
	b.Press("esc")
	if b.s.InText() {
		t.Error("esc does not leave the box")
	}
}

// Public report: lookit#129. What the box asks for and what the list shows may differ; such a list is not graded.
func TestLaggingListIsNotGraded(t *testing.T) {
	b := sample(t)
	b.Press("/")
	b.Hold()
	b.Type("refund")
	b.Press("enter", "2")
	b.Release()
	b.says("not yet: the list is older than the search")
	if b.kit.Desk.Written() != 0 {
		t.Error("graded")
	}
	b.Press("2")
	b.graded("q0001", "docs/faq.md#1", 2)
}

// A late answer of an older search, or of another query's, changes nothing.
func TestLateResultsAreDropped(t *testing.T) {
	b := sample(t)
	old := foundMsg{gen: b.s.find.gen, result: corpus.SearchResult{Hits: []corpus.SearchHit{{ChunkID: "late"}}, Total: 1}}
	b.search("refund")
	b.Send(old)
	b.SeesNot("late")
	old.gen = b.s.find.gen
	b.Press("esc", "n")
	b.Send(old)
	b.SeesNot("late")
	b.Send(sheetMsg{gen: b.s.q.gen - 1, sheet: port.Sheet{Query: corpus.Query{ID: "q0001", Text: "old query"}}})
	b.SeesNot("old query")
	b.Send(documentMsg{gen: b.s.doc.gen, chunks: []corpus.Chunk{{ID: "late"}}})
	b.SeesNot("late")
}

func TestNewSearchCancelsTheOldOne(t *testing.T) {
	b := sample(t)
	var seen []context.Context
	b.kit.Finder.SetHook(func(ctx context.Context, method string) error {
		if method == "Search" {
			seen = append(seen, ctx)
		}
		return nil
	})
	b.Press("/")
	b.Hold()
	b.Type("ab")
	b.Release()
	if len(seen) != 2 || seen[0].Err() == nil {
		t.Errorf("%d searches, the first one ended: %v", len(seen), seen[0].Err())
	}
	b.Sees("/ ab▏")
}

func TestQueryModeExplainsMistakes(t *testing.T) {
	b := sample(t)
	b.search("refund")
	b.Press("ctrl+t")
	b.Sees("query/ refund▏")
	b.kit.Finder.SetHook(func(_ context.Context, method string) error {
		if method == "Search" {
			return errors.New("a quote is not closed (byte 8)")
		}
		return nil
	})
	b.Type(` "x`)
	b.Sees("a quote is not closed", "docs/faq.md#1")
	b.says("a quote is not closed (byte 8)")
	b.Press("enter")
	if b.s.focus != inBox {
		t.Error("enter leaves a search that failed")
	}
	b.Press("esc")
	b.Sees("query/ refund", "docs/faq.md#1")
	b.SeesNot("a quote")
	b.Press("2")
	b.graded("q0001", "docs/faq.md#1", 2)
	b.kit.Finder.SetHook(nil)
	b.Press("ctrl+t")
	b.Sees(" / refund▏")
}

// is:unjudged and is:relevant look at the annotator's own grades; a plain search needs none.
func TestQueryModeKnowsTheGrades(t *testing.T) {
	b := sample(t)
	var asked []corpus.SearchRequest
	b.s.finder = seeing{b.kit.Finder, func(r corpus.SearchRequest) { asked = append(asked, r) }}
	b.Press("2")
	b.search("key")
	b.Press("ctrl+t")
	if n := len(asked); n != 4 || asked[n-2].Grades != nil || asked[n-1].Grades["docs/keys.md#1"] != 2 || asked[n-1].RelevantFrom != 1 {
		t.Errorf("asked %+v", asked)
	}
	if !asked[0].Prefix {
		t.Error("the last word typed is not taken as a prefix")
	}
	b.Press("esc", "n")
	if last := asked[len(asked)-1]; last.Prefix || last.Mode != corpus.Plain {
		t.Errorf("a query's own text is searched as %+v", last)
	}
}

type seeing struct {
	port.Finder
	see func(corpus.SearchRequest)
}

func (s seeing) Search(ctx context.Context, r corpus.SearchRequest) (corpus.SearchResult, error) {
	s.see(r)
	return s.Finder.Search(ctx, r)
}

// A blank box finds nothing and asks nobody.
func TestBlankBoxClearsTheList(t *testing.T) {
	b := sample(t)
	was := b.kit.Finder.Calls("Search")
	b.Press("/", "backspace", " ", " ")
	b.Sees("type to search")
	if b.kit.Finder.Calls("Search") != was || len(b.s.tabs[searchTab].rows) != 0 {
		t.Error("a blank search was made")
	}
}

func TestSearchesCountOnceTheyAreRead(t *testing.T) {
	searches := func(b *bench) string {
		var texts []string
		for _, s := range b.sheet("q0001").Searches {
			texts = append(texts, s.Text)
		}
		return strings.Join(texts, "|")
	}
	b := sample(t)
	if got := searches(b); got != "" {
		t.Fatalf("counted before it was read: %q", got)
	}
	b.search("refund") // r, re, ref … do not count
	b.Advance(999 * time.Millisecond)
	if got := searches(b); got != "" {
		t.Errorf("counted too early: %q", got)
	}
	b.Advance(time.Millisecond)
	if got := searches(b); got != "refund" {
		t.Errorf("dwelling: %q", got)
	}
	b.Press("esc")
	b.search("token")
	b.Press("enter")
	if got := searches(b); got != "refund|token" {
		t.Errorf("going into the results: %q", got)
	}
	b.search("lifetime")
	b.Press("esc", "enter")
	if got := searches(b); got != "refund|token|lifetime" {
		t.Errorf("opening one: %q", got)
	}
	b.Press("esc")
	b.search("family")
	b.Press("esc", "2")
	if got := searches(b); got != "refund|token|lifetime|family" {
		t.Errorf("grading one: %q", got)
	}
	b.search("zebra")
	b.Press("enter")
	if got := b.sheet("q0001").Searches; len(got) != 5 || got[4].Results != 0 || got[4].Deepest != 0 {
		t.Errorf("a search without results: %+v", got)
	}
	if n := len(tried(b.s.q.sheet.Searches)); n != 5 {
		t.Errorf("the screen knows %d", n)
	}
}

func TestDeepestRowOnScreenIsKept(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range 90 {
		chunks = append(chunks, corpus.Chunk{ID: strings.Repeat("x", 3) + string(rune('0'+i/10)) + string(rune('0'+i%10)), Text: "key"})
	}
	clock := drive.NewClock()
	b := begin(t, clock, fake.NewKit(fake.Sample(fake.Plain, nil).Desk.Workspace(), clock.Now, []corpus.Query{{ID: "q1", Text: "key"}, {ID: "q2", Text: "x"}}, chunks), setup{w: 80, h: 23})
	rows := b.s.layout().rows.H
	b.Press("j")
	if got := b.sheet("q1").Searches; len(got) != 1 || got[0].Deepest != rows || got[0].Results != 90 {
		t.Fatalf("%d rows on screen, tried %+v", rows, got)
	}
	for range 40 {
		b.Press("j")
	}
	b.Press("g", "n")
	if got := b.sheet("q1").Searches; len(got) != 1 || got[0].Deepest != 42 {
		t.Errorf("read to row 42, tried %+v", got)
	}
}

func TestRerun(t *testing.T) {
	b := sample(t)
	was := b.kit.Finder.Calls("Search")
	b.Press("r")
	if b.kit.Finder.Calls("Search") != was+1 {
		t.Error("r does not search again")
	}
	b.Press("v")
	b.Sees("#1 6.00")
	b.Press("v")
	b.SeesNot("#1 6.00")
}

// B062 (public report: charmbracelet/bubbletea#404): a bracketed paste goes into fields only, as one line and of
// bounded length; on the list it grades nothing and leaves nothing.
func TestPasteNeverActs(t *testing.T) {
	bracketed := strings.TrimSuffix(strings.TrimPrefix(string(bugs(t, "B062", "paste_bracketed.bin")), "\x1b[200~"), "\x1b[201~")
	big := strings.Repeat("refund policy text ", 60_000)
	for _, text := range []string{bracketed, big, "2", "u", "f"} {
		b := sample(t)
		b.Paste(text)
		b.says("pasted text is not taken for keys")
		b.Press("enter")
		b.Paste(text)
		b.Press("esc", "t")
		b.Paste(text)
		if b.kit.Desk.Written() != 0 {
			t.Fatalf("%.20q wrote", text)
		}
	}
	b := sample(t)
	b.Press("/")
	b.Paste(bracketed)
	b.Sees("/ 1 2 3 q▏")
	b.Press("esc")
	b.search("")
	b.Paste(big)
	b.says("only the first 4096 bytes were taken")
	b.CheckFrame(120, 35)
	if n := len(b.s.find.box.Text()); n > 4096 {
		t.Errorf("%d bytes in the box", n)
	}
	if b.kit.Desk.Written() != 0 {
		t.Error("a paste wrote")
	}
}

// A search that never comes back leaves the screen alive.
func TestSlowSearchBlocksNothing(t *testing.T) {
	b := sample(t)
	b.Press("/")
	b.Hold()
	b.Type("x")
	b.Press("esc", "j", "tab", "tab", "n", "/", "backspace", "esc", "p")
	b.CheckFrame(120, 35)
	b.Release()
	b.Sees("q0001", "docs/keys.md#1")
}

// A search that was written twice, because more of it was read, is one search.
func TestTriedSearchesAreListedOnce(t *testing.T) {
	got := tried([]corpus.SearchTried{
		{Text: "a", Mode: corpus.Plain, Deepest: 9, Results: 20}, {Text: "b", Mode: corpus.Plain, Deepest: 1},
		{Text: "a", Mode: corpus.Syntax, Deepest: 3}, {Text: "a", Mode: corpus.Plain, Deepest: 4, Results: 21}, {Text: "a", Mode: corpus.Plain, CorpusID: "c2"},
	})
	if len(got) != 4 || got[0].Deepest != 9 || got[0].Results != 21 || got[2].Mode != corpus.Syntax || got[3].CorpusID != "c2" {
		t.Errorf("%+v", got)
	}
}
