package cell

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

func typed(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func pasted(s string) tea.KeyMsg {
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true}
}

func press(t tea.KeyType) tea.KeyMsg { return tea.KeyMsg{Type: t} }

func TestFieldEdits(t *testing.T) {
	left, right, back, del := press(tea.KeyLeft), press(tea.KeyRight), press(tea.KeyBackspace), press(tea.KeyDelete)
	home, end, word, enter := press(tea.KeyHome), press(tea.KeyEnd), press(tea.KeyCtrlW), press(tea.KeyEnter)
	up, down := press(tea.KeyUp), press(tea.KeyDown)
	for _, c := range []struct {
		name  string
		lines bool
		keys  []tea.KeyMsg
		want  string // with the caret
	}{
		{"typing", false, []tea.KeyMsg{typed("a"), press(tea.KeySpace), typed("bc")}, "a bc▏"},
		{"space as bubbletea sends it", false, []tea.KeyMsg{{Type: tea.KeySpace, Runes: []rune{' '}}, typed("x")}, " x▏"},
		{"inserting", false, []tea.KeyMsg{typed("ac"), left, typed("b"), right, typed("d")}, "abcd▏"},
		{"deleting", false, []tea.KeyMsg{typed("abc"), back, home, del, back}, "▏b"},
		{"past the ends", false, []tea.KeyMsg{left, right, del, back, typed("a"), right, left, left, left}, "▏a"},
		{"words", false, []tea.KeyMsg{typed("one two  "), word, typed("x"), press(tea.KeyCtrlLeft), press(tea.KeyCtrlLeft)}, "▏one x"},
		{"a word back from its middle", false, []tea.KeyMsg{typed("one two"), left, word}, "one ▏o"},
		{"word right", false, []tea.KeyMsg{typed("one two"), home, press(tea.KeyCtrlRight), press(tea.KeyCtrlRight), left}, "one tw▏o"},
		{"to the ends", false, []tea.KeyMsg{typed("one two"), left, left, press(tea.KeyCtrlK), press(tea.KeyCtrlU)}, "▏"},
		{"a family is one", false, []tea.KeyMsg{typed("a👩‍👩‍👧‍👦"), back}, "a▏"},
		{"left over a flag", false, []tea.KeyMsg{typed("🇺🇳🇫🇷"), left, typed("x")}, "🇺🇳x▏🇫🇷"},
		{"a syllable is one", false, []tea.KeyMsg{typed("क्षि"), left}, "▏क्षि"},
		{"a mark joins what stands there", false, []tea.KeyMsg{typed("e"), typed("\u0301"), back}, "▏"},
		{"enter is not taken", false, []tea.KeyMsg{typed("a"), enter, up, down, press(tea.KeyEsc), press(tea.KeyTab)}, "a▏"},
		{"lines", true, []tea.KeyMsg{typed("ab"), enter, typed("cd"), up, typed("x"), down, end, typed("y")}, "abx\ncdy▏"},
		{"up keeps the column", true, []tea.KeyMsg{typed("界界"), enter, typed("abc"), left, up, typed("x")}, "界x▏界\nabc"},
		{"up and down at the ends", true, []tea.KeyMsg{typed("ab"), up, typed("x"), down, typed("y")}, "xaby▏"},
		{"line ends", true, []tea.KeyMsg{typed("ab"), enter, typed("cd"), home, typed("x"), press(tea.KeyCtrlU)}, "ab\n▏cd"},
		{"alt is no letter", false, []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("z"), Alt: true}}, "▏"},
	} {
		f := Field{Lines: c.lines}
		for _, k := range c.keys {
			f.Key(k)
		}
		if got := f.text[:f.cursor] + "▏" + f.text[f.cursor:]; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// B062 (public report: charmbracelet/bubbletea#404): a paste is text, its line ends are spaces, its length has a limit,
// and a megabyte costs no more than the limit.
func TestFieldTakesPastes(t *testing.T) {
	var f Field
	if e := f.Key(pasted("one\r\ntwo\x1b[31m\rthree\tq")); !e.Changed || e.Clipped || f.Text() != "one two[31m three q" {
		t.Errorf("%+v, text %q", e, f.Text())
	}
	f.Set("")
	e := f.Key(pasted(strings.Repeat("refund policy text ", 60000)))
	if !e.Clipped || len(f.Text()) != FieldLimit {
		t.Errorf("%+v, %d bytes", e, len(f.Text()))
	}
	if e := f.Key(typed("x")); !e.Clipped || e.Changed {
		t.Errorf("a full field: %+v", e)
	}
	f.Set(strings.Repeat("界", FieldLimit))
	if len(f.Text()) > FieldLimit || !utf8.ValidString(f.Text()) {
		t.Errorf("%d bytes", len(f.Text()))
	}
	many := Field{Lines: true}
	if many.Key(pasted("a\r\nb")); many.Text() != "a\nb" {
		t.Errorf("lines: %q", many.Text())
	}
}

func TestFieldReplacesWhatIsSelected(t *testing.T) {
	for _, c := range []struct {
		key  tea.KeyMsg
		want string
	}{{typed("new"), "new"}, {press(tea.KeyBackspace), ""}, {pasted("p"), "p"}, {press(tea.KeyEnd), "old"}, {press(tea.KeyDelete), ""}} {
		var f Field
		f.Set("old")
		f.SelectAll()
		if !f.Selected() {
			t.Fatal("not selected")
		}
		f.Key(c.key)
		if f.Text() != c.want || f.Selected() {
			t.Errorf("%v gives %q, selected %v", c.key, f.Text(), f.Selected())
		}
	}
	var f Field
	if f.SelectAll(); f.Selected() {
		t.Error("nothing is selected")
	}
}

func TestFieldShowsItsCursor(t *testing.T) {
	var f Field
	f.Set("rotate the signing key")
	for _, c := range []struct {
		w     int
		focus bool
		want  string
	}{{40, true, "rotate the signing key▏"}, {40, false, "rotate the signing key"}, {10, true, "…ning key▏"}, {10, false, "rotate th…"}, {1, true, "▏"}, {0, true, ""}} {
		if got := f.View(c.w, c.focus, Style{}, Style{}); got != c.want {
			t.Errorf("w %d focus %v: %q, want %q", c.w, c.focus, got, c.want)
		}
	}
	f.SelectAll()
	if got := f.View(40, true, Style{}, Style{}); got != "[rotate the signing key]▏" {
		t.Errorf("selected: %q", got)
	}
	b := Field{Lines: true}
	b.Set("one\ntwo\nthree four")
	if got := strings.Join(b.Block(8, 2, true, Style{}), "|"); got != "three|four▏" {
		t.Errorf("block: %q", got)
	}
	if got := strings.Join(b.Block(20, 4, false, Style{}), "|"); got != "one|two|three four|" {
		t.Errorf("block without focus: %q", got)
	}
}

// Any keys leave a valid text with the cursor within it, drawn within its cells.
func TestFieldHoldsAnything(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, lines := range []bool{false, true} {
		f := Field{Lines: lines}
		for range 4000 {
			switch r.Intn(4) {
			case 0:
				f.Key(typed(randomText(r)))
			case 1:
				f.Key(pasted(randomText(r)))
			case 2:
				f.Key(press(tea.KeyType(r.Intn(32))))
			case 3:
				f.Key(press(-tea.KeyType(r.Intn(60))))
			}
			if r.Intn(30) == 0 {
				f.Set(randomText(r))
				f.SelectAll()
			}
			if !utf8.ValidString(f.text) || f.cursor < 0 || f.cursor > len(f.text) || len(f.text) > FieldLimit || !utf8.ValidString(f.text[:f.cursor]) {
				t.Fatalf("text %q, cursor %d", f.text, f.cursor)
			}
			w := r.Intn(30)
			fits(t, "View", f.View(w, true, Style{}, Style{}), w, f.text)
			if lines {
				for _, line := range f.Block(w, 3, true, Style{}) {
					fits(t, "Block", line, w, f.text)
				}
			}
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	theme, _ := NewTheme("dark", nil)
	for b.Loop() {
		var lines []string
		for range 50 {
			left := Line(60, Plain("› "), theme.Relevant.Of("[2] "), theme.Dim.Of("docs/keys.md#4  "), Plain("Rotating keys 全角テキスト 👩‍👩‍👧‍👦"))
			lines = append(lines, Beside(left, 62, Line(90, Plain("To rotate the "), theme.Match.Of("signing key"), Plain(" without downtime, publish the new key first and keep both"))))
		}
		_ = Frame(lines, 160, 50)
	}
}

func BenchmarkWrap(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat("To rotate the signing key without downtime, publish it first. ", 1700)},
		{"cjk", strings.Repeat("全角テキストの返金ポリシーについての長い文章です。", 1400)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Wrap(c.text, 80, Lit{})
			}
		})
	}
}

// The big paste of B062 is 1.1 MB of a repeated sentence; the file itself need not be kept here.
func BenchmarkPaste(b *testing.B) {
	msg := pasted(strings.Repeat("refund policy text ", 60000))
	for b.Loop() {
		var f Field
		f.Key(msg)
	}
}
