package check

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus/retrieval"
	"assay/tui/screen"
)

var moveKeys = []screen.Binding{
	{Action: "down", Keys: []string{"j", "down"}, Help: "next row", Group: "Move"},
	{Action: "up", Keys: []string{"k", "up"}, Help: "previous row", Group: "Move"},
	{Action: "page-down", Keys: []string{"pgdown", " "}, Help: "a page down", Group: "Move"},
	{Action: "page-up", Keys: []string{"pgup", "b"}, Help: "a page up", Group: "Move"},
	{Action: "top", Keys: []string{"g", "home"}, Help: "first row", Group: "Move"},
	{Action: "bottom", Keys: []string{"G", "end"}, Help: "last row", Group: "Move"},
}

var sectionKeys = append([]screen.Binding{
	{Action: "ranking", Keys: []string{"enter"}, Help: "show the query's ranking", Group: "Check", Short: "ranking"},
	{Action: "next-section", Keys: []string{"tab"}, Help: "queries, recall, slices, notes", Group: "Check", Short: "sections"},
	{Action: "previous-section", Keys: []string{"shift+tab"}, Help: "the section before", Group: "Check"},
	{Action: "measure", Keys: []string{"o"}, Help: "sort by the next measure", Group: "Check", Short: "measure"},
	{Action: "runs", Keys: []string{"c"}, Help: "choose runs", Group: "Check", Short: "runs"},
	{Action: "notes", Keys: []string{"w"}, Help: "warnings, diagnosis and other notes", Group: "Check"},
	{Action: "excluded", Keys: []string{"x"}, Help: "list what is left out", Group: "Check"},
	{Action: "reload", Keys: []string{"r"}, Help: "measure again", Group: "Check"},
}, moveKeys...)

var rankingKeys = append([]screen.Binding{
	{Action: "label", Keys: []string{"enter"}, Help: "label this chunk", Group: "Ranking", Short: "label"},
	{Action: "send", Keys: []string{"s"}, Help: "label the unjudged ones", Group: "Ranking", Short: "label-unjudged"},
	{Action: "next-unjudged", Keys: []string{"n"}, Help: "next unjudged chunk", Group: "Ranking", Short: "unjudged"},
	{Action: "next-run", Keys: []string{"tab"}, Help: "the next run's ranking", Group: "Ranking"},
	{Action: "close", Keys: []string{"esc", "q"}, Help: "back to the measures", Group: "Ranking", Short: "back"},
	{Action: "reload", Keys: []string{"r"}, Help: "rank and measure again", Group: "Ranking"},
}, moveKeys...)

var choosingKeys = []screen.Binding{
	{Action: "choose", Keys: []string{" "}, Help: "show the run, or not", Group: "Runs", Short: "choose"},
	{Action: "only", Keys: []string{"o"}, Help: "show this run only", Group: "Runs", Short: "only-this"},
	{Action: "close", Keys: []string{"enter", "esc", "q"}, Help: "done", Group: "Runs", Short: "done"},
	moveKeys[0], moveKeys[1],
	{Action: "page-down", Keys: []string{"pgdown"}, Help: "a page down", Group: "Move"},
	{Action: "page-up", Keys: []string{"pgup"}, Help: "a page up", Group: "Move"},
	moveKeys[4], moveKeys[5],
}

// Keys implements screen.Screen.
func (s *Screen) Keys() []screen.Binding {
	switch {
	case s.choosing != nil:
		return choosingKeys
	case s.ranking != nil:
		return rankingKeys
	}
	return sectionKeys
}

func (s *Screen) run(action string) tea.Cmd {
	switch action {
	case "down":
		s.move(1)
	case "up":
		s.move(-1)
	case "page-down":
		s.move(s.page())
	case "page-up":
		s.move(-s.page())
	case "top":
		s.move(-1 << 30)
	case "bottom":
		s.move(1 << 30)
	case "reload":
		return s.again()
	case "close":
		if s.choosing != nil {
			s.choosing = nil
			return nil
		}
		s.ranking = nil
		s.gen++ // one still on its way is not wanted any more
	default:
		switch {
		case s.choosing != nil:
			return s.runChoosing(action)
		case s.ranking != nil:
			return s.runRanking(action)
		}
		return s.runSections(action)
	}
	return nil
}

func (s *Screen) runSections(action string) tea.Cmd {
	switch action {
	case "measure":
		if n := len(s.base().report.Measures); n > 0 {
			s.measure = (s.measure + 1) % n
			s.remake()
			return s.sort(true)
		}
	case "next-section":
		s.turn(1)
	case "previous-section":
		s.turn(-1)
	case "notes":
		s.section = notesSection
	case "runs":
		s.choosing = &chooser{}
	case "excluded":
		return s.showLeftOut()
	case "ranking":
		at := s.places[queriesSection].cursor
		if s.sectionShown() != queriesSection {
			s.section = queriesSection // there is the cursor that a ranking is opened at
			return nil
		}
		if at < len(s.order.rows) {
			return s.rank(s.order.rows[at].id, s.base().run)
		}
	}
	return nil
}

// turn goes to the section beside the one shown.
func (s *Screen) turn(by int) {
	s.section = (s.sectionShown() + section(by) + sectionCount) % sectionCount
	if s.section == measuresSection && s.layout().wide {
		s.section = (s.section + section(by) + sectionCount) % sectionCount
	}
}

// sectionShown is the one on the screen: a wide one shows the measures always, and never as a section.
func (s *Screen) sectionShown() section {
	if s.section == measuresSection && s.layout().wide {
		return queriesSection
	}
	return s.section
}

func (s *Screen) page() int {
	switch {
	case s.choosing != nil:
		return max(1, s.choosingRows()-1)
	case s.ranking != nil:
		return max(1, s.rankingRows()-1)
	}
	return max(1, s.layout().body.H-1)
}

func (s *Screen) move(by int) {
	switch {
	case s.choosing != nil:
		s.choosing.cursor += by
	case s.ranking != nil:
		s.ranking.cursor += by
	default:
		s.places[s.sectionShown()].cursor += by
	}
}

// showLeftOut lists the queries outside the base's means, and those that its retriever failed on.
func (s *Screen) showLeftOut() tea.Cmd {
	report := s.base().report
	var b strings.Builder
	for _, e := range report.Excluded {
		b.WriteString(e.QueryID + "  " + reason(e.Why) + "  " + s.texts[e.QueryID] + "\n")
	}
	for _, f := range report.Failed {
		b.WriteString(f.QueryID + "  failed, counts as 0: " + f.Error + "  " + s.texts[f.QueryID] + "\n")
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if text == "" {
		text = "every query counts"
	}
	return screen.Ask(screen.ShowText{Title: "left out of the means", Text: text})
}

// reason is why a query is left out, in words.
func reason(w retrieval.Why) string {
	switch w {
	case retrieval.WhyUnanswerable:
		return "unanswerable"
	case retrieval.WhyUnfinished:
		return "unfinished"
	case retrieval.WhyNoRelevant:
		return "no relevant chunk"
	}
	return string(w)
}
