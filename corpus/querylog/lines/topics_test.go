package lines

import (
	"reflect"
	"strings"
	"testing"
)

// read gives all topics of a text, blank lines left out as a reader of rows does it.
func read(text string) []Topic {
	var r Topics
	var out []Topic
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, r.Line(i+1, line)...)
		}
	}
	return append(out, r.End()...)
}

func TestTopics(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Topic
	}{
		{"as TREC wrote them", "<top>\n\n<num> Number: 301\n<title> Topic: International\n organized crime\n\n<desc> Description: \nWhich ones?\n\n<narr> Narrative:\nOnly < 5 > 3.\n</top>\n",
			[]Topic{{ID: "301", Title: "International organized crime", Description: "Which ones?", First: 1, Last: 12,
				Raw: "<top>\n\n<num> Number: 301\n<title> Topic: International\n organized crime\n\n<desc> Description: \nWhich ones?\n\n<narr> Narrative:\nOnly < 5 > 3.\n</top>"}}},
		{"with closing tags", "<?xml version='1.0'?>\n<xml>\n<top>\n<num> 1</num>\n<title>\nheat & flow\n</title>\n</top>\n</xml>",
			[]Topic{{ID: "1", Title: "heat & flow", First: 3, Last: 8, Raw: "<top>\n<num> 1</num>\n<title>\nheat & flow\n</title>\n</top>"}}},
		{"as XML on one line", `<topics><topic number="1"><query>a &lt; b</query></topic><topic number="2" type="x"><title>c</title></topic></topics>`,
			[]Topic{{ID: "1", Title: "a < b", First: 1, Last: 1, Raw: `<topic number="1"><query>a &lt; b</query></topic>`},
				{ID: "2", Title: "c", First: 1, Last: 1, Raw: `<topic number="2" type="x"><title>c</title></topic>`}}},
		{"cut off by the next", "<top>\n<title> a\n<top>\n<title> b\n</top>",
			[]Topic{{Title: "a", First: 1, Last: 2, Raw: "<top>\n<title> a", Fault: "the topic does not end before the next begins"},
				{Title: "b", First: 3, Last: 5, Raw: "<top>\n<title> b\n</top>"}}},
		{"cut off by the end", "<top>\n<num> 1\n<title> a", []Topic{{ID: "1", Title: "a", First: 1, Last: 3, Raw: "<top>\n<num> 1\n<title> a", Fault: "the file ends within the topic"}}},
		{"without a title", "<top>\n<num> 1\n</top>", []Topic{{ID: "1", First: 1, Last: 3, Raw: "<top>\n<num> 1\n</top>", Fault: "the topic has no title"}}},
		{"text outside", "<top><title>a</top> b\nc", []Topic{{Title: "a", First: 1, Last: 1, Raw: "<top><title>a</top>"},
			{First: 1, Last: 1, Raw: " b", Fault: "the text is outside of any topic"}, {First: 2, Last: 2, Raw: "c", Fault: "the text is outside of any topic"}}},
		{"an end alone", "</top>", []Topic{{First: 1, Last: 1, Raw: "</top>", Fault: "a topic ends here that did not begin"}}},
		{"nothing", "", nil},
	} {
		if got := read(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestOpensTopics(t *testing.T) {
	for head, want := range map[string]bool{
		"<top>\n<num>": true, "\n <TOP>": true, "<?xml version='1.0'?>\n<xml>\n<top>": true, `<topics task="x"><topic number="1">`: true, "\ufeff<top>": true,
		"": false, "<": false, "<top": false, "<html>": false, "<topping> on pizza": false, "top": false, "<?xml?><rss>": false, "<<<<<": false,
	} {
		if got := OpensTopics(head); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// FuzzTopics: every line with anything on it is part of a topic, stands around topics, or is refused.
func FuzzTopics(f *testing.F) {
	f.Add("<top>\n<num> Number: 301\n<title> a\n</top>\n")
	f.Add("<xml>\n<topic number='1'><query>a</query></topic> x <top>\n</xml>")
	f.Add("</top> < <top> <top> >")
	f.Fuzz(func(t *testing.T, text string) {
		topics := read(text)
		lines := strings.Split(text, "\n")
		covered := make([]bool, len(lines))
		at := 1
		for _, topic := range topics {
			if topic.First < at || topic.Last < topic.First || topic.Last > len(lines) {
				t.Fatalf("%q: lines %d to %d", text, topic.First, topic.Last)
			}
			at = topic.First
			for i := topic.First; i <= topic.Last; i++ {
				covered[i-1] = true
			}
			if topic.Fault == "" && topic.Title == "" && topic.Description == "" {
				t.Errorf("%q: %+v", text, topic)
			}
		}
		for i, line := range lines {
			if !covered[i] && strings.TrimSpace(line) != "" && !strings.Contains(line, "<") {
				t.Errorf("%q: line %d is lost", text, i+1)
			}
		}
	})
}
