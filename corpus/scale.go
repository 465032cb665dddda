package corpus

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Grade is an integer on a Scale, or CannotJudge, which is not grade 0: it says that the annotator looked and could
// not tell, and counts as unjudged.
type Grade int

// CannotJudge marks a chunk that an annotator looked at and could not grade.
const CannotJudge Grade = math.MinInt32

// String is the grade's digits, or "cannot_judge".
func (g Grade) String() string {
	if g == CannotJudge {
		return "cannot_judge"
	}
	return strconv.Itoa(int(g))
}

// MarshalJSON writes the integer, or the string "cannot_judge".
func (g Grade) MarshalJSON() ([]byte, error) {
	if g == CannotJudge {
		return []byte(`"cannot_judge"`), nil
	}
	return strconv.AppendInt(nil, int64(g), 10), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. Fractions are an error.
func (g *Grade) UnmarshalJSON(b []byte) error {
	if string(b) == `"cannot_judge"` {
		*g = CannotJudge
		return nil
	}
	var n int32
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("a grade is an integer or \"cannot_judge\", not %s", b)
	}
	*g = Grade(n)
	return nil
}

// Scale names the grades and says from which one a chunk counts as relevant.
type Scale struct {
	ID           string           `json:"id"`
	Min          Grade            `json:"min"`
	Max          Grade            `json:"max"`
	Names        map[Grade]string `json:"names"`
	RelevantFrom Grade            `json:"relevant_from"`
}

// DefaultScale is 0 not, 1 partly, 2 relevant, 3 perfect; relevant from 1.
func DefaultScale() Scale {
	return NewScale(0, 3, map[Grade]string{0: "not", 1: "partly", 2: "relevant", 3: "perfect"}, 1)
}

// NewScale makes a scale and derives its ID from what it says, so that equal scales have equal ids in any workspace.
func NewScale(lo, hi Grade, names map[Grade]string, relevantFrom Grade) Scale {
	s := Scale{Min: lo, Max: hi, Names: map[Grade]string{}, RelevantFrom: relevantFrom}
	for g, n := range names {
		if n != "" && g >= lo && g <= hi {
			s.Names[g] = n
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %d", lo, hi, relevantFrom)
	grades := make([]int, 0, len(s.Names))
	for g := range s.Names {
		grades = append(grades, int(g))
	}
	sort.Ints(grades)
	for _, g := range grades {
		fmt.Fprintf(&b, "\x00%d\x00%s", g, s.Names[Grade(g)])
	}
	s.ID = fmt.Sprintf("%d-%d-r%d-%s", lo, hi, relevantFrom, HashText(b.String())[:8])
	return s
}

// Check reports what makes the scale unusable.
func (s Scale) Check() error {
	switch {
	case s.Min < 0:
		return fmt.Errorf("scale: the lowest grade is %d, below 0", s.Min)
	case s.Max > 9:
		return fmt.Errorf("scale: the highest grade is %d; grades are single digits", s.Max)
	case s.Max <= s.Min:
		return fmt.Errorf("scale: the highest grade %d is not above the lowest %d", s.Max, s.Min)
	case s.RelevantFrom <= s.Min || s.RelevantFrom > s.Max:
		return fmt.Errorf("scale: relevant_from %d is not between %d and %d", s.RelevantFrom, s.Min+1, s.Max)
	}
	return nil
}

// Holds reports whether g may be kept under the scale: it is on it, or says that nobody judged (CannotJudge, and the
// negative grades by which other tools mark "pooled but unjudged").
func (s Scale) Holds(g Grade) bool { return g < 0 || g >= s.Min && g <= s.Max }

// Relevant reports whether g counts as relevant.
func (s Scale) Relevant(g Grade) bool { return g >= s.RelevantFrom }

// Name is the grade's name, or its digits where the scale gives none.
func (s Scale) Name(g Grade) string {
	if g == CannotJudge {
		return "can't judge"
	}
	if n := s.Names[g]; n != "" {
		return n
	}
	return g.String()
}

// Widened is the narrowest scale that holds all of s and the grades lo to hi. Names are kept; relevant_from too.
func (s Scale) Widened(lo, hi Grade) Scale {
	return NewScale(min(s.Min, lo), max(s.Max, hi), s.Names, s.RelevantFrom)
}
