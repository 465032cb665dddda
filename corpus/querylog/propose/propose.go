package propose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/corpus"
)

// Terms says how many chunks of the corpus hold a word.
type Terms interface {
	// Holding is the number of chunks with the word, as the corpus's analyzer sees it; 0 where none holds it.
	Holding(word string) (chunks int, err error)
}

// Query is what the guesses are made from.
type Query struct {
	Text     string
	Language string // as the log says, a BCP 47 code; "" where it doesn't, Undetermined where it was looked at in vain
	FollowUp bool   // as the conversation says
}

// Undetermined is the BCP 47 code of a language that could not be told.
const Undetermined = "und"

// Tags are the tags to propose, sorted; corpus.TagUnanswerable needs a corpus and is not among them.
func Tags(q Query) []string {
	var tags []string
	if len(Identifiers(q.Text)) > 0 {
		tags = append(tags, corpus.TagIdentifier)
	}
	if asks(q.Text) {
		tags = append(tags, corpus.TagQuestion)
	}
	language := q.Language
	if language == "" {
		language = Language(q.Text)
	}
	if language != "" && language != Undetermined && !english(language) {
		tags = append(tags, corpus.TagNonEnglish)
	}
	if q.FollowUp {
		tags = append(tags, corpus.TagFollowUp)
	}
	slices.Sort(tags)
	return tags
}

// english takes codes as logs write them: en, en-GB, en_US, eng, English.
func english(code string) bool {
	code, _, _ = strings.Cut(strings.ToLower(code), "-")
	code, _, _ = strings.Cut(code, "_")
	return code == "en" || code == "eng" || code == "english"
}

// questionWords begin questions, in the commonest languages of support logs.
var questionWords = words("how what when where why who whom whose which can could do does did is are am was were will would should shall may has have hasn't haven't isn't aren't can't couldn't won't doesn't don't didn't what's where's how's who's when's why's " +
	"wie was wann wo warum wer welche welcher welches wieso weshalb kann ist sind comment quand où pourquoi qui quel quelle est-ce cómo qué cuándo dónde por quién cuál come quando dove perché chi quale como hoe wat wanneer waar waarom wie")

// asks reports whether the text is worded as a question: it begins like one, or ends with a question mark.
func asks(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'”’)»!.…`, r) })
	if last, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune("?？؟;⁇", last) && (last != ';' || hasScript(s, unicode.Greek)) {
		return true
	}
	first, rest, more := strings.Cut(strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
	first = strings.ToLower(strings.ReplaceAll(strings.TrimRight(first, ",:;"), "’", "'"))
	return more && strings.TrimSpace(rest) != "" && questionWords[first] && !titles(first, rest)
}

// titles reports whether a search for a name only looks like a question: "who" is a band, "may 1997" a month.
func titles(first, rest string) bool {
	switch first {
	case "am": // "am radio"
		return !strings.HasPrefix(strings.ToLower(rest), "i ")
	case "may":
		return startsDigit(rest)
	case "will":
		return !strings.Contains(rest, " ")
	}
	return false
}

func startsDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func hasScript(s string, table *unicode.RangeTable) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(table, r) })
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
