package sample

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// maxStrata is how many strata there may be: more are no table, and each would get hardly a query.
const maxStrata = 1000

// Names of strata; the last two are no value of their dimension.
const (
	head, torso, tail = "head", "torso", "tail"
	noTag, unknown    = "no tag", "unknown"
)

// stratum is a row of the table with how many of its queries can be drawn still.
type stratum struct {
	Stratum
	left int
}

// cover counts a drawn query in.
func (s *stratum) cover(count int, inclusion float64) {
	s.Covered = plus(s.Covered, count)
	s.Weight += float64(count) / inclusion
}

// surveyed knows each unit's stratum.
type surveyed struct {
	by   Dimension
	name func(Unit) string
	at   map[string]int // by name, once tallied
}

// survey walks through the units for what strata of the dimension depend on.
func survey(units iter.Seq2[Unit, error], by Dimension) (*surveyed, error) {
	counts, tags, days := map[int]int{}, map[string]int{}, map[int]bool{}
	err := each(units, func(u Unit) error {
		if !(u.Inclusion >= 0 && u.Inclusion <= 1) {
			return fmt.Errorf("draw: query %q was drawn with an inclusion of %g, which is no probability", u.ID, u.Inclusion)
		}
		switch by {
		case Frequency:
			counts[u.Count]++
		case Tag:
			for i, t := range u.Tags {
				if !slices.Contains(u.Tags[:i], t) {
					tags[t]++
				}
			}
			if len(tags) > maxStrata {
				return tooMany(by)
			}
		case Time:
			if u.FirstSeen != nil {
				days[dayOf(*u.FirstSeen)] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &surveyed{by: by}
	switch by {
	case Frequency:
		band := bands(counts)
		s.name = func(u Unit) string { return band[u.Count] }
	case Tag:
		s.name = func(u Unit) string { return rarest(u.Tags, tags) }
	case Language:
		s.name = func(u Unit) string { return cmp.Or(u.Language, unknown) }
	case Time:
		period := periodFor(days)
		s.name = func(u Unit) string {
			if u.FirstSeen == nil {
				return unknown
			}
			return period(u.FirstSeen.UTC())
		}
	}
	return s, nil
}

// compare is the order of the table: head, torso, tail; time as it goes; else the most asked first. What has no value
// of the dimension comes last.
func (s *surveyed) compare(a, b *stratum) int {
	place := func(x *stratum) int {
		switch {
		case s.by == Frequency:
			return slices.Index([]string{head, torso, tail}, x.Name)
		case x.Name == noTag || x.Name == unknown:
			return 1
		}
		return 0
	}
	asked := 0
	if s.by != Time {
		asked = cmp.Compare(b.Asked, a.Asked)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), asked, strings.Compare(a.Name, b.Name))
}

func tooMany(by Dimension) error {
	return fmt.Errorf("make strata by %s: more than %d of them; take another of frequency, tag, language or time", by, maxStrata)
}

// bands says for each count whether it is asked in the head, the torso or the tail. The head are the most asked queries
// that make up the first third of the traffic, the torso those of the second. Queries asked equally often stay
// together, and fall where the middle of their traffic falls. What was asked once is tail in any case.
func bands(counts map[int]int) map[int]string {
	sorted := slices.Sorted(maps.Keys(counts)) // sums depend on the order
	slices.Reverse(sorted)
	total, above := 0.0, 0.0
	for _, c := range sorted {
		total += float64(c) * float64(counts[c])
	}
	band := make(map[int]string, len(sorted))
	for _, c := range sorted {
		own := float64(c) * float64(counts[c])
		switch middle := (above + own/2) / total; {
		case c <= 1:
			band[c] = tail
		case middle <= 1./3:
			band[c] = head
		case middle <= 2./3:
			band[c] = torso
		default:
			band[c] = tail
		}
		above += own
	}
	return band
}

// rarest is the tag that the fewest queries have, of equally rare ones the first by bytes.
func rarest(tags []string, queries map[string]int) string {
	if len(tags) == 0 {
		return noTag
	}
	return slices.MinFunc(tags, func(a, b string) int {
		return cmp.Or(cmp.Compare(queries[a], queries[b]), strings.Compare(a, b))
	})
}

// dayOf is the number of days since 1970, in UTC.
func dayOf(t time.Time) int {
	const day = 24 * 60 * 60
	s := t.Unix()
	if s < 0 {
		s -= day - 1
	}
	return int(s / day)
}

// periods name the day, week, month, quarter and year of a time; names sort as time does.
var periods = []func(time.Time) string{
	func(t time.Time) string { return t.Format(time.DateOnly) },
	func(t time.Time) string {
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	},
	func(t time.Time) string { return t.Format("2006-01") },
	func(t time.Time) string { return fmt.Sprintf("%04d-Q%d", t.Year(), (int(t.Month())+2)/3) },
	func(t time.Time) string { return fmt.Sprintf("%04d", t.Year()) },
}

// periodFor is the shortest period that makes at most twelve strata of the days on which something was seen; years where
// none does.
func periodFor(days map[int]bool) func(time.Time) string {
	const most = 12
	for _, period := range periods {
		names := map[string]bool{}
		for day := range days {
			if names[period(time.Unix(int64(day)*24*60*60, 0).UTC())] = true; len(names) > most {
				break
			}
		}
		if len(names) <= most {
			return period
		}
	}
	return periods[len(periods)-1]
}

// tally counts what each stratum holds.
func tally(units iter.Seq2[Unit, error], s *surveyed) ([]*stratum, error) {
	byName := map[string]*stratum{}
	err := each(units, func(u Unit) error {
		name := s.name(u)
		row := byName[name]
		if row == nil {
			if len(byName) == maxStrata {
				return tooMany(s.by)
			}
			row = &stratum{Stratum: Stratum{Name: name}}
			byName[name] = row
		}
		row.Queries++
		row.Asked = plus(row.Asked, u.Count)
		if u.Inclusion > 0 {
			row.Before++
		} else {
			row.left++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := make([]*stratum, 0, len(byName))
	for _, row := range byName {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, s.compare)
	s.at = make(map[string]int, len(rows))
	for i, row := range rows {
		s.at[row.Name] = i
	}
	return rows, nil
}
