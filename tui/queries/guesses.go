package queries

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus/text"
	"assay/tui/port"
)

// settleHere accepts or rejects what is proposed for the query at the cursor.
func (s *Screen) settleHere(accept bool) tea.Cmd {
	it, ok := s.current()
	switch {
	case !ok:
		return nil
	case s.lags():
		return say("still filtering: press it again", true)
	case len(it.row.Query.Proposed) == 0:
		return say("nothing is proposed for this query", false)
	}
	return s.settleAll(accept, guessesOf([]item{it}, ""))
}

// guessesOf are the proposals of the rows, or those of one tag.
func guessesOf(items []item, tag string) []port.Guess {
	var guesses []port.Guess
	for _, it := range items {
		for _, t := range it.row.Query.Proposed {
			if tag == "" || t == tag {
				guesses = append(guesses, port.Guess{QueryID: it.row.Query.ID, Tag: t})
			}
		}
	}
	return guesses
}

func (s *Screen) settleAll(accept bool, guesses []port.Guess) tea.Cmd {
	desk := s.o.Desk
	return s.write(write{do: func(ctx context.Context) (port.Saved, error) { return desk.Settle(ctx, accept, guesses) }})
}

// bulk asks which proposals of the queries shown to accept or reject. Those are the ones counted in the menu, whatever
// is loaded meanwhile.
func (s *Screen) bulk(accept bool) tea.Cmd {
	if s.lags() {
		return say("still filtering: press it again", true)
	}
	shown := make([]item, 0, len(s.list.view))
	counts := map[string]int{}
	for _, n := range s.list.view {
		it := s.list.items[n]
		shown = append(shown, it)
		for _, t := range it.row.Query.Proposed {
			counts[t]++
		}
	}
	if len(counts) == 0 {
		return say("nothing is proposed for the queries shown", false)
	}
	tags := make([]string, 0, len(counts))
	for t := range counts {
		tags = append(tags, t)
	}
	slices.SortFunc(tags, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	verb := "reject"
	if accept {
		verb = "accept"
	}
	m := &menu{heading: fmt.Sprintf("%s on the %s shown", verb, text.Count(len(shown), "query", "queries")), help: verb + " these"}
	total := 0
	for _, t := range tags {
		total += counts[t]
	}
	choices := tags
	if len(tags) > 1 {
		choices = append(choices, "")
	}
	for _, t := range choices {
		if t == "" {
			m.rows = append(m.rows, fmt.Sprintf("all of them (%d)", total))
		} else {
			m.rows = append(m.rows, fmt.Sprintf("#%s? (%d)", t, counts[t]))
		}
	}
	m.pick = func(at int) tea.Cmd {
		s.menu = nil
		return s.settleAll(accept, guessesOf(shown, choices[at]))
	}
	s.menu = m
	return nil
}
