package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/corpus/retrieval"
	"assay/tui/cell"
)

// attention counts what should be read before the figures are believed.
func (s *Screen) attention() int {
	n := len(s.pairing.notes)
	if s.lookErr != nil {
		n++
	}
	for _, m := range s.chosen {
		r := m.report
		n += len(r.Warnings)
		if m.err != nil {
			n++
		}
		if len(r.Failed) > 0 {
			n++
		}
		if r.Diagnosis != nil {
			for _, f := range r.Diagnosis.Findings {
				if f.Verdict == retrieval.Fail {
					n++
				}
			}
		}
	}
	return n
}

// summary is one line on what stands beside the figures, above the sections of a narrow screen; ok is false where
// there is nothing to say.
func (s *Screen) summary(w int) (line string, ok bool) {
	th := s.o.Theme
	if err := s.failed(); err != nil {
		return cell.Line(w, th.Bad.Of(" these figures are old: "+clip(err.Error())+" (r to retry)")), true
	}
	base := s.base().report
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	if n := len(base.Excluded); n > 0 {
		parts = append(parts, fmt.Sprintf("left out %d (x)", n))
	}
	warnings, failed, findings := 0, 0, 0
	for _, m := range s.chosen {
		warnings += len(m.report.Warnings)
		failed += len(m.report.Failed)
		if d := m.report.Diagnosis; d != nil {
			findings += len(d.Findings)
		}
	}
	add(failed, "failed", "failed")
	add(findings, "finding", "findings")
	add(warnings, "warning", "warnings")
	if len(parts) == 0 {
		return "", false
	}
	if findings+warnings > 0 {
		parts[len(parts)-1] += " (w)"
	}
	style := th.Dim
	if warnings+failed > 0 {
		style = th.Warn
	}
	return cell.Line(w, style.Of(" "+strings.Join(parts, " · "))), true
}

// noteLines are all notes, wrapped to w cells.
func (s *Screen) noteLines(w int) []string {
	th := s.o.Theme
	var lines []string
	add := func(style cell.Style, text string) { lines = append(lines, hung(style, text, w)...) }
	if s.lookErr != nil {
		add(th.Bad, "can't read the workspace: "+s.lookErr.Error())
	}
	for i, m := range s.chosen {
		if len(s.chosen) > 1 {
			lines = append(lines, cell.Line(w, s.runStyle(i).Of(letters[i:i+1]), th.Strong.Of(" "+m.run.Title())))
		}
		if m.err != nil && m.have {
			add(th.Bad, "these figures are old: "+m.err.Error()+" (r to retry)")
		} else if m.err != nil {
			add(th.Bad, "can't measure: "+m.err.Error()+" (r to retry)")
		}
		if d := s.deltaOf(i, s.measureName()); d != nil {
			add(th.Text, against(*d))
		}
		if m.have {
			s.noteReport(m.report, add)
		}
	}
	for _, n := range s.pairing.notes {
		add(th.Warn, "! compared: "+n)
	}
	return lines
}

// noteReport tells what a report holds besides figures: first what to mend, then what the figures leave out, then what
// makes them doubtful, last what they are of.
func (s *Screen) noteReport(r retrieval.Report, add func(cell.Style, string)) {
	th := s.o.Theme
	if r.Diagnosis != nil {
		for _, f := range r.Diagnosis.Findings {
			style, line := th.Warn, "? "+f.Line
			if f.Verdict == retrieval.Fail {
				style, line = th.Bad, "✗ "+f.Line
			}
			add(style, line)
			if f.Advice != "" {
				add(th.Text, "→ "+f.Advice)
			}
		}
	}
	if m, ok := meanOf(r.Measures, s.measureName()); ok {
		if line := doubt(m); line != "" {
			add(th.Text, line)
		}
	}
	if n := len(r.Failed); n > 0 {
		add(th.Bad, fmt.Sprintf("failed %d (they count as 0): %s: %s (x lists them)", n, r.Failed[0].QueryID, r.Failed[0].Error))
	}
	for _, without := range []struct {
		words string
		means []retrieval.Mean
	}{{"without those that failed", r.WithoutFailed}, {"without gold ids that are not in the corpus", r.WithoutMissing}} {
		if m, ok := meanOf(without.means, s.measureName()); ok && m.Mean != nil {
			add(th.Text, fmt.Sprintf("%s: %s %s, n %d", without.words, m.Name, number(m.Mean), m.N))
		}
	}
	if len(r.Excluded) > 0 {
		add(th.Text, fmt.Sprintf("left out %d (x): %s", len(r.Excluded), strings.Join(reasons(r.Excluded), ", ")))
	}
	if u := r.Unanswerable; u != nil && u.Queries > 0 {
		add(th.Text, unanswerable(*u))
	}
	for _, w := range r.Warnings {
		add(th.Warn, "! "+w)
	}
	if l := r.Latency; l != nil && l.N > 0 {
		add(th.Dim, fmt.Sprintf("latency in ms: half %.0f, 95%% %.0f, 99%% %.0f, longest %.0f (n %d)", l.P50, l.P95, l.P99, l.Max, l.N))
	}
	add(th.Dim, identity(r))
}

// doubt is how far unjudged chunks could move a mean.
func doubt(m retrieval.Mean) string {
	if m.Judged == nil || m.Mean == nil {
		return ""
	}
	line := fmt.Sprintf("%s: %s of what it looks at is judged", m.Name, percent(*m.Judged))
	if m.Bounds != nil {
		line += fmt.Sprintf("; the rest could make it %s to %s", short(min(m.Bounds.Irrelevant, m.Bounds.Relevant)), short(max(m.Bounds.Irrelevant, m.Bounds.Relevant)))
	}
	return line
}

// reasons count the queries left out by why.
func reasons(excluded []retrieval.Excluded) []string {
	counts := map[retrieval.Why]int{}
	for _, e := range excluded {
		counts[e.Why]++
	}
	var parts []string
	for _, why := range []retrieval.Why{retrieval.WhyUnfinished, retrieval.WhyUnanswerable, retrieval.WhyNoRelevant} {
		if n := counts[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", reason(why), n))
			delete(counts, why)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(counts)) { // reasons that are not known here
		parts = append(parts, fmt.Sprintf("%s %d", why, counts[why]))
	}
	return parts
}

// unanswerable says how a retriever treats what nothing answers.
func unanswerable(u retrieval.Unanswerable) string {
	line := fmt.Sprintf("unanswerable %d: something was returned for %d", u.Queries, u.Returned)
	if u.TopScore != nil && u.Answerable != nil {
		line += fmt.Sprintf("; best score in the middle %s, of answerable ones %s", short(u.TopScore.Median), short(u.Answerable.Median))
	}
	if u.Separation != nil {
		line += fmt.Sprintf("; told apart by it %s (0.5 is by chance)", short(*u.Separation))
	}
	return line
}

// identity names what was measured, on what.
func identity(r retrieval.Report) string {
	line := "run " + r.Run
	for _, part := range [][2]string{{"", r.Scorer}, {"labels ", fingerprint(r.Labels)}, {"corpus ", fingerprint(r.Corpus)}, {"scale ", r.Scale}} {
		if part[1] != "" {
			line += " · " + part[0] + part[1]
		}
	}
	return line
}

func fingerprint(hash string) string { return cell.Cut(hash, 13) }

// hung wraps a note to w cells, its lines after the first one set in.
func hung(style cell.Style, text string, w int) []string {
	p := cell.Wrap(clip(text), max(1, w-3), cell.Lit{})
	lines := make([]string, 0, p.Len())
	for i := range p.Len() {
		in := " "
		if i > 0 {
			in = "   "
		}
		lines = append(lines, cell.Line(w, append([]cell.Seg{cell.Plain(in)}, p.Segs(i, style, style)...)...))
	}
	return lines
}

// noteView are the notes in view.
func (s *Screen) noteView(w, h int) []string {
	if len(s.notes) == 0 {
		return s.noticeIn(w, "nothing to note")
	}
	top := s.places[notesSection].top
	return s.notes[min(top, len(s.notes)):min(len(s.notes), top+h)]
}
