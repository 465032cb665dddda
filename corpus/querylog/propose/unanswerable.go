package propose

import (
	"strings"
	"unicode"
)

// mostWords is how many telling words of a query are looked up at most.
const mostWords = 12

// Unanswerable reports whether the corpus likely has no answer: no chunk holds the identifiers that the query names, or
// most of its telling words. One unknown word among several is a typo more often than a gap.
func Unanswerable(q Query, terms Terms) (bool, error) {
	telling, unknown := 0, 0
	ids := Identifiers(q.Text)
	missing := 0
	for _, id := range ids {
		n, err := terms.Holding(id)
		if err != nil {
			return false, err
		}
		if n == 0 {
			missing++
		}
	}
	if len(ids) > 0 && missing == len(ids) {
		return true, nil
	}
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(q.Text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\'' && r != '-' && r != '_'
	}) {
		if w = strings.Trim(w, "'-_"); !tells(w) || seen[w] || telling == mostWords {
			continue
		}
		seen[w] = true
		telling++
		n, err := terms.Holding(w)
		if err != nil {
			return false, err
		}
		if n == 0 {
			unknown++
		}
	}
	return unknown > 0 && 2*unknown > telling, nil
}

// tells reports whether a word says what a query is about.
func tells(w string) bool {
	if w == "" || len([]rune(w)) < 3 && w[0] < 0x80 || strings.Trim(w, "0123456789") == "" {
		return false
	}
	return !questionWords[w] && !ordinary[w] && smallWords[w] == 0
}

// ordinary are words that any text may lack without being about something else.
var ordinary = words("please help thanks thank hello hey need want know tell find show get got getting make using use used problem issue question " +
	"anyone someone something anything everything really also just like about into after before then than more most some any much many")
