package propose

// Terms says how many chunks of the corpus hold a word. index satisfies it.
type Terms interface {
	// Holding is the number of chunks with the word, as the corpus's analyzer sees it; 0 where none holds it.
	Holding(word string) (chunks int, err error)
}

// Query is what the guesses are made from.
type Query struct {
	Text     string
	Language string // as the log says; "" where it doesn't
	FollowUp bool   // as the conversation says
}

// Tags are the tags to propose, sorted; corpus.TagUnanswerable needs a corpus and is not among them.
func Tags(q Query) []string { return nil }

// Language is a BCP 47 code of the text's language, "" where it can't be told.
func Language(text string) string { return "" }

// Unanswerable reports whether no chunk holds the query's telling words.
func Unanswerable(q Query, terms Terms) (bool, error) { return false, nil }
