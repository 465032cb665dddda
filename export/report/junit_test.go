package report

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/corpus/retrieval"
)

// parsed is JUnit's XML as a build server reads it.
type parsed struct {
	XMLName    xml.Name `xml:"testsuite"`
	Name       string   `xml:"name,attr"`
	Tests      int      `xml:"tests,attr"`
	Failures   int      `xml:"failures,attr"`
	Errors     int      `xml:"errors,attr"`
	Skipped    int      `xml:"skipped,attr"`
	Timestamp  string   `xml:"timestamp,attr"`
	Properties []struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"properties>property"`
	Cases []struct {
		Name      string `xml:"name,attr"`
		Classname string `xml:"classname,attr"`
		Error     *struct {
			Message string `xml:"message,attr"`
			Body    string `xml:",chardata"`
		} `xml:"error"`
		Failure *struct {
			Message string `xml:"message,attr"`
			Body    string `xml:",chardata"`
		} `xml:"failure"`
		Skipped *struct {
			Message string `xml:"message,attr"`
		} `xml:"skipped"`
		Out string `xml:"system-out"`
	} `xml:"testcase"`
	Out string `xml:"system-out"`
	Err string `xml:"system-err"`
}

func parse(t testing.TB, s string) parsed {
	t.Helper()
	var p parsed
	d := xml.NewDecoder(strings.NewReader(s))
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	if rest, err := d.Token(); err != nil || strings.TrimSpace(string(rest.(xml.CharData))) != "" {
		t.Fatalf("something follows the suite: %v, %v", rest, err)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("something follows the suite: %v", err)
	}
	return p
}

func TestJUnitGates(t *testing.T) {
	p := parse(t, written(t, WriteJUnit, small()))
	if p.Name != "assay check" || p.Tests != 5 || p.Failures != 2 || p.Skipped != 1 || p.Errors != 1 || len(p.Cases) != 5 {
		t.Fatalf("suite is %q with %d tests, %d failures, %d skipped, %d errors, %d cases", p.Name, p.Tests, p.Failures, p.Skipped, p.Errors, len(p.Cases))
	}
	if p.Timestamp != "2026-03-01T12:30:00" {
		t.Errorf("timestamp is %q", p.Timestamp)
	}
	pass, fail, unclear := p.Cases[0], p.Cases[1], p.Cases[2]
	if pass.Name != "R@5>=0.5" || pass.Failure != nil || pass.Skipped != nil || pass.Out != "R@5>=0.5: 0.6250, n = 4" {
		t.Errorf("passed case is %+v", pass)
	}
	if fail.Failure == nil || fail.Failure.Message != "RR>=1: 0.5000, n = 4" {
		t.Fatalf("failed case is %+v", fail)
	}
	if want := "RR 0.5000, bound 1.0000, 95% interval 0.2500–0.7500, p 0.0100, tag identifier, n = 4"; fail.Failure.Body != want {
		t.Errorf("failure says %q, want %q", fail.Failure.Body, want)
	}
	if unclear.Skipped == nil || unclear.Failure != nil || unclear.Skipped.Message != "P@5>=0.2: no query counts" {
		t.Errorf("unclear case is %+v", unclear)
	}
	if c := p.Cases[3]; c.Name != "retriever" || c.Error == nil || c.Failure != nil || c.Error.Message != "the retriever failed on 1 query" || c.Error.Body != "query q1: 503 after 3 tries" {
		t.Errorf("case of failed queries is %+v", c)
	}
	if c := p.Cases[4]; c.Name != "gold ids" || c.Failure == nil || c.Error != nil || c.Failure.Message != "1 gold id is not in the corpus" || c.Failure.Body != "chunk gone of query q2" {
		t.Errorf("case of missing gold ids is %+v", c)
	}
	names := []string{}
	for _, prop := range p.Properties {
		names = append(names, prop.Name+"="+prop.Value)
	}
	if got, want := strings.Join(names, " "), "run=bm25 labels=aaaa corpus=bbbb scale=graded scorer=bm25 k1=1.2 compat=trec_eval-10 seed=7 program=assay 1.2.3"; got != want {
		t.Errorf("properties are %s, want %s", got, want)
	}
	if p.Err != "query q1: 503 after 3 tries" {
		t.Errorf("system-err is %q", p.Err)
	}
	if !strings.Contains(p.Out, "\nwarning: the run has 1 query") || !strings.Contains(p.Out, "\nleft out: 2 queries unanswerable\n") {
		t.Errorf("system-out is %q", p.Out)
	}
}

func TestJUnitWithoutGates(t *testing.T) {
	d := small()
	d.Report.Gates, d.Report.Failed, d.Report.Missing = nil, nil, nil
	p := parse(t, written(t, WriteJUnit, d))
	if p.Tests != 4 || len(p.Cases) != 4 || p.Failures+p.Skipped+p.Errors != 0 {
		t.Fatalf("%d tests, %d cases, %d failures, %d skipped", p.Tests, len(p.Cases), p.Failures, p.Skipped)
	}
	for i, c := range p.Cases {
		if c.Name != d.Report.Measures[i].Name || c.Failure != nil || c.Skipped != nil || !strings.HasPrefix(c.Out, c.Name+" ") {
			t.Errorf("case %d is %+v", i, c)
		}
	}
}

// TestJUnitOrder holds the elements to the order that strict readers demand.
func TestJUnitOrder(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(written(t, WriteJUnit, small())))
	var order []string
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth++; depth == 2 && (len(order) == 0 || order[len(order)-1] != e.Name.Local) {
				order = append(order, e.Name.Local)
			}
		case xml.EndElement:
			depth--
		}
	}
	if got := strings.Join(order, " "); got != "properties testcase system-out system-err" {
		t.Errorf("order is %s", got)
	}
}

// xml10 reports whether XML 1.0 can hold r.
func xml10(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= 0x10ffff
}

func TestJUnitShowsControls(t *testing.T) {
	d := small()
	d.Report.Gates = []retrieval.GateResult{{Gate: "a\x00b\x1bc\ufffed\nline", Verdict: retrieval.Fail, Line: "\x01\u202e"}}
	p := parse(t, written(t, WriteJUnit, d))
	if c := p.Cases[0]; !strings.HasPrefix(c.Name, "a␀b␛c") || !strings.HasSuffix(c.Name, "d␤line") || c.Failure.Message != "␁⟨U+202E⟩" {
		t.Errorf("case is %q: %q", c.Name, c.Failure.Message)
	}
}

func FuzzJUnit(f *testing.F) {
	for _, s := range []string{hostile, "", "a", "]]>", "\x00", "\xed\xa0\x80", "&amp;", "\ufeff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := written(t, WriteJUnit, withText(s))
		if !utf8.ValidString(out) {
			t.Fatal("not UTF-8")
		}
		if i := strings.IndexFunc(out, func(r rune) bool { return !xml10(r) }); i >= 0 {
			t.Fatalf("XML 1.0 can't hold %q", out[i:min(len(out), i+4)])
		}
		p := parse(t, out)
		if p.Tests != 5 || len(p.Cases) != 5 || p.Failures != 2 || p.Errors != 1 || p.Skipped != 1 {
			t.Fatalf("the text changed the suite: %+v", p)
		}
	})
}
