package report

import (
	"fmt"
	"strings"
	"testing"

	"assay/corpus/retrieval"
)

// A form is green only where the check ends well: all of them say what fails it, gates or not.
func TestOutcomeInEveryForm(t *testing.T) {
	pass := []retrieval.GateResult{{Gate: "R@5>=0.5", Verdict: retrieval.Pass, Line: "fine"}}
	fail := []retrieval.GateResult{{Gate: "R@5>=0.9", Verdict: retrieval.Fail, Line: "low"}}
	failed := make([]retrieval.Failed, 39)
	for i := range failed {
		failed[i] = retrieval.Failed{QueryID: fmt.Sprintf("q%d", i+1), Error: "the index is <down>"}
	}
	gone := []retrieval.MissingGold{{QueryID: "q1", ChunkID: "a"}, {QueryID: "q1", ChunkID: "b"}}
	for name, c := range map[string]struct {
		report           retrieval.Report
		allowed          bool
		title            string // in Markdown
		class            string // of the HTML's lead
		errors, failures int    // in JUnit
	}{
		"nothing":         {title: "### check"},
		"passed":          {report: retrieval.Report{Gates: pass}, title: "### ✅ the gate passed · check", class: "pass"},
		"failed queries":  {report: retrieval.Report{Failed: failed}, title: "### ❌ the retriever failed on 39 queries · check", class: "fail", errors: 1},
		"missing":         {report: retrieval.Report{Missing: gone}, title: "### ❌ 2 gold ids are not in the corpus · check", class: "fail", failures: 1},
		"missing allowed": {report: retrieval.Report{Missing: gone}, allowed: true, title: "### check"},
		"passed, yet":     {report: retrieval.Report{Gates: pass, Failed: failed[:1]}, title: "### ❌ the retriever failed on 1 query · the gate passed · check", class: "fail", errors: 1},
		"all": {
			report: retrieval.Report{Gates: fail, Failed: failed, Missing: gone[:1]}, title: "### ❌ 1 of 1 gate failed · the retriever failed on 39 queries · 1 gold id is not in the corpus · check",
			class: "fail", errors: 1, failures: 2,
		},
	} {
		d := Document{Report: c.report, MissingAllowed: c.allowed}
		if title, _, _ := strings.Cut(written(t, WriteMarkdown, d), "\n"); title != c.title {
			t.Errorf("%s: Markdown says %q", name, title)
		}
		lead := strings.TrimSuffix(strings.TrimPrefix(c.title, "### "), "check")
		_, lead, _ = strings.Cut(strings.TrimSuffix(lead, " · "), " ")
		page := written(t, WriteHTML, d)
		if has := strings.Contains(page, `<p class="summary">`); has != (c.class != "") {
			t.Errorf("%s: HTML has a lead: %v", name, has)
		} else if has && (!strings.Contains(page, `<p class="summary"><span class="verdict `+c.class+`">`) || !strings.Contains(page, "</span> "+lead+"</span></p>")) {
			t.Errorf("%s: HTML doesn't lead with %q", name, lead)
		}
		p := parse(t, written(t, WriteJUnit, d))
		if p.Errors != c.errors || p.Failures != c.failures || p.Tests != len(p.Cases) {
			t.Errorf("%s: JUnit has %d errors, %d failures in %d tests", name, p.Errors, p.Failures, p.Tests)
		}
	}
}

func TestOutcomeNamesFirstReasons(t *testing.T) {
	var d Document
	for i := range maxReasons + 3 {
		d.Report.Failed = append(d.Report.Failed, retrieval.Failed{QueryID: fmt.Sprintf("q%02d", i), Error: "a\nb & c"})
	}
	p := parse(t, written(t, WriteJUnit, d))
	lines := strings.Split(strings.TrimSpace(p.Cases[0].Error.Body), "\n")
	if len(lines) != maxReasons+1 || lines[0] != "query q00: a␤b & c" || lines[maxReasons] != "… and 3 more" {
		t.Errorf("%q", lines)
	}
	if got := strings.Count(p.Err, "query q"); got != maxReasons+3 {
		t.Errorf("system-err names %d", got)
	}
}
