package docs

import (
	"strings"
	"testing"
)

// parts writes blocks as the text that they stand for, with line ends as ⏎.
func parts(text string, blocks []block) []string {
	var out []string
	for _, b := range blocks {
		out = append(out, strings.ReplaceAll(text[b.start:b.end], "\n", "⏎"))
	}
	return out
}

func TestStretch(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"text", "text"}, {"text  \n\n", "text"}, {"\n \n\t\n  text", "  text"}, {"  text", "  text"}, {"a\n\n b \n", "a\n\n b"},
		{"", ""}, {" \n\t \n ", ""}, {"\u00a0\u3000\n", ""}, {"\u200b", "\u200b"},
	} {
		b, ok := stretch(tt.in, 0, len(tt.in), prose)
		if got := tt.in[b.start:max(b.start, b.end)]; got != tt.want || ok != (tt.want != "") {
			t.Errorf("stretch(%q) = %q, %v, want %q", tt.in, got, ok, tt.want)
		}
	}
	if b, ok := stretch("before text after", 7, 12, line); !ok || b.start != 7 || b.end != 11 || b.shape != line {
		t.Errorf("within a text: %+v, %v", b, ok)
	}
}

func TestBlankLines(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a": 0, "\na": 1, " \n\t\n a": 4, "   ": 0, "\n\n": 2, "a\n\nb": 0} {
		if got := blankLines(in); got != want {
			t.Errorf("blankLines(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"two", "One. Two.", []string{"One.", "Two."}},
		{"questions and quotes", "“Is it?” He said: “It is.” Yes!", []string{"“Is it?”", "He said: “It is.”", "Yes!"}},
		{"wrapped by hand", "One sentence\non two lines. The\nnext.", []string{"One sentence⏎on two lines.", "The⏎next."}},
		{"numbers", "It costs 3.50 a day. Or 1,000.", []string{"It costs 3.50 a day.", "Or 1,000."}},
		{"lower case goes on", "the file a.md is read. fine", []string{"the file a.md is read. fine"}},
		{"chinese", "退款在十四天内。礼品卡不能退款。", []string{"退款在十四天内。", "礼品卡不能退款。"}},
		{"japanese", "はい。そうです！本当？", []string{"はい。", "そうです！", "本当？"}},
		{"arabic", "هل هذا صحيح؟ نعم.", []string{"هل هذا صحيح؟", "نعم."}},
		{"hindi", "यह पहला है। यह दूसरा है।", []string{"यह पहला है।", "यह दूसरा है।"}},
		{"paragraph separator", "one\u2029two", []string{"one", "two"}},
		{"no end", "no end at all", []string{"no end at all"}},
		{"blank", " \n ", nil},
	} {
		compare(t, tt.name, parts(tt.in, sentences(tt.in, 0, len(tt.in))), tt.want)
	}
	// A part of a text is looked at by itself, at its place.
	text := "Skip this. One. Two. Skip this."
	got := sentences(text, 11, 20)
	compare(t, "part", parts(text, got), []string{"One.", "Two."})
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"one\ntwo", []string{"one", "two"}}, {"  one\n\n\t\n  two\n", []string{"  one", "  two"}}, {"one  \n", []string{"one"}}, {"\n\n", nil}, {"", nil},
	} {
		compare(t, tt.in, parts(tt.in, lines(tt.in, 0, len(tt.in))), tt.want)
	}
}

func TestFragments(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		size     int
		want     []string
	}{
		{"fits", "short text", 20, []string{"short text"}},
		{"exactly", "ten bytes!", 10, []string{"ten bytes!"}},
		{"at space", "one two three four", 8, []string{"one two", "three", "four"}},
		{"at line ends first", "one\ntwo three", 9, []string{"one⏎two", "three"}},
		{"after hyphens", "well-known-words", 11, []string{"well-known-", "words"}},
		{"url", "http://example.test/a/long/path", 20, []string{"http://example.test/", "a/long/path"}},
		{"no space", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"chinese", "退款在十四天内", 9, []string{"退款在", "十四天", "内"}},
		{"punctuation stays with its word", "退款在。十四", 9, []string{"退款", "在。十", "四"}},
		{"accents stay", "e\u0301e\u0301e\u0301", 4, []string{"e\u0301", "e\u0301", "e\u0301"}},
		{"flags stay", "🇩🇪🇫🇷🇮🇹", 10, []string{"🇩🇪", "🇫🇷", "🇮🇹"}},
		{"runes stay", "e" + strings.Repeat("\u0301", 4), 4, []string{"e\u0301", "\u0301\u0301", "\u0301"}},
		{"runes of four bytes", "😀😀", 5, []string{"😀", "😀"}},
		{"much space", "a" + strings.Repeat(" ", 30) + "b", 10, []string{"a", "b"}},
	} {
		blocks := fragments(tt.in, 0, len(tt.in), tt.size)
		compare(t, tt.name, trimmed(parts(tt.in, blocks)), tt.want)
		for _, b := range blocks {
			if b.len() > tt.size {
				t.Errorf("%s: %q is longer than %d", tt.name, tt.in[b.start:b.end], tt.size)
			}
		}
	}
}

// trimmed takes the space off each.
func trimmed(s []string) []string {
	for i := range s {
		s[i] = strings.TrimSpace(s[i])
	}
	return s
}

func TestParagraphs(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"one\ntwo\n\nthree", []string{"one⏎two", "three"}},
		{"\n\n  one\n \t\n\n\ntwo  \n\n", []string{"  one", "two"}},
		{"one", []string{"one"}}, {"", nil}, {"\n \n", nil},
	} {
		compare(t, tt.in, parts(tt.in, paragraphs(tt.in, 0, len(tt.in))), tt.want)
	}
}

func TestJoinedHeadings(t *testing.T) {
	h := func(start, end int) block { return block{start: start, end: end, shape: heading} }
	text := block{start: 40, end: 60, shape: prose}
	p := packer{size: 30}
	for _, tt := range []struct {
		name string
		in   []section
		want []int // blocks in each section
	}{
		{"nothing to join", []section{{"a", []block{h(0, 5), text}}, {"b", []block{h(70, 75), text}}}, []int{2, 2}},
		{"a heading alone", []section{{"a", []block{h(0, 5)}}, {"b", []block{h(6, 10), text}}}, []int{3}},
		{"two alone", []section{{"a", []block{h(0, 5)}}, {"b", []block{h(6, 10)}}, {"c", []block{h(11, 15), text}}}, []int{4}},
		{"too long together", []section{{"a", []block{h(0, 20)}}, {"b", []block{h(21, 39), text}}}, []int{1, 2}},
		{"the last alone", []section{{"a", []block{h(0, 5), text}}, {"b", []block{h(61, 65)}}}, []int{2, 1}},
		{"text before the first", []section{{"", []block{text}}, {"b", []block{h(61, 65), text}}}, []int{1, 2}},
		{"none", nil, nil},
	} {
		got := p.joined(tt.in)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %d sections, want %d", tt.name, len(got), len(tt.want))
			continue
		}
		for i, s := range got {
			if len(s.blocks) != tt.want[i] {
				t.Errorf("%s: %d blocks in section %d, want %d", tt.name, len(s.blocks), i, tt.want[i])
			}
		}
		if n := len(got); n > 0 && got[n-1].title != tt.in[len(tt.in)-1].title {
			t.Errorf("%s: the last is called %q", tt.name, got[n-1].title)
		}
	}
}

// What a piece repeats is the end of the one before, in whole sentences or blocks, and never all of it.
func TestOverlapRepeatsWholeSentences(t *testing.T) {
	text := strings.Repeat("Here is a sentence. There is another one. ", 50)
	for _, c := range []Chunking{{200, 50}, {200, 100}, {100, 20}, {100, 0}} {
		pieces := cutPlain(text, "", c)
		checkPieces(t, text, 0, pieces, c)
		repeats := 0
		for i := 1; i < len(pieces); i++ {
			if pieces[i].Start >= pieces[i-1].End {
				continue
			}
			repeats++
			if again := text[pieces[i].Start:pieces[i-1].End]; !strings.HasSuffix(again, ".") || again[0] != 'H' && again[0] != 'T' {
				t.Errorf("%v: repeats %q", c, again)
			}
		}
		if (repeats > 0) != (c.Overlap >= 22) {
			t.Errorf("%v: %d of %d pieces repeat something", c, repeats, len(pieces))
		}
	}
}
