package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/corpus/text"
)

const (
	maxListed    = 500 // queries in the table of all
	maxValues    = 10  // measures in tables with a column for each
	maxIDs       = 200 // ids in a list
	maxSliced    = 200 // slices
	maxWorstPage = 100 // worst queries
	maxHits      = 100 // hits of one of them
	maxTitle     = 300 // characters of a title or query
	maxBeginning = 600 // characters of a chunk
	maxID        = 1000
)

// view is what the page's template shows. All its strings are sanitised; the template escapes them.
type view struct {
	Style          template.CSS
	Policy         string
	Run, Title, At string
	Measured       string
	Summary        *verdict // of the gates; nil where there are none
	Gates          []gateView
	Findings       []findingView
	Measures       []measureView
	Traffic        string // what the figures for the traffic stand on; "" where there are none
	Recall         *curve
	Scatter        *scatter
	Spread         []histogram
	SliceBar       string // the measure of which slices show a bar; "" where it has none
	SliceNames     []string
	Slices         []sliceView
	SlicesCut      int
	Unanswerable   *unanswerableView
	Latency        []fact
	LeftOut        []string
	Lists          []listView
	Without        []withoutView
	Warnings       []string
	QueryNames     []string
	Listed         []listedView
	ListedOf       string
	Worst          []worstView
	WorstCut       int
	Prints         []fact
}

type gateView struct {
	verdict
	Line string
}

type findingView struct {
	Unclear              bool
	Line, Advice, Looked string
	Needed               string
}

type measureView struct {
	Name, Mean, Why, Interval, Judged, Bounds, Traffic string
	N                                                  int
	Bar                                                *bar
}

type sliceView struct {
	Name  string
	N     int
	Bar   *bar
	Cells []cellView
}

type cellView struct{ Mean, Interval string }

type unanswerableView struct {
	Line  string
	Boxes []box
	Scale string
}

// listView is a list of ids that opens at a click.
type listView struct {
	Line string
	IDs  []idView
	More int
}

type idView struct{ ID, Note string }

type withoutView struct {
	Line     string
	Measures []measureView
}

type listedView struct {
	ID, Text string
	Values   []string
}

type worstView struct {
	ID, Text     string
	Values       []fact
	Hits, Missed []hitView
	Cut          int
}

type hitView struct {
	Rank, Grade, ID, Title, Text, Score string
	Relevant, Unjudged                  bool
}

func viewOf(d Document) view {
	r := d.Report
	v := view{
		Style: template.CSS(pageStyle), Policy: policy,
		Run: shown(r.Run, maxTitle), Title: shown(d.Title, maxTitle), Measured: queries(counted(r)) + " measured",
		Recall: curveOf(r.Recall), Scatter: scatterOf(r), Spread: histograms(r), LeftOut: leftOut(r), SlicesCut: max(0, len(r.Slices)-maxSliced), WorstCut: max(0, len(d.Worst)-maxWorstPage),
	}
	if !d.At.IsZero() {
		v.At = d.At.UTC().Format("2006-01-02 15:04 UTC")
	}
	if end, words := outcome(d); len(words) > 0 {
		s := verdictOf(end)
		s.Word = strings.Join(words, " · ")
		v.Summary = &s
	}
	for _, g := range r.Gates {
		v.Gates = append(v.Gates, gateView{verdictOf(g.Verdict), shown(cmp.Or(g.Line, g.Gate+": "+gateDetail(g)), maxID)})
	}
	v.Findings = findingsOf(r.Diagnosis)
	for _, m := range r.Measures {
		v.Measures = append(v.Measures, measureOf(m))
	}
	v.Traffic = retrieval.TrafficLine(r.Measures)
	v.SliceBar, v.SliceNames, v.Slices = slicesOf(r)
	v.Unanswerable = unanswerableOf(r.Unanswerable)
	v.Latency = latencyOf(r.Latency)
	v.Lists = listsOf(r)
	v.Without = withoutsOf(r)
	for _, w := range r.Warnings {
		v.Warnings = append(v.Warnings, shown(w, 2000))
	}
	v.QueryNames, v.Listed, v.ListedOf = listed(d)
	for _, q := range d.Worst[:min(len(d.Worst), maxWorstPage)] {
		v.Worst = append(v.Worst, worstOf(q, d))
	}
	for _, f := range fingerprints(r) {
		v.Prints = append(v.Prints, fact{f.Name, shown(f.Value, maxID)})
	}
	return v
}

func findingsOf(d *retrieval.Diagnosis) []findingView {
	if d == nil {
		return nil
	}
	var list []findingView
	for _, f := range d.Findings {
		var looked []string
		for _, m := range f.Figures {
			looked = append(looked, shown(measureLine(m), 300))
		}
		for _, l := range f.Limits {
			looked = append(looked, "limit "+shown(l, 100))
		}
		v := findingView{Unclear: f.Verdict == retrieval.Unclear, Line: shown(f.Line, maxID), Advice: shown(f.Advice, maxID), Looked: strings.Join(looked, "; ")}
		if f.Needed > 0 {
			v.Needed = queries(f.Needed)
		}
		list = append(list, v)
	}
	return list
}

func measureOf(m retrieval.Mean) measureView {
	return measureView{
		Name: shown(m.Name, 80), Mean: Figure(m.Name, m.Mean), Why: shown(m.Why, maxTitle), Interval: interval(m.Name, m.Interval),
		Judged: share(m.Judged), Bounds: bounds(m.Name, m.Bounds), N: m.N, Bar: barOf(m), Traffic: trafficFigure(m.Name, m.Traffic),
	}
}

func slicesOf(r retrieval.Report) (barred string, names []string, list []sliceView) {
	if len(r.Slices) == 0 {
		return "", nil, nil
	}
	columns := sliceColumns(r.Slices, r.Measures, maxValues)
	for _, name := range columns {
		if barred == "" && !isCount(name) {
			barred = name
		}
		names = append(names, shown(name, 80))
	}
	for _, s := range r.Slices[:min(len(r.Slices), maxSliced)] {
		v := sliceView{Name: sliceName(s), N: s.N}
		for _, name := range columns {
			m := meanOf(s.Measures, name)
			v.Cells = append(v.Cells, cellView{Figure(name, m.Mean), interval(name, m.Interval)})
			if name == barred {
				m.Bounds = nil
				v.Bar = barOf(m)
			}
		}
		list = append(list, v)
	}
	return shown(barred, 80), names, list
}

func unanswerableOf(u *retrieval.Unanswerable) *unanswerableView {
	if u == nil || u.Queries == 0 {
		return nil
	}
	v := &unanswerableView{Line: unanswerableLine(u)}
	v.Boxes, v.Scale = boxes(u)
	return v
}

func latencyOf(l *retrieval.Latency) []fact {
	if l == nil || l.N == 0 {
		return nil
	}
	return []fact{
		{"queries", fmt.Sprint(l.N)}, {"mean", Millis(l.Mean)}, {"median", Millis(l.P50)},
		{"95% within", Millis(l.P95)}, {"99% within", Millis(l.P99)}, {"longest", Millis(l.Max)},
	}
}

func listsOf(r retrieval.Report) []listView {
	var lists []listView
	add := func(n int, line string, id func(i int) idView) {
		if n == 0 {
			return
		}
		l := listView{Line: line, More: max(0, n-maxIDs)}
		for i := range min(n, maxIDs) {
			v := id(i)
			l.IDs = append(l.IDs, idView{shown(v.ID, maxID), shown(v.Note, maxTitle)})
		}
		lists = append(lists, l)
	}
	plain := func(ids []string) func(int) idView { return func(i int) idView { return idView{ID: ids[i]} } }
	add(len(r.Failed), "The retriever failed on "+queries(len(r.Failed))+", "+theyScore(len(r.Failed)), func(i int) idView {
		return idView{r.Failed[i].QueryID, r.Failed[i].Error}
	})
	add(len(r.NoResult), "Nothing was returned for "+queries(len(r.NoResult))+", "+theyScore(len(r.NoResult)), plain(r.NoResult))
	add(len(r.Unknown), "The gold set does not know "+queries(len(r.Unknown))+" of the run", plain(r.Unknown))
	add(len(r.NoText), "The labels name "+queries(len(r.NoText))+" that were never imported", plain(r.NoText))
	add(len(r.Contradictory), text.Count(len(r.Contradictory), "query is", "queries are")+" tagged unanswerable, yet something is relevant; they count", plain(r.Contradictory))
	if n := r.Repeats; n > 0 {
		lists = append(lists, listView{Line: text.Count(n, "hit was", "hits were") + " left out, since the same chunk came before"})
	}
	add(len(r.Missing), text.Count(len(r.Missing), "gold id is", "gold ids are")+" not in the corpus", func(i int) idView {
		m := r.Missing[i]
		return idView{m.ChunkID, fmt.Sprintf("graded %s for query %s", m.Grade, m.QueryID)}
	})
	return lists
}

func withoutsOf(r retrieval.Report) []withoutView {
	var list []withoutView
	add := func(line string, measures []retrieval.Mean) {
		if len(measures) == 0 {
			return
		}
		w := withoutView{Line: line}
		for _, m := range measures {
			w.Measures = append(w.Measures, measureOf(m))
		}
		list = append(list, w)
	}
	add("Without the queries that the retriever failed on", r.WithoutFailed)
	add("Without the gold ids that are not in the corpus and the queries never imported", r.WithoutMissing)
	return list
}

// listed is a table of all queries, or of the lowest by the first measure where there are very many.
func listed(d Document) (names []string, list []listedView, of string) {
	all := slices.Clone(d.Report.Queries)
	if len(all) == 0 {
		return nil, nil, ""
	}
	columns := measureNames(d.Report.Measures, all[0].Values)
	columns = columns[:min(len(columns), maxValues)]
	of = "by id"
	if len(all) > maxListed && len(columns) > 0 {
		first := columns[0]
		at := func(q retrieval.QueryValues) float64 {
			if v := q.Values[first]; v != nil && !math.IsNaN(*v) {
				return *v
			}
			return math.Inf(1)
		}
		slices.SortStableFunc(all, func(a, b retrieval.QueryValues) int { return cmp.Compare(at(a), at(b)) })
		of = fmt.Sprintf("the %d with the lowest %s", maxListed, shown(first, 80))
	}
	for _, name := range columns {
		names = append(names, shown(name, 80))
	}
	for _, q := range all[:min(len(all), maxListed)] {
		v := listedView{ID: shown(q.QueryID, maxID), Text: shown(d.Texts[q.QueryID], maxTitle)}
		for _, name := range columns {
			v.Values = append(v.Values, Figure(name, q.Values[name]))
		}
		list = append(list, v)
	}
	return names, list, of
}

func worstOf(q WorstQuery, d Document) worstView {
	v := worstView{
		ID: shown(q.QueryID, maxID), Text: shown(cmp.Or(q.Text, d.Texts[q.QueryID]), 2000),
		Cut: max(0, len(q.Hits)-maxHits) + max(0, len(q.Missed)-maxHits),
	}
	for _, name := range measureNames(d.Report.Measures, q.Values) {
		v.Values = append(v.Values, fact{shown(name, 80), Figure(name, q.Values[name])})
	}
	for _, h := range q.Hits[:min(len(q.Hits), maxHits)] {
		v.Hits = append(v.Hits, hitOf(h, d.Relevant))
	}
	for _, h := range q.Missed[:min(len(q.Missed), maxHits)] {
		v.Missed = append(v.Missed, hitOf(h, d.Relevant))
	}
	return v
}

func hitOf(h WorstHit, from corpus.Grade) hitView {
	v := hitView{
		Rank: none, ID: shown(h.ChunkID, maxID), Title: shown(h.Title, maxTitle),
		Text: clip(text.SanitizeLines(clip(h.Text, maxBeginning+1)), maxBeginning),
	}
	if h.Rank > 0 {
		v.Rank = fmt.Sprint(h.Rank)
	}
	if h.Score != 0 {
		v.Score = fmt.Sprintf("%.4g", h.Score)
	}
	switch {
	case h.Grade == nil:
		v.Grade, v.Unjudged = "unjudged", true
	case *h.Grade == corpus.CannotJudge:
		v.Grade, v.Unjudged = "can't judge", true
	case *h.Grade < 0:
		v.Grade, v.Unjudged = h.Grade.String()+", counts as unjudged", true
	case *h.Grade >= max(from, 1):
		v.Grade, v.Relevant = h.Grade.String()+", relevant", true
	default:
		v.Grade = h.Grade.String() + ", not relevant"
	}
	return v
}

// hitsView is a table of hits.
type hitsView struct {
	What, ID string
	List     []hitView
}

// Table is one of the query's two lists of hits, for the template.
func (v worstView) Table(what string, list []hitView) hitsView { return hitsView{what, v.ID, list} }
