package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

func TestParseFacets(t *testing.T) {
	for list, want := range map[string]string{
		"":                              "",
		" , ":                           "",
		"tag":                           "tag",
		"Tags":                          "tag",
		"kinds,tags":                    "tag kind",
		"frequency language source":     "source language frequency",
		"all":                           "tag kind source language frequency",
		"tag,all,kind":                  "tag kind source language frequency",
		"tag tag,TAG":                   "tag",
		"sources,languages,frequencyS ": "source language frequency",
	} {
		by, err := ParseFacets(list)
		var got []string
		for _, f := range by {
			got = append(got, string(f))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q is read as %v (%v), want %s", list, got, err, want)
		}
	}
	for _, bad := range []string{"query", "tag;kind", "tagss", "s", "tag,\x1b[31m"} {
		if by, err := ParseFacets(bad); err == nil || !strings.Contains(err.Error(), "only by tag, kind, source") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q is read as %v, %v", bad, by, err)
		}
	}
}

// in says word by word whether a query belongs to a slice.
func (s Slice) in(q Query) bool {
	switch s.By {
	case "tag":
		return slices.Contains(q.Tags, s.Value) || s.Value == "" && len(q.Tags) == 0
	case "kind":
		return string(q.Kind) == s.Value
	case "source":
		return q.Source == s.Value
	case "language":
		return q.Language == s.Value
	}
	var low, high int
	switch s.Value {
	case "":
		low, high = 0, 0
	case "1":
		low, high = 1, 1
	case "1000+":
		low, high = 1000, 1<<30
	default:
		fmt.Sscanf(s.Value, "%d-%d", &low, &high)
	}
	return q.Count >= low && q.Count <= high
}

// A slice is the report of a gold set that holds its queries only, and every query that counts is in one of each facet.
func TestSlicesEqualSubsets(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(60) {
		in := varied(rand.New(rand.NewPCG(seed, 10)))
		in.Resamples, in.Seed, in.By = 30, seed, Facets()
		const measures = DefaultMeasures + " AP GMAP Sets@3 Bpref NumRel"
		r := evaluate(t, in, measures)
		counts := map[string]bool{}
		for _, q := range r.Queries {
			counts[q.QueryID] = true
		}
		covered := map[string]map[string]bool{}
		for _, s := range r.Slices {
			seen[s.By+" "+s.Value]++
			part := in
			part.By = nil
			part = only(part, s.in)
			want := evaluate(t, part, measures)
			if a, b := asJSON(t, s.Measures), asJSON(t, want.Measures); a != b || s.N != len(want.Queries) || s.N == 0 {
				t.Fatalf("seed %d, %s %q, %d queries:\n%s\nwant %d\n%s", seed, s.By, s.Value, s.N, a, len(want.Queries), b)
			}
			for _, q := range want.Queries {
				if covered[s.By] == nil {
					covered[s.By] = map[string]bool{}
				}
				covered[s.By][q.QueryID] = true
			}
		}
		for _, f := range Facets() {
			if len(counts) > 0 && len(covered[string(f)]) != len(counts) {
				t.Errorf("seed %d: slices by %s hold %d queries of %d", seed, f, len(covered[string(f)]), len(counts))
			}
		}
	}
	for _, value := range []string{"tag ", "tag free", "tag follow-up", "kind ", "kind mined", "source logs", "language de", "frequency ", "frequency 1", "frequency 2-9", "frequency 10-99", "frequency 100-999", "frequency 1000+"} {
		if seen[value] == 0 {
			t.Errorf("no slice %q among %v", value, seen)
		}
	}
}

// Slices come facet by facet in the order of Facets: the largest first, then by value; frequencies from the most asked.
func TestOrderOfSlices(t *testing.T) {
	in := Input{By: []Facet{ByTag, ByFrequency}, Run: corpus.Run{}}
	for i, q := range []Query{
		{Tags: []string{"b", "c"}, Count: 1}, {Tags: []string{"b", "b"}, Count: 12}, {Tags: []string{"a"}}, {Count: 1}, {Count: 3}, {Tags: []string{"c"}, Count: 4000}, {Count: 999},
	} {
		q.ID, q.Done, q.Grades = fmt.Sprint(i), true, map[string]corpus.Grade{"x": 1}
		in.Queries = append(in.Queries, q)
	}
	in.Queries = append(in.Queries, Query{ID: "open", Tags: []string{"open"}, Count: 50})
	var got []string
	for _, s := range evaluate(t, in, "RR").Slices {
		got = append(got, fmt.Sprintf("%s %s %d", s.By, s.Value, s.N))
	}
	want := []string{"tag  3", "tag b 2", "tag c 2", "tag a 1", "frequency 1000+ 1", "frequency 100-999 1", "frequency 10-99 1", "frequency 2-9 1", "frequency 1 2", "frequency  1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	in.By = nil
	if r := evaluate(t, in, "RR"); r.Slices != nil {
		t.Errorf("nobody asked for %v", r.Slices)
	}
}
