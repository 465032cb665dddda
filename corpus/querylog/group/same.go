package group

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// same reports whether two texts are near-duplicates: what Near decides of a pair of candidates.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, y := read(a), read(b)
	return x.same(&y)
}

func (q *question) same(r *question) bool {
	if q.bare == "" || r.bare == "" {
		return false // nothing but signs
	}
	if q.together == r.together && slices.Equal(q.exact, r.exact) {
		return true
	}
	if q.negated != r.negated || !slices.Equal(q.exact, r.exact) || q.turned(r) {
		return false
	}
	if q.asks != r.asks {
		return false
	}
	if q.dense != "" || r.dense != "" {
		return q.dense != "" && r.dense != "" && alike(q.dense, r.dense)
	}
	if len(q.stems) < 2 && len(r.stems) < 2 && len(q.exact) == 0 && differ(q.bare, r.bare) {
		return false // "my card": the small words are most of what is asked
	}
	if len(q.stems) == 0 || len(r.stems) == 0 {
		return len(q.stems) == len(r.stems) && len(q.exact) > 0
	}
	return q.aligned(r)
}

// turned reports whether one asks for the way there and the other for the way back.
func (q *question) turned(r *question) bool {
	a, b := strings.Fields(q.sides), strings.Fields(r.sides)
	for _, pair := range [][2]string{{"to", "from"}, {"before", "after"}, {"up", "down"}, {"over", "under"}, {"above", "below"}, {"in", "out"}, {"on", "off"}, {"until", "since"}} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if slices.Contains(a, p[0]) && !slices.Contains(b, p[0]) && slices.Contains(b, p[1]) && !slices.Contains(a, p[1]) {
				return true
			}
		}
	}
	// "from a to b" and "from b to a" have the same words; which is which shows in the order of the rest only.
	for _, side := range []string{"from", "before", "after", "instead", "versus", "vs", "against"} {
		if slices.Contains(a, side) != slices.Contains(b, side) {
			return true
		}
		if slices.Contains(a, side) && !slices.Equal(q.stems, r.stems) && sortedEqual(q.stems, r.stems) {
			return true
		}
	}
	return false
}

// differ reports whether two texts have little of their small words in common, courtesies apart.
func differ(a, b string) bool {
	in := map[string]int{}
	for i, s := range []string{a, b} {
		for _, w := range strings.Fields(s) {
			if w = strings.ReplaceAll(w, "'", ""); fillers[w] && !courtesies[w] {
				in[w] |= 1 << i
			}
		}
	}
	both := 0
	for _, m := range in {
		if m == 3 {
			both++
		}
	}
	return both*2 < len(in)
}

func sortedEqual(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// aligned reports whether each content word of one has its like in the other.
func (q *question) aligned(r *question) bool {
	a, b := q, r
	if len(a.words) > 64 || len(b.words) > 64 {
		return slices.Equal(a.stems, b.stems)
	}
	var left []int // words of a without a like so far
	taken := make([]bool, len(b.words))
	typos := 0
	find := func(i int, like func(j int) bool) bool {
		for j := range b.words {
			if !taken[j] && like(j) {
				taken[j] = true
				return true
			}
		}
		return false
	}
	for i := range a.words {
		if !find(i, func(j int) bool { return a.stems[i] == b.stems[j] && !opposites[[2]string{a.words[i], b.words[j]}] }) {
			left = append(left, i)
		}
	}
	rest := left[:0]
	for _, i := range left {
		if find(i, func(j int) bool { return typo(a.words[i], b.words[j]) }) {
			typos++
			continue
		}
		rest = append(rest, i)
	}
	var more []string
	for j, t := range taken {
		if !t {
			more = append(more, b.words[j])
		}
	}
	var mine []string
	for _, i := range rest {
		mine = append(mine, a.words[i])
	}
	if typos > 1+len(a.words)/3 {
		return false
	}
	mine = slices.DeleteFunc(mine, func(w string) bool { return repeated(w, a, b) })
	more = slices.DeleteFunc(more, func(w string) bool { return repeated(w, b, a) })
	if a.told >= 3 && b.told >= 3 { // sentences: of a longer one a word may differ
		n, more := max(len(a.words), len(b.words)), len(mine)+len(more)
		if n >= 8 && more*4 <= n || n >= 5 && more == 1 {
			return true
		}
	}
	// "top up" and "topup", "pass code" and "passcode".
	return len(mine)+len(more) == 0 || joined(mine, more) || joined(more, mine)
}

// joined reports whether one word is the others written together.
func joined(one, others []string) bool {
	return len(one) == 1 && len(others) > 1 && one[0] == strings.Join(others, "")
}

// repeated reports whether a word of a text only says again what the other says: as it is, misspelt, or with a word
// before or after it that is written together there, or the other way round ("screen saver screensavers").
func repeated(word string, own, other *question) bool {
	w := stem(word)
	if slices.Contains(other.stems, w) || slices.ContainsFunc(other.words, func(o string) bool { return typo(word, o) }) {
		return true
	}
	for i := 1; i < len(other.stems); i++ {
		if other.stems[i-1]+other.stems[i] == w {
			return true
		}
	}
	for i := 1; i < len(own.stems); i++ {
		a, b := own.stems[i-1], own.stems[i]
		if (a == w || b == w) && (slices.Contains(other.stems, a+b) || slices.Contains(other.words, a+b)) {
			return true
		}
	}
	return false
}

// typo reports whether one word is the other with a slip of the pen: a letter too many, too few, another, or two
// swapped; two of these in long words. The first letter is hardly ever wrong.
func typo(a, b string) bool {
	n, m := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if n > m {
		a, b, n, m = b, a, m, n
	}
	if opposites[[2]string{a, b}] || n < 4 || m-n > 2 {
		return false
	}
	x, y := []rune(a), []rune(b)
	if x[0] != y[0] && (n < 6 || x[1] != y[1] && x[1] != y[0]) {
		return false
	}
	d := distance(x, y)
	switch {
	case n == 4 && n == m:
		return d == 1 && swapped(x, y)
	case n < 9 || x[0] != y[0] || x[1] != y[1]:
		return d <= 1
	}
	return d <= 2
}

// swapped reports whether two words differ by two neighbouring letters changing places.
func swapped(x, y []rune) bool {
	for i := range x {
		if x[i] != y[i] {
			return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i]
		}
	}
	return false
}

// distance is the Damerau-Levenshtein distance with swaps of neighbours (optimal string alignment).
func distance(x, y []rune) int {
	const most = 64
	if len(x) > most || len(y) > most {
		return most
	}
	var rows [3][most + 1]int
	for j := range len(y) + 1 {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		two, one, now := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(one[j]+1, now[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], two[j-2]+1)
			}
		}
	}
	return rows[(len(x)+1)%3][len(y)]
}

// alike compares texts without spaces: nearly all of their letters in nearly the same order.
func alike(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	return len(x) >= 6 && distance(x, y)*8 <= len(y)
}
