package words

import "strings"

// A word is indexed once, under a key that begins with its stem: running is run, StemEnd, ning. All forms of a word
// are then neighbours in the dictionary, a form of its own can still be told from the others, and the index is a
// quarter smaller than with words and stems apart. Where the stem is no beginning of the word (happy, happi), the word
// is its own key and the stem is indexed beside it, marked.
const (
	StemEnd  = "\x00"
	StemMark = "\x01"
)

// Key is the term under which a word with the stem is indexed.
func Key(term, stem string) string {
	if stem == "" || stem == term || !strings.HasPrefix(term, stem) {
		return term
	}
	return stem + StemEnd + term[len(stem):]
}

// Surface is the word that has the key.
func Surface(key string) string { return strings.Replace(key, StemEnd, "", 1) }

// Marks are what a token is indexed under beside its key: a stem that is no beginning of the word, and the stem that
// the word has when it is written without its accents.
func (t Token) Marks() (marks []string) {
	if t.Stem != "" && len(t.Key) == len(t.Term) {
		marks = append(marks, StemMark+t.Stem)
	}
	if t.Alt != "" {
		marks = append(marks, StemMark+t.Alt)
	}
	return marks
}

// Beginnings are the beginnings of keys whose words begin with prefix: the prefix itself, and each of the places
// where a stem may end in it.
func Beginnings(prefix string) []string {
	keys := []string{prefix}
	for i := range prefix {
		if i > 0 {
			keys = append(keys, prefix[:i]+StemEnd+prefix[i:])
		}
	}
	return keys
}
