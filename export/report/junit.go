package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"assay/corpus/retrieval"
	"assay/corpus/text"
)

type junitSuite struct {
	XMLName    xml.Name         `xml:"testsuite"`
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr"`
	Timestamp  string           `xml:"timestamp,attr,omitempty"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
	Out        *junitText       `xml:"system-out"`
	Err        *junitText       `xml:"system-err"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Error     *junitOutcome `xml:"error"`
	Failure   *junitOutcome `xml:"failure"`
	Skipped   *junitOutcome `xml:"skipped"`
	Out       *junitText    `xml:"system-out"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",innerxml"` // as in junitText
}

// junitText is escaped already, with its line ends as they are: encoding/xml would write them as references.
type junitText struct {
	Body string `xml:",innerxml"`
}

// WriteJUnit writes one test suite, "assay check", with a test case for each gate: a failed gate is a failure, an
// unclear one is skipped, both with the gate's line as the message. Where there is no gate, each measure is a case that
// passes, so that its figure can be seen. What fails a check beside its gates is a case of its own: queries that the
// retriever could not answer are an error, and all of them on system-err; gold ids that are not in the corpus a failure.
func WriteJUnit(w io.Writer, d Document) error {
	r := d.Report
	suite := junitSuite{Name: "assay check", Time: "0"}
	if !d.At.IsZero() {
		suite.Timestamp = d.At.UTC().Format("2006-01-02T15:04:05") // the schema of JUnit's reports knows no zone
	}
	if prints := fingerprints(r); len(prints) > 0 {
		suite.Properties = &junitProperties{}
		for _, f := range prints {
			suite.Properties.List = append(suite.Properties.List, junitProperty{f.Name, xmlText(f.Value)})
		}
	}
	for _, g := range r.Gates {
		suite.Cases = append(suite.Cases, gateCase(g))
	}
	if len(r.Gates) == 0 {
		for _, m := range r.Measures {
			suite.Cases = append(suite.Cases, junitCase{Name: xmlText(m.Name), Classname: "assay.measure", Time: "0", Out: block([]string{measureLine(m)})})
		}
	}
	suite.Cases = append(suite.Cases, troubleCases(d)...)
	suite.Tests = len(suite.Cases)
	for _, c := range suite.Cases {
		switch {
		case c.Error != nil:
			suite.Errors++
		case c.Failure != nil:
			suite.Failures++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	suite.Out = block(junitOut(r))
	suite.Err = block(junitErr(r))

	out := bufio.NewWriter(w)
	out.WriteString(xml.Header) // errors are kept until Flush
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	out.WriteByte('\n')
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	return nil
}

func gateCase(g retrieval.GateResult) junitCase {
	c := junitCase{Name: xmlText(g.Gate), Classname: "assay.gate", Time: "0"}
	line := xmlText(g.Line)
	switch g.Verdict {
	case retrieval.Pass:
		if line != "" {
			c.Out = block([]string{g.Line})
		}
	case retrieval.Fail:
		c.Failure = &junitOutcome{Message: line, Type: "gate", Body: block([]string{gateDetail(g)}).Body}
	default:
		c.Skipped = &junitOutcome{Message: line}
	}
	return c
}

// troubleCases are what fails the check beside its gates.
func troubleCases(d Document) []junitCase {
	var cases []junitCase
	for _, why := range failedTrouble(d) {
		reasons := shortList(junitErr(d.Report))
		cases = append(cases, junitCase{Name: "retriever", Classname: "assay.check", Time: "0", Error: &junitOutcome{Message: xmlText(why), Type: "retriever", Body: block(reasons).Body}})
	}
	for _, why := range missingTrouble(d) {
		var gone []string
		for _, m := range d.Report.Missing {
			gone = append(gone, fmt.Sprintf("chunk %s of query %s", m.ChunkID, m.QueryID))
		}
		cases = append(cases, junitCase{Name: "gold ids", Classname: "assay.check", Time: "0", Failure: &junitOutcome{Message: xmlText(why), Type: "missing", Body: block(shortList(gone)).Body}})
	}
	return cases
}

// shortList is the beginning of a list, and how much more there is.
func shortList(list []string) []string {
	if len(list) <= maxReasons {
		return list
	}
	return append(list[:maxReasons:maxReasons], fmt.Sprintf("… and %d more", len(list)-maxReasons))
}

// gateDetail is what a gate saw, e.g. "R@5 0.7100, bound 0.8000, 95% interval 0.6500–0.7700, n = 200".
func gateDetail(g retrieval.GateResult) string {
	parts := []string{strings.TrimSpace(g.Measure+" "+Figure(g.Measure, g.Figure)) + ", bound " + Figure(g.Measure, &g.Bound)}
	if g.Interval != nil {
		parts = append(parts, "95% interval "+interval(g.Measure, g.Interval))
	}
	if g.P != nil {
		parts = append(parts, "p "+Chance(g.P))
	}
	if g.Slice != "" {
		parts = append(parts, g.Slice)
	}
	return strings.Join(append(parts, fmt.Sprintf("n = %d", g.N)), ", ")
}

// measureLine is a mean with all that it stands on, on one line.
func measureLine(m retrieval.Mean) string {
	line := fmt.Sprintf("%s %s, n = %d", m.Name, Figure(m.Name, m.Mean), m.N)
	if m.Interval != nil {
		line += ", 95% interval " + interval(m.Name, m.Interval)
	}
	if m.Judged != nil {
		line += ", judged " + share(m.Judged)
	}
	if m.Bounds != nil {
		line += ", between " + bounds(m.Name, m.Bounds) + " once all is judged"
	}
	if m.Why != "" {
		line += " (" + m.Why + ")"
	}
	return line
}

func junitOut(r retrieval.Report) []string {
	var out []string
	for _, m := range r.Measures {
		out = append(out, measureLine(m))
	}
	for _, line := range leftOut(r) {
		out = append(out, "left out: "+line)
	}
	for _, w := range r.Warnings {
		out = append(out, "warning: "+w)
	}
	return out
}

func junitErr(r retrieval.Report) []string {
	var out []string
	for _, f := range r.Failed {
		out = append(out, fmt.Sprintf("query %s: %s", f.QueryID, f.Error))
	}
	return out
}

// block is a block of lines, nil where there are none.
func block(list []string) *junitText {
	if len(list) == 0 {
		return nil
	}
	var b strings.Builder
	for _, line := range list {
		if len(list) > 1 {
			b.WriteByte('\n')
		}
		xml.EscapeText(&b, []byte(xmlText(line))) // a strings.Builder never fails
	}
	if len(list) > 1 {
		b.WriteByte('\n')
	}
	return &junitText{b.String()}
}

// xmlText makes s one line that XML 1.0 can hold. Sanitize shows nearly all that XML has no place for.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, text.Sanitize(s))
}
