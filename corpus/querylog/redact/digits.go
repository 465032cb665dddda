package redact

import (
	"strings"
)

// run is digits that may be one number: groups of them, and what is between.
type run struct {
	groups []span
	gaps   []int // how much each gap parts: joined, spaced, apart, broken
	plus   bool
	paren  bool // a bracket before the first group closes within the run
	start  int  // with plus or bracket
	end    int
}

type span struct{ from, to int }

// How much a gap between two groups parts them.
const (
	joined = iota // - . / _ and brackets
	spaced
	apart  // spaces around a sign, and plus
	broken // a line break
)

// numbers finds cards, phones and other long numbers among the digits that are free.
func (s *scan) numbers() {
	for i := 0; i < len(s.free); i++ {
		if !isDigit(s.free[i]) {
			continue
		}
		if end := s.printed(i); end > i {
			i = end - 1
			continue
		}
		r := s.runAt(i)
		s.judge(r, len(r.groups) > 1)
		i = r.end - 1
	}
}

// runAt reads groups of digits from i as long as what separates them can be within a number.
func (s *scan) runAt(i int) run {
	r := run{start: i}
	if k := i - 1; s.at(k) == '+' || s.at(k) == ' ' && s.at(k-1) == '+' && s.at(k-2) != ' ' && !isDigit(s.at(k-2)) {
		for s.at(k) == ' ' {
			k--
		}
		r.plus = !isDigit(s.at(k - 1))
		if r.plus {
			r.start = k
		}
	} else if s.at(k) == '(' || s.at(k) == '[' {
		r.paren = true
		r.start = k
	}
	for k := i; ; {
		from := k
		for isDigit(s.at(k)) {
			k++
		}
		r.groups = append(r.groups, span{from, k})
		r.end = k
		next, gap := s.gap(k)
		if next == 0 {
			break
		}
		r.gaps = append(r.gaps, gap)
		k = next
	}
	r.paren = r.paren && len(r.groups) > 1 && strings.ContainsAny(string(s.free[r.groups[0].to:r.groups[1].from]), ")]")
	if s.at(r.start) == '(' && !r.paren || s.at(r.start) == '[' && !r.paren {
		r.start = i
	}
	return r
}

// shape is how many digits the groups have, as figures.
func (r run) shape() string {
	b := make([]byte, 0, 20)
	for _, g := range r.groups {
		b = append(b, byte('0'+min(g.to-g.from, 64)))
	}
	return string(b)
}

// piece is groups from to to of a run; the first of them alone has what stands before the run.
func (r run) piece(from, to int) run {
	if from > to {
		return run{}
	}
	p := run{groups: r.groups[from : to+1], gaps: r.gaps[from:to], start: r.groups[from].from, end: r.groups[to].to}
	if from == 0 && r.plus {
		p.plus, p.start = true, r.start
	}
	return p
}

// gap is where the next group begins after a gap at k, 0 where the number ends.
func (s *scan) gap(k int) (next, gap int) {
	signs, spaces, lines := 0, 0, 0
	brackets := 0
	plus := false
	for n := k; n < k+8 && n < len(s.free); n++ {
		switch c := s.free[n]; {
		case isDigit(c):
			if n == k {
				return 0, 0
			}
			switch {
			case lines > 0:
				gap = broken
			case signs > 0 && spaces > 1 && brackets == 0, plus, spaces > 0 && s.free[k] == '.':
				gap = apart
			case spaces > 0 && brackets == 0:
				gap = spaced
			}
			return n, gap
		case c == ' ':
			spaces++
		case c == '\n':
			lines++
		case c == '(' || c == ')' || c == '[' || c == ']':
			if brackets++; c == '(' && n > k && !isSpace(s.free[n-1]) && s.free[n-1] != '-' && s.free[n-1] != '.' && !s.trunk(n) && brackets > 1 {
				return 0, 0
			}
		case c == '-' || c == '.' || c == '/' || c == '_' || c == '~' || c == '\\':
			if signs++; signs > 3 || c == '/' && s.at(n-1) == '/' {
				return 0, 0
			}
		case c == '+':
			if plus = true; spaces > 0 || s.at(n+1) == ' ' {
				return 0, 0
			}
		default:
			return 0, 0
		}
		if spaces > 3 || lines > 2 {
			return 0, 0
		}
	}
	return 0, 0
}

// trunk reports whether "(0)" stands at n.
func (s *scan) trunk(n int) bool { return s.at(n) == '(' && s.at(n+1) == '0' && s.at(n+2) == ')' }

// judge claims what a run is, or parts it at its widest gaps and looks at the pieces.
func (s *scan) judge(r run, whole bool) {
	if len(r.groups) == 0 {
		return
	}
	if kind, value := s.kindOf(r); kind != "" {
		if kind == Phone {
			r.end = s.extension(r.end)
		}
		s.claim(kind, r.start, r.end, value)
		return
	}
	if len(r.groups) < 2 || s.cardWithin(r) {
		return
	}
	widest := 0
	for _, g := range r.gaps {
		widest = max(widest, g)
	}
	from := 0
	for n := range r.groups {
		if n < len(r.gaps) && r.gaps[n] < widest {
			continue
		}
		piece := run{groups: r.groups[from : n+1], gaps: r.gaps[from:n], start: r.groups[from].from, end: r.groups[n].to}
		if from == 0 {
			piece.plus, piece.start = r.plus, r.start
			if r.paren && n == 0 {
				piece.start = r.groups[0].from
			} else {
				piece.paren = r.paren
			}
		} else if before := s.at(piece.start - 1); before == '+' {
			piece.plus = true
			piece.start--
		} else if before == '(' && n > from {
			piece.paren = true
			piece.start--
		}
		s.judge(piece, false)
		from = n + 1
	}
}

// kindOf is what a run is as a whole, "" if it is nothing or several things.
func (s *scan) kindOf(r run) (Kind, string) {
	digits := ""
	for _, g := range r.groups {
		digits += string(s.free[g.from:g.to])
		if len(digits) > 64 {
			break
		}
	}
	n := len(digits)
	if n < 6 || len(r.groups) > 19 {
		return "", ""
	}
	first, last := s.at(r.start-1), s.at(r.end)
	glued := isLower(first) || isLower(last) && !s.extends(r.end)
	topic, distance := s.topicBefore(r.start)
	if glued && !isLower(last) {
		if t, ok := topics[s.wordBefore(r.start)]; ok && t != aThing && t != aTime || ownWords[s.wordBefore(r.start)] {
			glued = false
		}
	}
	if glued {
		return "", ""
	}
	if topic == unsaid || topic == aThing && distance > 2 {
		if t := s.topicAfter(r.end); t != unsaid {
			topic, distance = t, 3
		}
	}
	if s.isCard(r, digits, topic) {
		return Card, digits
	}
	widest := joined
	for _, g := range r.gaps {
		widest = max(widest, g)
	}
	personal := topic == aPhone || topic == anAccount || topic == aCard
	if value, ok := s.phone(r, digits, topic, distance, widest); ok {
		return Phone, value
	}
	if widest >= apart && !(personal && widest == broken && n >= 9) {
		return "", ""
	}
	switch {
	case topic == aCard && n >= 12 && n <= 19, topic == anAccount && n >= 6 && n <= 34 && (len(r.groups) <= 8) && (n >= 7 || distance == 0 || len(r.groups) > 1):
		if !s.measured(r) {
			return Number, digits
		}
	case len(r.groups) == 1 && n >= 9:
		if !s.common(r, digits, topic, distance) {
			return Number, digits
		}
	case len(r.groups) > 1 && n >= 9 && n <= 19:
		if topic != aThing && topic != aTime && s.shaped(r, digits) || topic != aTime && s.regular(r) {
			return Number, digits
		}
	}
	return "", ""
}

// common reports whether one unbroken run of nine digits or more is something else than a person's number.
func (s *scan) common(r run, digits string, topic topic, distance int) bool {
	if topic == aPhone || topic == anAccount || topic == aCard {
		return s.measured(r) && distance > 1
	}
	switch {
	case topic == aThing && distance < 3, topic == aTime && distance < 5:
		return true
	case s.measured(r):
		return true
	case strings.Trim(digits[1:], "0") == "", strings.Trim(digits, "9") == "":
		return true
	case limits[digits], stamp(digits):
		return true
	}
	switch c := s.at(r.start - 1); c {
	case '*', '~':
		return s.at(r.start-2) != c // and no Markdown
	case '<':
		return s.at(r.end) != '>'
	case '@', '^', '$', '%':
		return true
	case ' ':
		if c := s.at(r.start - 2); c == '<' || c == '>' { // compared with something
			k := r.start - 3
			for s.at(k) == ' ' {
				k--
			}
			return isWord(s.at(k)) || s.at(k) == ')' || s.at(k) == '}' || s.at(k) == ']'
		}
		return s.at(r.start-2) == '@' || s.at(r.start-2) == '}'
	case '-', '_':
		return isLower(s.at(r.start-2)) && !ownWords[s.wordBefore(r.start-1)] && len(digits) < 13
	}
	return false
}

// stamp reports whether digits are a time: seconds since 1970 from 2014 to 2033, the same to a thousandth, a millionth
// or a billionth, or the figures of a date and time.
func stamp(d string) bool {
	switch len(d) {
	case 10:
		return d[0] == '1' && d[1] >= '4' && d[1] <= '9'
	case 13, 16, 19:
		return d[0] == '1' && d[1] >= '2'
	case 12, 14, 17:
		return (d[:2] == "19" || d[:2] == "20") && (d[4:6] >= "01" && d[4:6] <= "12") && d[6:8] >= "01" && d[6:8] <= "31" && d[8:10] < "24" && d[10:12] < "60"
	}
	return false
}

// measured reports whether money or a unit stands beside the digits.
func (s *scan) measured(r run) bool {
	for k := r.start - 1; k >= 0 && k > r.start-3; k-- {
		if c := s.at(k); c == '$' {
			return true
		} else if c == other {
			switch s.src[s.start[k]:s.end[k]] {
			case "€", "£", "¥", "₹", "₽", "₩":
				return true
			}
		}
		if s.at(k) != ' ' {
			break
		}
	}
	if s.at(r.start-1) == ' ' && currencies[s.wordBefore(r.start-1)] {
		return true
	}
	for _, w := range s.wordsAfter(r.end, 1, 14) {
		return units[w] && isLower(s.at(r.end)) || units[w] && s.at(r.end) == ' ' && isLower(s.at(r.end+1))
	}
	if s.at(r.end) == ' ' && s.at(r.end+1) == other || s.at(r.end) == other {
		k := r.end
		if s.at(k) == ' ' {
			k++
		}
		switch s.src[s.start[k]:s.end[k]] {
		case "€", "£", "¥", "₹", "₽", "₩":
			return true
		}
	}
	return s.at(r.end) == '%'
}

var (
	// limits are bounds of types, which everybody meets.
	limits     = set("2147483647 2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 9007199254740991 9007199254740992 1234567890123456789 3735928559")
	currencies = set("usd eur gbp inr jpy chf aud cad cny rs")
	units      = set("b byte bytes kb mb gb tb kib mib gib tib bit bits ns us ms s sec secs second seconds milliseconds microseconds nanoseconds min minutes hours days rows row records lines samples series requests req items entries messages events tokens characters chars words px pixels hz khz mhz ghz iops rpm ops bps kbps mbps gbps w kw mw kwh km m cm mm kg g mg lb lbs usd eur gbp inr jpy dollars euros pounds euro percent times users people views hits cores nodes keys documents docs")
)
