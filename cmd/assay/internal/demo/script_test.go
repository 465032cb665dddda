package demo

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"assay/cmd/assay/guide"
	"assay/corpus"
)

// TestScriptNamesWhatThereIs fails where a query left the log or a heading of the guide was renamed.
func TestScriptNamesWhatThereIs(t *testing.T) {
	known := map[string]bool{}
	for _, q := range demoQueries(t) {
		known[q.ID] = true
	}
	scale := corpus.DefaultScale()
	for _, s := range demoScript(t) {
		if !known[s.QueryID] {
			t.Errorf("line %d: there is no query %q", s.Line, s.QueryID)
		}
		if !slices.Contains([]string{"ann", "ben", "chi"}, s.Annotator) {
			t.Errorf("line %d: annotator %q", s.Line, s.Annotator)
		}
		for _, p := range places(s) {
			page, err := fs.ReadFile(guide.Pages(), p.Document)
			if err != nil {
				t.Errorf("line %d: %v", s.Line, err)
			} else if !hasHeading(string(page), p.Heading) {
				t.Errorf("line %d: %s has no heading %q", s.Line, p.Document, p.Heading)
			}
		}
		if s.Label != nil && !scale.Holds(s.Label.Grade) {
			t.Errorf("line %d: grade %d is off the default scale", s.Line, s.Label.Grade)
		}
	}
}

// TestScriptShowsEverything: a demo shows each tag with a proof, a tie, work in progress, and leaves work to do.
func TestScriptShowsEverything(t *testing.T) {
	type pair struct {
		query string
		place Place
	}
	tags, states := map[string]int{}, map[corpus.State]int{}
	grades := map[pair]map[string]corpus.Grade{}
	touched, done := map[string]bool{}, map[string]bool{}
	for _, s := range demoScript(t) {
		touched[s.QueryID] = true
		switch {
		case s.Tag != nil:
			tags[s.Tag.Name]++
		case s.State != "":
			states[s.State]++
			done[s.QueryID] = done[s.QueryID] || s.State == corpus.Done
		default:
			at := pair{s.QueryID, s.Label.Place}
			if grades[at] == nil {
				grades[at] = map[string]corpus.Grade{}
			}
			if _, twice := grades[at][s.Annotator]; twice {
				t.Errorf("line %d: %s grades %v again", s.Line, s.Annotator, at)
			}
			grades[at][s.Annotator] = s.Label.Grade
		}
	}
	for _, tag := range []string{corpus.TagUnanswerable, corpus.TagConflicting, corpus.TagIdentifier, corpus.TagFollowUp} {
		if tags[tag] == 0 {
			t.Errorf("no query is tagged %s", tag)
		}
	}
	disagree, byGrade := 0, map[corpus.Grade]int{}
	for _, by := range grades {
		ann, ok1 := by["ann"]
		ben, ok2 := by["ben"]
		if ok1 && ok2 && ann != ben {
			disagree++
		}
		for _, g := range by {
			byGrade[g]++
		}
	}
	if disagree != 1 {
		t.Errorf("annotators disagree on %d passages, want 1", disagree)
	}
	for g := corpus.Grade(0); g <= 3; g++ {
		if byGrade[g] < 2 {
			t.Errorf("grade %d is given %d times", g, byGrade[g])
		}
	}
	if len(done) < 6 || states[corpus.Later] == 0 || len(touched) == len(done) {
		t.Errorf("%d queries done, %d put off, %d touched", len(done), states[corpus.Later], len(touched))
	}
	if open := len(demoQueries(t)) - len(touched); open < 10 {
		t.Errorf("only %d queries are left to label", open)
	}
}

// TestScriptDoesNotContradictItself: what is tagged unanswerable has no relevant passage, what is done and
// answerable has one, and who finishes a query has nothing more to say about it.
func TestScriptDoesNotContradictItself(t *testing.T) {
	from := corpus.DefaultScale().RelevantFrom
	relevant, unanswerable, finished := map[string]int{}, map[string]bool{}, map[[2]string]bool{}
	steps := demoScript(t)
	for _, s := range steps {
		who := [2]string{s.QueryID, s.Annotator}
		if finished[who] {
			t.Errorf("line %d: %s goes on after finishing %s", s.Line, s.Annotator, s.QueryID)
		}
		finished[who] = s.State == corpus.Done
		if s.Label != nil && s.Label.Grade >= from {
			relevant[s.QueryID]++
		}
		if s.Tag != nil && s.Tag.Name == corpus.TagUnanswerable {
			unanswerable[s.QueryID] = true
		}
	}
	for _, s := range steps {
		if s.State == corpus.Done && (relevant[s.QueryID] > 0) == unanswerable[s.QueryID] {
			t.Errorf("query %s is done with %d relevant passages; unanswerable: %t", s.QueryID, relevant[s.QueryID], unanswerable[s.QueryID])
		}
	}
	for _, s := range steps {
		if s.Tag == nil || s.Tag.Name != corpus.TagFollowUp {
			continue
		}
		if i := slices.IndexFunc(demoQueries(t), func(q corpus.Query) bool { return q.ID == s.QueryID && len(q.Turns) > 0 }); i < 0 {
			t.Errorf("query %s is tagged follow-up and follows nothing", s.QueryID)
		}
	}
}

// TestProofsHold looks the proofs up in the guide.
func TestProofsHold(t *testing.T) {
	for _, s := range demoScript(t) {
		if s.Tag == nil {
			continue
		}
		switch s.Tag.Name {
		case corpus.TagIdentifier:
			found := false
			for _, other := range demoScript(t) {
				if other.QueryID == s.QueryID && other.Label != nil && other.Label.Grade > 0 {
					page, _ := fs.ReadFile(guide.Pages(), other.Label.Place.Document)
					found = found || strings.Contains(string(page), s.Tag.Identifier)
				}
			}
			if !found {
				t.Errorf("%q stands in no relevant page", s.Tag.Identifier)
			}
		case corpus.TagUnanswerable:
			for _, topic := range guide.Topics() {
				page, _ := guide.Page(topic.Name)
				for _, search := range s.Tag.Searches {
					if strings.Contains(strings.ToLower(page), search) {
						t.Errorf("%s speaks of %q after all", topic.Name, search)
					}
				}
			}
		case corpus.TagConflicting:
			if len(s.Tag.Places) != 2 || s.Tag.Holds < 0 || s.Tag.Note == "" {
				t.Errorf("the conflict is %+v", s.Tag)
			}
		}
	}
}

func TestReadScriptRefusesSlips(t *testing.T) {
	for name, bad := range map[string]string{
		"no query":          `{"annotator":"ann","state":"done"}`,
		"no annotator":      `{"query_id":"q","state":"done"}`,
		"says nothing":      `{"query_id":"q","annotator":"ann"}`,
		"says two things":   `{"query_id":"q","annotator":"ann","state":"done","tag":"identifier","identifier":"x"}`,
		"unknown state":     `{"query_id":"q","annotator":"ann","state":"ready"}`,
		"no heading":        `{"query_id":"q","annotator":"ann","document":"a.md","grade":1}`,
		"fraction":          `{"query_id":"q","annotator":"ann","document":"a.md","heading":"A","grade":1.5}`,
		"unknown tag":       `{"query_id":"q","annotator":"ann","tag":"billing"}`,
		"nothing tried":     `{"query_id":"q","annotator":"ann","tag":"unanswerable"}`,
		"no identifier":     `{"query_id":"q","annotator":"ann","tag":"identifier"}`,
		"no rewrite":        `{"query_id":"q","annotator":"ann","tag":"follow-up"}`,
		"one-sided":         `{"query_id":"q","annotator":"ann","tag":"conflicting","chunks":[{"document":"a","heading":"b"}]}`,
		"holds none of two": `{"query_id":"q","annotator":"ann","tag":"conflicting","chunks":[{},{}],"holds":2}`,
		"unknown key":       `{"query_id":"q","annotator":"ann","state":"done","graed":1}`,
	} {
		if steps, err := readScript([]byte(bad + "\n")); err == nil {
			t.Errorf("%s: accepted as %+v", name, steps)
		}
	}
	steps, err := readScript([]byte(`{"query_id":"q","annotator":"ann","tag":"conflicting","chunks":[{"document":"a","heading":"b"},{"document":"a","heading":"c"}]}`))
	if err != nil || steps[0].Tag.Holds != -1 {
		t.Errorf("a conflict that nobody decided is %+v, error %v", steps, err)
	}
}

func places(s Step) []Place {
	switch {
	case s.Label != nil:
		return []Place{s.Label.Place}
	case s.Tag != nil:
		return s.Tag.Places
	}
	return nil
}

// hasHeading reports whether a page has a heading of that text, whatever its level.
func hasHeading(page, heading string) bool {
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.TrimSpace(title) == heading {
			return true
		}
	}
	return false
}

func demoQueries(t *testing.T) []corpus.Query {
	t.Helper()
	queries, err := logQueries()
	if err != nil {
		t.Fatal(err)
	}
	return queries
}

func demoScript(t *testing.T) []Step {
	t.Helper()
	steps, err := Script()
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// FuzzReadScript looks for a step that says not exactly one thing.
func FuzzReadScript(f *testing.F) {
	f.Add(script)
	f.Add([]byte(`{"query_id":"q","annotator":"a","state":"done"}`))
	f.Add([]byte(`{"query_id":"q","annotator":"a","tag":"conflicting","chunks":[{},{}],"holds":-2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		steps, err := readScript(data)
		if err != nil {
			return
		}
		for _, s := range steps {
			said := 0
			for _, is := range []bool{s.Label != nil, s.State != "", s.Tag != nil} {
				if is {
					said++
				}
			}
			if said != 1 || s.QueryID == "" || s.Annotator == "" {
				t.Errorf("step %+v", s)
			}
			if s.Tag != nil && (s.Tag.Holds < -1 || s.Tag.Holds >= max(len(s.Tag.Places), 1)) && s.Tag.Name == corpus.TagConflicting {
				t.Errorf("tag %+v", *s.Tag)
			}
		}
	})
}
