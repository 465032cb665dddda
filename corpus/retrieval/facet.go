package retrieval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Facet is what queries are sliced by.
type Facet string

// The facets. Frequency is how often a query was asked, in bands of powers of ten.
const (
	ByTag       Facet = "tag"
	ByKind      Facet = "kind"
	BySource    Facet = "source"
	ByLanguage  Facet = "language"
	ByFrequency Facet = "frequency"
)

// Facets lists them all.
func Facets() []Facet { return []Facet{ByTag, ByKind, BySource, ByLanguage, ByFrequency} }

// ParseFacets reads names separated by commas, "all" for all of them; singular or plural.
func ParseFacets(list string) ([]Facet, error) {
	var by []Facet
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if name == "all" {
			by = append(by, Facets()...)
			continue
		}
		f := Facet(strings.TrimSuffix(strings.ToLower(name), "s"))
		if !slices.Contains(Facets(), f) {
			return nil, fmt.Errorf("can't slice by %q: only by tag, kind, source, language, frequency, or all", name)
		}
		by = append(by, f)
	}
	slices.Sort(by)
	by = slices.Compact(by)
	slices.SortStableFunc(by, func(a, b Facet) int { return cmp.Compare(slices.Index(Facets(), a), slices.Index(Facets(), b)) })
	return by, nil
}

// values are those of the query: several tags, else one; "" stands for none.
func (f Facet) values(q Query) []string {
	one := ""
	switch f {
	case ByTag:
		if len(q.Tags) > 0 {
			return q.Tags
		}
	case ByKind:
		one = string(q.Kind)
	case BySource:
		one = q.Source
	case ByLanguage:
		one = q.Language
	case ByFrequency:
		one = band(q.Count)
	}
	return []string{one}
}

// band is the frequency band of a count: a query asked ten times stands for more users than one asked once.
func band(count int) string {
	switch {
	case count < 1:
		return ""
	case count == 1:
		return "1"
	case count < 10:
		return "2-9"
	case count < 100:
		return "10-99"
	case count < 1000:
		return "100-999"
	}
	return "1000+"
}

var bands = []string{"1000+", "100-999", "10-99", "2-9", "1", ""}

// slices measures each part of the queries that the facets make: the most queries first, bands from the most frequent.
func (in Input) slices(queries []Query, scores []score, measures []Measure) []Slice {
	var list []Slice
	for _, f := range in.By {
		parts := map[string][]score{}
		for i, q := range queries {
			values := f.values(q)
			for j, v := range values {
				if !slices.Contains(values[:j], v) { // a tag given twice is one tag
					parts[v] = append(parts[v], scores[i])
				}
			}
		}
		from := len(list)
		for v, part := range parts {
			list = append(list, Slice{By: string(f), Value: v, N: len(part), Measures: in.means(measures, part)})
		}
		slices.SortFunc(list[from:], func(a, b Slice) int {
			if f == ByFrequency {
				return cmp.Compare(slices.Index(bands, a.Value), slices.Index(bands, b.Value))
			}
			return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Value, b.Value))
		})
	}
	return list
}
