package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func analyzer(t testing.TB, language string) *Analyzer {
	t.Helper()
	a, err := New(language, Searching)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shown writes tokens as term, or term/stem, with a mark for what is no word: 'w identifier, 'j joined, 'g pair.
func shown(tokens []Token) string {
	var parts []string
	for _, t := range tokens {
		s := t.Term
		if t.Stem != "" {
			s += "/" + t.Stem
		}
		parts = append(parts, s+map[Kind]string{Whole: "'w", Joined: "'j", Gram: "'g"}[t.Kind])
	}
	return strings.Join(parts, " ")
}

func TestTokens(t *testing.T) {
	for _, test := range []struct{ language, text, want string }{
		{"en", "", ""},
		{"en", " \t\n", ""},
		{"en", "- -- ... /?& ' \" ()", ""},
		{"en", "Refunds are paid", "refunds/refund are paid"},
		{"none", "Refunds are paid", "refunds are paid"},
		{"en", "kube-apiserver", "kube apiserver/apiserv kube-apiserver'w kubeapiserver/kubeapiserv'j"},
		{"none", "PROJ-1234.", "proj 1234 proj-1234'w proj1234'j"},
		{"none", "getUserByID(user_id)", "get user by id getuserbyid'w user id user_id'w userid'j"},
		{"none", "parseHTMLResponse", "parse html response parsehtmlresponse'w"},
		{"none", "max-retry-count=3", "max retry count max-retry-count'w maxretrycount'j 3 max-retry-count=3'w"},
		{"none", "app.config.yaml,", "app config yaml app.config.yaml'w"},
		{"none", "v1.2.3", "v 1 v1'w 2 3 v1.2.3'w 1.2.3'j"},
		{"none", "1.2.3", "1 2 3 1.2.3'w"},
		{"none", "ann@example.org", "ann example org example.org'w ann@example.org'w"},
		{"none", "/etc/passwd:", "etc passwd etc/passwd'w /etc/passwd'w"},
		{"none", "~/x ../y", "x ~/x'w y ../y'w"},
		{"none", "--force -5 $HOME #42 @ann .env", "force --force'w 5 -5'w home $home'w 42 #42'w ann @ann'w env .env'w"},
		{"none", "C++ C# F#/g++ C++.", "c c++'w c c#'w f f#'w g g++'w f#/g'w c c++'w"},
		{"none", "std::vector C:\\temp", "std vector std::vector'w c temp c:\\temp'w"},
		{"none", "12:30?", "12 30 12:30'w"},
		{"none", "10,000 1, 2", "10 000 10,000'w 10000'j 1 2"},
		{"none", "E1001", "e 1001 e1001'w"},
		{"none", "550e8400-e29b-41d4-a716", "550 e 8400 550e8400'w e 29 b e29b'w 41 d 4 41d4'w a 716 a716'w 550e8400-e29b-41d4-a716'w 550e8400e29b41d4a716'j"},
		{"none", "deadbeef1a2b3c4d", "deadbeef1a2b3c4d"}, // a blob, not pieces
		{"none", "WiFi userIDs URLs", "wi fi wifi'w user ids userids'w urls"},
		{"none", "e-mail", "e mail e-mail'w email'j"},
		{"none", "U.S.A.", "u s a u.s.a'w usa'j"},
		{"none", "a--b foo...bar", "a b foo bar"},
		{"none", "rock 'n' roll", "rock n roll"},
		{"en", "the user's don’t O'Brien", "the user don't o brien o'brien'w obrien'j"},
		{"fr", "l'avion d’été aujourd'hui", "l avion d ete aujourd hui aujourd'hui'w aujourdhui'j"},
		{"en", "résumé re\u0301sume\u0301 Straße ﬁne ｆｕｌｌ", "resume/resum resume/resum strasse/strass fine full"},
		{"sv", "här har", "här har"},
		{"none", "här har", "har har"},
		{"none", "m² H₂O ½ ٣٤", "m2 h2o 34"},
		{"none", "re\u200bfund zero\u200dwidth\ufeff so\u00adft", "refund zerowidth soft"},
		{"none", "\u202erefund\u202c \u200e", "refund"},
		{"none", "东京都", "东 京 东京'g 都 京都'g"},
		{"none", "寺", "寺"},
		{"none", "ｶﾞ", "ガ"},
		{"none", "ガ", "ガ"},
		{"none", "abc環境x", "abc 環 境 環境'g x"},
		{"none", "全角-テキ", "全 角 全角'g テ キ テキ'g"},
		{"none", "환불 안내", "환 불 환불'g 안 내 안내'g"},
		{"none", "ภาษาไทย", "ภ า ภา'g ษ าษ'g า ษา'g ไ าไ'g ท ไท'g ย ทย'g"},
		{"de", "Häuser Haus", "hauser/haus haus"},
		{"ru", "ёлки елка", "елки/елк елка/елк"},
		{"ar", "الكتابُ كِتاب", "الكتاب/كتاب كتاب"},
		{"tr", "IŞIK İstanbul", "isik istanbul"},
		{"none", "שָׁלוֹם", "שלום"},
		{"none", "é́́́", "e"},
	} {
		if got := shown(analyzer(t, test.language).Tokens(nil, test.text)); got != test.want {
			t.Errorf("%s: %q\n got %s\nwant %s", test.language, test.text, got, test.want)
		}
	}
}

func TestTokensPointIntoTheText(t *testing.T) {
	for text, want := range map[string][]string{
		"Call getUserByID.":          {"Call", "get", "User", "By", "ID", "getUserByID"},
		"see --dry-run!":             {"see", "dry", "run", "dry-run", "dry-run", "--dry-run"},
		"C++":                        {"C", "C++"},
		"re\u200bfund, ｶﾞ東":          {"re\u200bfund", "ｶﾞ", "東", "ｶﾞ東"},
		"\xff\xfeneedle\xc3 ok":      {"needle", "ok"},
		"\u200b\u200dneedle\ufeff x": {"needle", "x"},
		"don't":                      {"don't"},
		"e\u0301te\u0301, l’avion'":  {"e\u0301te\u0301", "l", "avion", "l’avion", "l’avion"},
	} {
		var got []string
		for _, tok := range analyzer(t, "en").Tokens(nil, text) {
			got = append(got, text[tok.Start:tok.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPositionsAndGroups(t *testing.T) {
	pos := 0
	group := 0
	for _, tok := range analyzer(t, "en").Tokens(nil, "Set max-retry-count=3 in app.config, 東京 v1.2 C++ done") {
		if tok.Kind == Word {
			if tok.Pos != pos {
				t.Errorf("%q has position %d, not %d", tok.Term, tok.Pos, pos)
			}
			pos++
		} else if tok.Pos >= pos {
			t.Errorf("%q has position %d, before its first word", tok.Term, tok.Pos)
		}
		if tok.Group != group && tok.Group != group+1 {
			t.Errorf("%q is in group %d after %d", tok.Term, tok.Group, group)
		}
		group = tok.Group
	}
	if pos != 15 || group != 8 {
		t.Errorf("%d words in %d groups", pos, group)
	}
}

func TestLongTokensAreCut(t *testing.T) {
	a := analyzer(t, "en")
	for _, text := range []string{
		strings.Repeat("y", 200_000),
		strings.Repeat("é", 100_000),
		strings.Repeat("a-", 50_000),
		strings.Repeat("x.y/", 50_000),
		strings.Repeat("aB", 50_000),
		strings.Repeat("1a", 50_000),
		strings.Repeat("東", 50_000),
		"e" + strings.Repeat("\u0301", 100_000),
		strings.Repeat("Zm9vYmFyCg+/", 10_000) + "==",
	} {
		for _, tok := range a.Tokens(nil, text) {
			if len(tok.Term) > MaxTerm || len(tok.Key) > MaxTerm+1 || !utf8.ValidString(tok.Term) {
				t.Errorf("%.10q gives a term of %d bytes", text, len(tok.Term))
				break
			}
		}
	}
	long := strings.Repeat("y", 1000)
	if a.Tokens(nil, long)[0].Term != a.Tokens(nil, long+"z")[0].Term {
		t.Error("a long token is not the same in text and search")
	}
}

func TestKeys(t *testing.T) {
	a := analyzer(t, "en")
	for word, want := range map[string][2]string{
		"running": {"run\x00ning", ""},
		"run":     {"run", ""},
		"happy":   {"happy", "\x01happi"},
		"Dying":   {"dying", "\x01die"},
		"refunds": {"refund\x00s", ""},
		"v2":      {"v", ""},
	} {
		tok := a.Tokens(nil, word)[0]
		if tok.Key != want[0] || strings.Join(tok.Marks(), " ") != want[1] {
			t.Errorf("%s: key %q, marks %q", word, tok.Key, tok.Marks())
		}
		if Surface(tok.Key) != tok.Term {
			t.Errorf("%s: key %q is of %q", word, tok.Key, Surface(tok.Key))
		}
		for n := 1; n <= len(tok.Term); n++ {
			if !slices.ContainsFunc(Beginnings(tok.Term[:n]), func(b string) bool { return strings.HasPrefix(tok.Key, b) }) {
				t.Errorf("key %q is not among those that begin with %q", tok.Key, tok.Term[:n])
			}
		}
	}
	if tok := analyzer(t, "pt").Tokens(nil, "informação")[0]; tok.Key != "inform\x00acao" || !slices.Equal(tok.Marks(), []string{"\x01informaca"}) {
		t.Errorf("informação is not found as informacao: %+v", tok)
	}
	if Key("run", "run") != "run" || Key("run", "") != "run" {
		t.Error("a stem without a rest has a key of its own")
	}
}

func TestLanguages(t *testing.T) {
	if !slices.IsSorted(Languages()) || !slices.Contains(Languages(), "none") || !slices.Contains(Languages(), "zh") {
		t.Errorf("languages: %q", Languages())
	}
	for _, name := range append(Languages(), "") {
		a, err := New(name, 8) // a memory that is always full
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		canonical, _ := Canonical(name)
		if a.Language() != canonical || canonical == "" {
			t.Errorf("%q is %q, the analyzer says %q", name, canonical, a.Language())
		}
		for _, text := range []string{"Die Katzen liefen über Straßen", "les éléphants mangeaient", "книги читали", "الكتب والمدارس", "ev'lerinizden", "œuvre", "x", "ααα"} {
			for _, tok := range a.Tokens(nil, text) {
				if tok.Stem == tok.Term || tok.Term == "" || tok.Key == "" {
					t.Errorf("%s: %q gives %+v", name, text, tok)
				}
			}
		}
	}
	if _, err := New("klingon", 8); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("an unknown language: %v", err)
	}
	if a := analyzer(t, "en"); !a.Common("the") || !a.Common("don't") || a.Common("refund") {
		t.Error("the list of common words is not what it should be")
	}
	if analyzer(t, "none").Common("the") {
		t.Error("without a language nothing is common")
	}
}

func TestAnalyzerIsSharedSafely(t *testing.T) {
	a := analyzer(t, "en")
	want := shown(a.Tokens(nil, "Running refunds of getUserByID"))
	done := make(chan string)
	for range 8 {
		go func() {
			got := want
			for i := range 200 {
				a.Tokens(nil, fmt.Sprint("other words ", i))
				if s := shown(a.Tokens(nil, "Running refunds of getUserByID")); s != want {
					got = s
				}
			}
			done <- got
		}()
	}
	for range 8 {
		if got := <-done; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 5, "abc"}, {"abc", 2, "ab"}, {"é", 1, ""}, {"aé", 2, "a"}, {"", 0, ""}, {"東京", 4, "東"}} {
		if got := Cut(test.s, test.n); got != test.want {
			t.Errorf("Cut(%q, %d) = %q", test.s, test.n, got)
		}
	}
}

// FuzzTokens holds what the index relies on, for any text in any language.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		"Call getUserByID(user_id)", "v1.2.3 ann@example.org --force C++", "東京都 환불 ภาษาไทย", "re\u0301sume\u0301 İstanbul ß", "\xff\xfe\xc3",
		"don't l'avion 10,000 U.S.A.", "\u200b\u202e\ufeff", "ｶﾞ½²", "a\u0300\u0301\u0302", "''''", "1a2b3c", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ①Ⅻ", "ﷺ", "ⅷ ﾞ",
	} {
		for i := range languages {
			f.Add(s, i)
		}
	}
	analyzers := map[string]*Analyzer{}
	for _, name := range Languages() {
		a, err := New(name, 64)
		if err != nil {
			f.Fatal(err)
		}
		analyzers[name] = a
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		a := analyzers[language]
		if a == nil {
			a = analyzers["en"]
		}
		pos, group, start := 0, 0, 0
		for _, tok := range a.Tokens(nil, text) {
			if tok.Term == "" || !utf8.ValidString(tok.Term) || len(tok.Term) > MaxTerm {
				t.Fatalf("term %q of %q", tok.Term, text)
			}
			if tok.Start < 0 || tok.Start >= tok.End || tok.End > len(text) || strings.ContainsAny(tok.Term, StemEnd+StemMark) {
				t.Fatalf("%+v of %q", tok, text)
			}
			if Surface(tok.Key) != tok.Term {
				t.Fatalf("key %q of %q", tok.Key, tok.Term)
			}
			if tok.Group < group {
				t.Fatalf("groups of %q are not in order", text)
			}
			group = tok.Group
			if tok.Kind != Word {
				continue
			}
			if tok.Pos != pos || tok.Start < start {
				t.Fatalf("%+v of %q is out of order", tok, text)
			}
			pos++
			start = tok.Start
			again := a.Tokens(nil, tok.Term)
			if len(again) == 0 {
				t.Fatalf("the word %q of %q gives nothing", tok.Term, text)
			}
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	a := analyzer(b, "en")
	text := strings.Repeat("An experimental study of a wing in a propeller slipstream was made with getUserByID and kube-apiserver. ", 20)
	var tokens []Token
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens = a.Tokens(tokens[:0], text)
	}
}
