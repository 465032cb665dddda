package lines

import "strings"

// Topic is one TREC topic, or text among topics that belongs to none.
type Topic struct {
	ID, Title, Description string
	First, Last            int    // its lines
	Raw                    string // they as they are, as far as they are its own
	Fault                  string // why it can't be used; "" where it can
}

// OpensTopics reports whether a text begins like a file of topics.
func OpensTopics(head string) bool {
	for range 5 {
		head = strings.TrimLeft(head, " \t\r\n\ufeff")
		if len(head) < 4 || head[0] != '<' {
			return false
		}
		tag, rest, ok := strings.Cut(head[1:], ">")
		switch name := tagName(tag); {
		case name == "top", name == "topic", name == "topics":
			return ok
		case !ok || !wraps(name):
			return false
		}
		head = rest
	}
	return false
}

// Topics puts the lines of a file of topics together. The zero value is at its beginning.
type Topics struct {
	topic Topic
	open  bool
	field *string  // where text goes; nil for nowhere
	lines []string // of the topic that is open, as they are
}

// Line takes the next line, which may not be the one after the last, and gives the topics that end with it. A topic that another's beginning cuts off has a
// Fault, and so has text outside of topics.
func (t *Topics) Line(number int, line string) []Topic {
	var out []Topic
	for t.open && len(t.lines) < number-t.topic.First { // blank ones that nobody passed on
		t.lines = append(t.lines, "")
	}
	begin := 0 // of the part of the line that is the topic's own
	for i := 0; i < len(line); {
		if line[i] != '<' {
			end := strings.IndexByte(line[i:], '<')
			if end < 0 {
				end = len(line) - i
			}
			out = t.text(number, line[i:i+end], out)
			i += end
			continue
		}
		end := strings.IndexByte(line[i:], '>')
		name := ""
		if end > 0 {
			name = tagName(line[i+1 : i+end])
		}
		switch {
		case end < 0 || name == "": // a sign for "less"
			out = t.text(number, line[i:i+1], out)
			i++
			continue
		case name == "top" || name == "topic":
			if t.open {
				out = append(out, t.end(line[begin:i], "the topic does not end before the next begins"))
			}
			*t = Topics{open: true, topic: Topic{ID: attribute(line[i+1:i+end], "number"), First: number}}
			begin = i
		case name == "/top" || name == "/topic":
			if t.open {
				out = append(out, t.end(line[begin:i+end+1], ""))
			} else {
				out = append(out, outside(number, line[i:i+end+1], "a topic ends here that did not begin"))
			}
			begin = i + end + 1
		case t.open:
			t.tag(name)
		case !wraps(name):
			out = append(out, outside(number, line[i:i+end+1], "the text is outside of any topic"))
		}
		i += end + 1
	}
	if t.open {
		t.lines = append(t.lines, line[begin:])
		t.space()
	}
	return out
}

// End is the topic that the end of the file cuts off, if there is one.
func (t *Topics) End() []Topic {
	if !t.open {
		return nil
	}
	return []Topic{t.end("", "the file ends within the topic")}
}

func (t *Topics) end(rest, fault string) Topic {
	done := t.topic
	if rest != "" {
		t.lines = append(t.lines, rest)
	}
	done.Raw, done.Last = strings.Join(t.lines, "\n"), done.First+max(1, len(t.lines))-1
	done.ID, done.Title, done.Description = label(done.ID, "number:"), label(done.Title, "topic:"), label(done.Description, "description:")
	if done.Fault = fault; fault == "" && done.Title == "" && done.Description == "" {
		done.Fault = "the topic has no title"
	}
	*t = Topics{}
	return done
}

// tag opens or closes a field. Old topics close none: the next one's tag does it.
func (t *Topics) tag(name string) {
	switch name {
	case "num", "number":
		t.field = &t.topic.ID
	case "title", "query":
		t.field = &t.topic.Title
	case "desc", "description":
		t.field = &t.topic.Description
	default:
		t.field = nil
	}
}

func (t *Topics) text(number int, s string, out []Topic) []Topic {
	switch {
	case t.open && t.field != nil:
		*t.field += s
	case !t.open && strings.TrimSpace(s) != "":
		out = append(out, outside(number, s, "the text is outside of any topic"))
	}
	return out
}

// space parts the words of two lines.
func (t *Topics) space() {
	if t.field != nil && *t.field != "" {
		*t.field += " "
	}
}

func outside(number int, raw, fault string) Topic {
	return Topic{First: number, Last: number, Raw: raw, Fault: fault}
}

// label is a field's text without the word that old topics begin it with.
func label(s, word string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) >= len(word) && strings.EqualFold(s[:len(word)], word) {
		s = strings.TrimSpace(s[len(word):])
	}
	return unreferenced.Replace(s)
}

// unreferenced undoes what XML can't do without.
var unreferenced = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&#39;", "'", "&amp;", "&")

// tagName is the name in a tag, in lower case; "" where it is none.
func tagName(tag string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(tag), " ")
	bare := strings.Trim(name, "/?!-")
	if bare == "" && !strings.HasPrefix(name, "!--") || strings.ContainsFunc(bare, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == ':')
	}) {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(name, "/"))
}

// wraps reports whether a tag may stand around topics.
func wraps(name string) bool {
	return strings.HasPrefix(name, "?") || strings.HasPrefix(name, "!") || strings.HasSuffix(name, "topics") || strings.HasSuffix(name, "xml")
}

// attribute is the value of a tag's attribute, "" where it has none.
func attribute(tag, name string) string {
	i := strings.Index(strings.ToLower(tag), " "+name+"=")
	if i < 0 {
		return ""
	}
	rest := tag[i+len(name)+2:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		value, _, _ := strings.Cut(rest[1:], rest[:1])
		return value
	}
	value, _, _ := strings.Cut(rest, " ")
	return value
}
