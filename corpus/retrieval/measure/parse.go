package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/text"
)

// Parse reads names separated by commas or white space, e.g. "R@5,R@10 P(rel=2)@5", in any case. MRR is
// accepted for RR, MAP for AP and Hit@k for Success@k. A measure named twice is kept once.
func Parse(lists ...string) ([]Measure, error) {
	var measures []Measure
	for _, list := range lists {
		for _, name := range splitNames(list) {
			m, err := ParseOne(name)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(measures, m) {
				measures = append(measures, m)
			}
		}
	}
	if len(measures) == 0 {
		return nil, fmt.Errorf("no measure named; known are %s", knownNames())
	}
	return measures, nil
}

// splitNames cuts at commas and white space outside parentheses.
func splitNames(list string) []string {
	var names []string
	depth, start := 0, -1
	for i, r := range list {
		switch {
		case depth == 0 && strings.ContainsRune(", \t\r\n", r):
			if start >= 0 {
				names = append(names, list[start:i])
			}
			start = -1
			continue
		case r == '(':
			depth++
		case r == ')':
			depth = max(0, depth-1)
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		names = append(names, list[start:])
	}
	return names
}

// longestName is above what any measure with all its parameters takes.
const longestName = 120

// ParseOne reads one name.
func ParseOne(name string) (Measure, error) {
	if len(name) > longestName {
		return Measure{}, fmt.Errorf("no measure has a name of %d bytes, as %q… has", len(name), strings.ToValidUTF8(name[:longestName/2], ""))
	}
	base, params, depth, cut, err := dissect(name)
	if err != nil {
		return Measure{}, err
	}
	k, ok := kindNamed(base)
	if !ok {
		return Measure{}, unknownMeasure(name, base, depth, cut)
	}
	m := Measure{kind: k}
	if k == RBP {
		m.p = defaultP
	}
	if err := m.setParams(name, params); err != nil {
		return Measure{}, err
	}
	n := names[k]
	switch {
	case !cut && n.cut == required:
		return Measure{}, fmt.Errorf("measure %q needs a cut-off, e.g. %s@5", name, n.name)
	case !cut && n.cut == level:
		return Measure{}, fmt.Errorf("measure %q needs a share of recall, e.g. %s@0.1", name, n.name)
	case !cut:
		return m, nil
	case n.cut == without:
		return Measure{}, fmt.Errorf("measure %q takes no cut-off; it is %s", name, n.name)
	case n.cut == level:
		x, err := strconv.ParseFloat(depth, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return Measure{}, fmt.Errorf("measure %q: a share of recall is a number from 0 to 1, not %q", name, depth)
		}
		m.p = x + 0 // so that -0 is 0
		return m, nil
	}
	at, err := strconv.ParseUint(depth, 10, 31)
	if err != nil || at == 0 {
		return Measure{}, fmt.Errorf("measure %q: the cut-off is a whole number from 1, not %q", name, depth)
	}
	m.k = int(at)
	return m, nil
}

// dissect takes "R(rel=2)@5" apart.
func dissect(name string) (base, params, depth string, cut bool, err error) {
	base, depth, cut = strings.Cut(name, "@")
	open := strings.IndexByte(name, '(')
	if open < 0 {
		return base, "", depth, cut, nil
	}
	closing := strings.LastIndexByte(name, ')')
	if closing < open {
		return "", "", "", false, fmt.Errorf("measure %q: the parenthesis is not closed", name)
	}
	base, params = name[:open], name[open+1:closing]
	rest := name[closing+1:]
	if depth, cut = strings.CutPrefix(rest, "@"); !cut && rest != "" {
		return "", "", "", false, fmt.Errorf("measure %q: %q behind the parenthesis is no cut-off, e.g. @5", name, rest)
	}
	return base, params, depth, cut, nil
}

// setParams reads what stands in the parentheses, e.g. "rel=2, judged_only=True".
func (m *Measure) setParams(name, params string) error {
	if strings.TrimSpace(params) == "" {
		return nil
	}
	takes := names[m.kind].takes
	for _, param := range strings.Split(params, ",") {
		key, value, _ := strings.Cut(param, "=")
		key, value = strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `'"`)
		bad := func(want string) error {
			return fmt.Errorf("measure %q: %s is %s, not %q", name, key, want, value)
		}
		switch {
		case key == "rel" && takes&takesRel != 0:
			rel, err := strconv.ParseInt(value, 10, 32)
			if err != nil || rel < 1 {
				return bad("the lowest relevant grade, a whole number from 1")
			}
			m.rel = corpus.Grade(rel)
		case key == "judged_only" && takes&takesJudgedOnly != 0:
			only, err := strconv.ParseBool(strings.ToLower(value))
			if err != nil {
				return bad("True or False")
			}
			m.judgedOnly = only
		case key == "dcg" && takes&takesDCG != 0:
			if value != "exp-log2" && value != "log2" {
				return bad("log2 or exp-log2")
			}
			m.exp = value == "exp-log2"
		case key == "p" && takes&takesP != 0:
			p, err := strconv.ParseFloat(value, 64)
			if err != nil || !(p > 0 && p < 1) {
				return bad("a probability between 0 and 1")
			}
			m.p = p
		default:
			return fmt.Errorf("measure %q: %s takes %s, not %q", name, names[m.kind].name, takes, key)
		}
	}
	return nil
}

func (p parameter) String() string {
	var list []string
	for _, one := range []struct {
		p    parameter
		name string
	}{{takesRel, "rel"}, {takesJudgedOnly, "judged_only"}, {takesDCG, "dcg"}, {takesP, "p"}} {
		if p&one.p != 0 {
			list = append(list, one.name)
		}
	}
	if len(list) == 0 {
		return "no parameter"
	}
	return strings.Join(list, ", ")
}

func kindNamed(base string) (Kind, bool) {
	for k, n := range names {
		if strings.EqualFold(base, n.name) || slices.ContainsFunc(n.alsoCalled, func(s string) bool { return strings.EqualFold(base, s) }) {
			return Kind(k), true
		}
	}
	return 0, false
}

// unknownMeasure says what was probably meant.
func unknownMeasure(name, base, depth string, cut bool) error {
	if strings.EqualFold(base, "recall") && cut {
		return fmt.Errorf("measure %q means two things: R@%s is the share of the relevant chunks found, Success@%s whether any was", name, text.Sanitize(depth), text.Sanitize(depth))
	}
	if m, ok := trecNamed(name); ok {
		return fmt.Errorf("measure %q is called %s here", name, m)
	}
	candidates := []string{"precision"}
	for _, n := range names {
		candidates = append(append(candidates, n.name), n.alsoCalled...)
	}
	if near, ok := text.Nearest(base, candidates); ok {
		k, known := kindNamed(near)
		if !known {
			k = Precision
		}
		near = names[k].name
		if cut && names[k].cut != without {
			near += "@" + text.Sanitize(depth)
		}
		return fmt.Errorf("unknown measure %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown measure %q; known are %s", name, knownNames())
}

// trecNamed is the measure that trec_eval calls name, e.g. "recall_5".
func trecNamed(name string) (Measure, bool) {
	for k, n := range names {
		m := Measure{kind: Kind(k)}
		if m.kind == RBP {
			m.p = 0.9
		}
		if n.trec != "" && name == n.trec {
			return m, true
		}
		depth, ok := strings.CutPrefix(name, n.trecAtK)
		if !ok || n.trecAtK == "" {
			continue
		}
		if x, err := strconv.ParseFloat(depth, 64); n.cut == level && err == nil && x >= 0 && x <= 1 {
			m.p = x
			return m, true
		}
		if at, err := strconv.ParseUint(depth, 10, 31); n.cut != level && err == nil && at > 0 {
			m.k = int(at)
			return m, true
		}
	}
	return Measure{}, false
}

func knownNames() string {
	var list []string
	for _, n := range Known() {
		list = append(list, n[0])
	}
	return strings.Join(list, ", ")
}
