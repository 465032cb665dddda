package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/corpus/retrieval"
	"assay/corpus/text"
)

// none stands for a figure that is undefined.
const none = "–"

// Figure is a value of a measure as it is printed everywhere: four places, counts as whole numbers.
func Figure(measure string, v *float64) string {
	switch {
	case v == nil || math.IsNaN(*v) || math.IsInf(*v, 0):
		return none
	case isCount(measure):
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	return fmt.Sprintf("%.4f", *v)
}

// isCount reports whether a measure is a sum, such as NumRet, which has no place on an axis from 0 to 1.
func isCount(measure string) bool { return strings.HasPrefix(measure, "Num") }

func span(measure string, lo, hi float64) string {
	return Figure(measure, &lo) + "–" + Figure(measure, &hi)
}

func interval(measure string, in *retrieval.Interval) string {
	if in == nil {
		return none
	}
	return span(measure, in.Lo, in.Hi)
}

func bounds(measure string, b *retrieval.Bounds) string {
	if b == nil {
		return none
	}
	return span(measure, b.Irrelevant, b.Relevant)
}

// trafficFigure is a figure for the traffic with its interval.
func trafficFigure(measure string, t *retrieval.Traffic) string {
	if t == nil {
		return none
	}
	return Figure(measure, &t.Value) + " (" + span(measure, t.Interval.Low, t.Interval.High) + ")"
}

// share is a share in percent, rounded such that only all is 100% and only nothing 0%.
func share(v *float64) string {
	if v == nil || math.IsNaN(*v) {
		return none
	}
	return text.Percent(*v)
}

// Chance is a p-value as it is printed everywhere.
func Chance(v *float64) string {
	switch {
	case v == nil || math.IsNaN(*v):
		return none
	case *v < 0.0001:
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", *v)
}

// change is a difference with its sign.
func change(v *float64) string {
	if v == nil || math.IsNaN(*v) {
		return none
	}
	return fmt.Sprintf("%+.4f", *v)
}

func queries(n int) string { return text.Count(n, "query", "queries") }

// clip cuts s to at most n runes, the last of them an ellipsis where something is gone.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	at := 0
	for range n - 1 {
		_, w := utf8.DecodeRuneInString(s[at:])
		at += w
	}
	return s[:at] + "…"
}

// shown makes text from outside safe to show on one line of at most n runes.
func shown(s string, n int) string {
	// Cut twice: what is invisible grows when it is named, and sanitising megabytes to show a line is waste.
	return clip(text.Sanitize(clip(s, n+1)), n)
}

// verdict is a verdict in one word, with the marks that repeat it: Mark is text, Emoji a picture.
type verdict struct{ Class, Mark, Emoji, Word string }

func verdictOf(v retrieval.Verdict) verdict {
	switch v {
	case retrieval.Pass:
		return verdict{"pass", "✓", "✅", "pass"}
	case retrieval.Fail:
		return verdict{"fail", "✗", "❌", "fail"}
	}
	return verdict{"unclear", "?", "❔", cmp.Or(shown(string(v), 40), "unclear")}
}

// tally counts verdicts.
type tally struct{ pass, fail, unclear int }

func tallied(gates []retrieval.GateResult) (t tally) {
	for _, g := range gates {
		switch g.Verdict {
		case retrieval.Pass:
			t.pass++
		case retrieval.Fail:
			t.fail++
		default:
			t.unclear++
		}
	}
	return t
}

// overall is the worst verdict: one failed gate fails the check.
func (t tally) overall() retrieval.Verdict {
	switch {
	case t.fail > 0:
		return retrieval.Fail
	case t.unclear > 0:
		return retrieval.Unclear
	}
	return retrieval.Pass
}

// String is e.g. "1 of 3 gates failed, 1 unclear".
func (t tally) String() string {
	n := t.pass + t.fail + t.unclear
	of := fmt.Sprintf("%d of %s", t.fail, text.Count(n, "gate", "gates"))
	unclear := ""
	if t.unclear > 0 {
		unclear = fmt.Sprintf(", %d unclear", t.unclear)
	}
	switch {
	case t.fail > 0:
		return of + " failed" + unclear
	case t.unclear > 0:
		return fmt.Sprintf("no gate failed, %d of %d unclear", t.unclear, n)
	case n == 1:
		return "the gate passed"
	}
	return fmt.Sprintf("all %d gates passed", n)
}

// reasons are the reasons for leaving queries out, in words.
var reasons = []struct {
	why   retrieval.Why
	words string
}{
	{retrieval.WhyUnanswerable, "unanswerable"},
	{retrieval.WhyUnfinished, "unfinished"},
	{retrieval.WhyNoRelevant, "finished without a relevant chunk"},
}

// leftOut says how many queries the means leave out and why, e.g. "12 queries unanswerable".
func leftOut(r retrieval.Report) []string {
	by := map[retrieval.Why]int{}
	for _, e := range r.Excluded {
		by[e.Why]++
	}
	var lines []string
	for _, reason := range reasons {
		if n := by[reason.why]; n > 0 {
			lines = append(lines, queries(n)+" "+reason.words)
		}
		delete(by, reason.why)
	}
	for _, why := range slices.Sorted(maps.Keys(by)) {
		lines = append(lines, queries(by[why])+" "+shown(string(why), 40))
	}
	return lines
}

// counted is how many queries the means stand on.
func counted(r retrieval.Report) int {
	n := len(r.Queries)
	for _, m := range r.Measures {
		n = max(n, m.N)
	}
	return n
}

// measureNames are the names of the values, those of the report's measures first and in its order.
func measureNames(measures []retrieval.Mean, values map[string]*float64) []string {
	var names []string
	for _, m := range measures {
		if _, ok := values[m.Name]; ok {
			names = append(names, m.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// sliceName is a slice in words, e.g. "tag identifier".
func sliceName(s retrieval.Slice) string {
	return shown(s.By, 40) + " " + cmp.Or(shown(s.Value, 80), "(none)")
}

// fact is a value with its name, as it is shown.
type fact struct{ Name, Value string }

// fingerprints say what was measured against what, those that are known.
func fingerprints(r retrieval.Report) []fact {
	seed := ""
	if r.Seed != 0 {
		seed = strconv.FormatUint(r.Seed, 10)
	}
	all := []fact{
		{"run", r.Run}, {"labels", r.Labels}, {"corpus", r.Corpus}, {"scale", r.Scale}, {"scorer", r.Scorer},
		{"compat", r.Compat}, {"seed", seed}, {"program", r.Program},
	}
	return known(all)
}

func known(all []fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}
