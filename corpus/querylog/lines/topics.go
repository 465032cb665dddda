package lines

import "strings"

// Topic is a TREC topic, as its lines build it up.
type Topic struct {
	ID, Title   string
	Description string
	field       string
}

// OpensTopics reports whether a line begins a file of topics.
func OpensTopics(line string) bool {
	l := strings.ToLower(strings.TrimSpace(line))
	return strings.HasPrefix(l, "<top>") || strings.HasPrefix(l, "<topic") && (strings.HasSuffix(l, ">")) || strings.HasPrefix(l, "<topics")
}

// Line takes the next line of a file of topics in. begun is true where a topic begins with it, done where one ends.
func (t *Topic) Line(line string) (begun, done bool) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if !strings.HasPrefix(line, "<") {
			piece := line
			if i := strings.IndexByte(line, '<'); i >= 0 {
				piece, line = line[:i], line[i:]
			} else {
				line = ""
			}
			t.add(piece)
			continue
		}
		tag, rest, ok := strings.Cut(line[1:], ">")
		if !ok {
			t.add(line)
			return begun, done
		}
		line = rest
		name, attributes, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), " ")
		switch name {
		case "top", "topic":
			*t = Topic{ID: number(attributes)}
			begun = true
		case "/top", "/topic":
			t.field, done = "", true
		default:
			t.field = strings.TrimPrefix(name, "/")
			if strings.HasPrefix(name, "/") {
				t.field = ""
			}
		}
	}
	return begun, done
}

func (t *Topic) add(piece string) {
	into := map[string]*string{"num": &t.ID, "number": &t.ID, "title": &t.Title, "query": &t.Title, "desc": &t.Description, "description": &t.Description}[t.field]
	if into == nil {
		return
	}
	piece = strings.TrimSpace(piece)
	for _, label := range []string{"Number:", "Topic:", "Description:"} {
		piece = strings.TrimSpace(strings.TrimPrefix(piece, label))
	}
	if piece != "" {
		*into = strings.TrimSpace(*into + " " + piece)
	}
}

// number is the number="…" of a topic's tag.
func number(attributes string) string {
	_, rest, ok := strings.Cut(attributes, "number=")
	if !ok {
		return ""
	}
	rest = strings.TrimLeft(rest, `"' `)
	if i := strings.IndexAny(rest, `"' >`); i >= 0 {
		rest = rest[:i]
	}
	return rest
}
