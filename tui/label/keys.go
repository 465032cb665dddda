package label

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/screen"
)

// Keys implements screen.Screen. h and l are in none of them: vim fingers must not write data.
func (s *Screen) Keys() []screen.Binding {
	switch {
	case s.editor.open:
		return editorKeys
	case s.tags.Open():
		return s.tags.Keys()
	case s.focus == inBox:
		return boxKeys
	case s.focus == inDocument:
		return slices.Concat(s.gradeKeys(), chunkKeys, documentKeys, sharedKeys)
	}
	return slices.Concat(s.gradeKeys(), chunkKeys, listKeys, queryKeys, sharedKeys)
}

func (s *Screen) gradeKeys() []screen.Binding {
	var keys []screen.Binding
	if !s.loaded {
		return nil
	}
	for g := s.ws.Scale.Min; g <= s.ws.Scale.Max; g++ {
		short := s.ws.Scale.Name(g)
		if short == g.String() {
			short = "grade"
		}
		keys = append(keys, screen.Binding{
			Action: "grade-" + g.String(), Keys: []string{g.String()}, Help: gradeWords(s.ws.Scale, g), Group: "Grade", Short: short,
		})
	}
	return keys
}

var chunkKeys = []screen.Binding{
	{Action: "undo", Keys: []string{"u"}, Help: "take back the last change", Group: "Grade", Short: "undo"},
	{Action: "redo", Keys: []string{"ctrl+r"}, Help: "do it again", Group: "Grade"},
	{Action: "clear", Keys: []string{"x"}, Help: "clear the grade", Group: "Grade"},
	{Action: "cannot-judge", Keys: []string{"c"}, Help: "can't judge this chunk", Group: "Grade"},
	{Action: "hard-negative", Keys: []string{"!"}, Help: "hard negative, or not", Group: "Grade"},
	{Action: "note", Keys: []string{"m"}, Help: "note on this chunk's grade", Group: "Grade", Text: true},
}

var listKeys = []screen.Binding{
	{Action: "tags", Keys: []string{"t"}, Help: "tag the query", Group: "Query", Short: "tags"},
	{Action: "next-query", Keys: []string{"n"}, Help: "next query", Group: "Query", Short: "next"},
	{Action: "previous-query", Keys: []string{"p"}, Help: "previous query", Group: "Query"},
	{Action: "finish", Keys: []string{"f"}, Help: "finish the query, go on", Group: "Query", Short: "finish"},
	{Action: "search", Keys: []string{"/"}, Help: "search", Group: "Search", Short: "search", Text: true},
	{Action: "query-mode", Keys: []string{"ctrl+t"}, Help: "plain or query search", Group: "Search", Text: true},
	{Action: "next-list", Keys: []string{"tab"}, Help: "next list", Group: "Search"},
	{Action: "previous-list", Keys: []string{"shift+tab"}, Help: "previous list", Group: "Search"},
	{Action: "again", Keys: []string{"r"}, Help: "retry saving, else search again", Group: "Search"},
	{Action: "reveal", Keys: []string{"v"}, Help: "show rank and score", Group: "Search"},
	{Action: "down", Keys: []string{"j", "down"}, Help: "down", Group: "Move"},
	{Action: "up", Keys: []string{"k", "up"}, Help: "up", Group: "Move"},
	{Action: "first", Keys: []string{"g", "home"}, Help: "first row", Group: "Move"},
	{Action: "last", Keys: []string{"G", "end"}, Help: "last row", Group: "Move"},
	{Action: "page-down", Keys: []string{"pgdown"}, Help: "a page down", Group: "Move"},
	{Action: "page-up", Keys: []string{"pgup"}, Help: "a page up", Group: "Move"},
	{Action: "scroll-down", Keys: []string{" "}, Help: "scroll the chunk down", Group: "Move"},
	{Action: "scroll-up", Keys: []string{"b"}, Help: "scroll the chunk up", Group: "Move"},
	{Action: "open", Keys: []string{"enter"}, Help: "the chunk in its document", Group: "Move"},
	{Action: "back", Keys: []string{"esc"}, Help: "back to the list", Group: "Move"},
}

var queryKeys = []screen.Binding{
	{Action: "skip", Keys: []string{"s"}, Help: "skip the query", Group: "Query"},
	{Action: "later", Keys: []string{"w"}, Help: "leave it for later", Group: "Query"},
	{Action: "reopen", Help: "open the query again", Group: "Query"},
	{Action: "answer", Keys: []string{"a"}, Help: "reference answer", Group: "Query", Text: true},
	{Action: "query-note", Keys: []string{"M"}, Help: "note on the query", Group: "Query", Text: true},
}

var documentKeys = []screen.Binding{
	{Action: "down", Keys: []string{"j", "down"}, Help: "next chunk", Group: "Move"},
	{Action: "up", Keys: []string{"k", "up"}, Help: "previous chunk", Group: "Move"},
	{Action: "first", Keys: []string{"g", "home"}, Help: "first chunk", Group: "Move"},
	{Action: "last", Keys: []string{"G", "end"}, Help: "last chunk", Group: "Move"},
	{Action: "scroll-down", Keys: []string{" ", "pgdown"}, Help: "scroll down", Group: "Move", Short: "scroll"},
	{Action: "scroll-up", Keys: []string{"b", "pgup"}, Help: "scroll up", Group: "Move"},
	{Action: "again", Keys: []string{"r"}, Help: "retry saving", Group: "Grade"},
	{Action: "back", Keys: []string{"esc"}, Help: "back to the list", Group: "Move", Short: "back"},
}

var sharedKeys = []screen.Binding{
	{Action: "whole-query", Keys: []string{"o"}, Help: "read the whole query", Group: "Query"},
	{Action: "guidelines", Keys: []string{"i"}, Help: "guidelines", Group: "Query"},
}

var boxKeys = []screen.Binding{
	{Action: "results", Keys: []string{"enter", "down", "tab"}, Help: "go to the results", Group: "Search", Short: "results"},
	{Action: "query-mode", Keys: []string{"ctrl+t"}, Help: "plain or query search", Group: "Search", Short: "mode"},
	{Action: "back", Keys: []string{"esc"}, Help: "back to the list", Group: "Search", Short: "back"},
}

var editorKeys = []screen.Binding{
	{Action: "save", Keys: []string{"ctrl+s"}, Help: "save the text", Group: "Edit", Short: "save"},
	{Action: "back", Keys: []string{"esc"}, Help: "close, keep a draft", Group: "Edit", Short: "draft"},
}

// key gives a key to what has focus. A paste is text: it never acts.
func (s *Screen) key(m tea.KeyMsg) tea.Cmd {
	s.pace.key(s.now())
	if !s.loaded {
		if m.String() == "r" && s.broken != "" {
			return s.Init()
		}
		return nil
	}
	if m.Paste && !s.InText() {
		s.warn("pasted text is not taken for keys: / searches for it")
		return nil
	}
	if !m.Paste {
		name := m.String()
		for _, b := range s.Keys() {
			if slices.Contains(b.Keys, name) {
				return s.act(b.Action)
			}
		}
	}
	switch {
	case s.editor.open:
		return s.editorKey(m)
	case s.tags.Open():
		s.tagKey(m)
	case s.focus == inBox:
		return s.boxKey(m)
	}
	return nil
}

// act runs an action by its name, from a key or from the palette.
func (s *Screen) act(action string) tea.Cmd {
	if !s.loaded || !slices.ContainsFunc(s.Keys(), func(b screen.Binding) bool { return b.Action == action }) {
		return nil
	}
	switch {
	case s.editor.open:
		if action == "save" {
			s.saveEditor()
		} else {
			s.closeEditor()
		}
		return nil
	case s.tags.Open():
		s.tagAction(action)
		return nil
	}
	if digits, ok := strings.CutPrefix(action, "grade-"); ok {
		g, err := strconv.Atoi(digits)
		if err != nil {
			return nil
		}
		return s.grade(corpus.Grade(g))
	}
	if cmd, done := s.moveAction(action); done {
		return cmd
	}
	return s.otherAction(action)
}

// moveAction handles what moves cursor, scroll or focus.
func (s *Screen) moveAction(action string) (cmd tea.Cmd, done bool) {
	doc := s.focus == inDocument
	at, last, page := s.tabs[s.tab].cursor, len(s.tabs[s.tab].rows)-1, max(1, s.layout().rows.H-1)
	scroll := max(1, s.layout().text.H-1)
	if doc {
		at, last = s.doc.cursor, len(s.doc.chunks)-1
	}
	to := func(i int) tea.Cmd {
		if doc {
			s.moveInDocument(i)
			return nil
		}
		return s.move(i)
	}
	switch action {
	case "down":
		return to(at + 1), true
	case "up":
		return to(at - 1), true
	case "first":
		return to(0), true
	case "last":
		return to(last), true
	case "page-down":
		return to(at + page), true
	case "page-up":
		return to(at - page), true
	case "scroll-down", "scroll-up":
		if action == "scroll-up" {
			scroll = -scroll
		}
		if doc {
			s.scrollDocument(scroll)
		} else {
			s.view.top += scroll
		}
		return nil, true
	case "back":
		switch s.focus {
		case inBox:
			s.leaveBox()
		case inDocument:
			s.closeDocument()
		}
		return nil, true
	case "next-list":
		s.switchTab(1)
		return nil, true
	case "previous-list":
		s.switchTab(-1)
		return nil, true
	case "search":
		s.focus = inBox
		if s.tab == sentTab {
			s.tab = searchTab
		}
		s.find.box.SelectAll()
		return nil, true
	case "results":
		s.enterResults()
		return nil, true
	case "open":
		return s.openAtCursor(), true
	}
	return nil, false
}

func (s *Screen) openAtCursor() tea.Cmd {
	r, found, why := s.target()
	if why != "" {
		s.warn("%s", why)
		return nil
	}
	s.countFor(found)
	return s.openDocument(r, found)
}

func (s *Screen) otherAction(action string) tea.Cmd {
	switch action {
	case "undo":
		s.undo()
	case "redo":
		s.redo()
	case "clear":
		s.clear()
	case "cannot-judge":
		return s.grade(corpus.CannotJudge)
	case "hard-negative":
		return s.toggleHardNegative()
	case "note":
		s.editNote()
	case "query-note":
		s.editQueryNote()
	case "answer":
		s.editAnswer()
	case "tags":
		s.openTags()
	case "next-query":
		return s.step(1)
	case "previous-query":
		return s.step(-1)
	case "finish":
		return s.setState(corpus.Done)
	case "skip":
		return s.setState(corpus.Skipped)
	case "later":
		return s.setState(corpus.Later)
	case "reopen":
		return s.setState(corpus.Open)
	case "query-mode":
		return s.toggleMode()
	case "again":
		return s.again()
	case "reveal":
		s.revealed = !s.revealed
	case "whole-query":
		if s.q.id != "" {
			return screen.Ask(screen.ShowText{Title: "Query " + s.q.id, Text: s.whole()})
		}
	case "guidelines":
		if s.ws.Guidelines == "" {
			s.say("no guidelines yet: write them into guidelines.md")
			return nil
		}
		return screen.Ask(screen.ShowText{Title: "Guidelines", Text: s.ws.Guidelines})
	}
	return nil
}

// again retries what failed, first of all a write; where nothing did, it renews the list.
func (s *Screen) again() tea.Cmd {
	switch {
	case s.box.Failed() != "":
		s.box.Retry()
		return nil
	case s.q.id != "" && !s.q.loaded:
		return s.reloadSheet()
	case s.focus == inDocument:
		return nil
	}
	s.texts.cache.ForgetErrors()
	return s.rerun()
}
