package propose

import (
	"bufio"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/corpus"
)

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string][]string{
		"what does ERR_CONN_RESET mean":                   {"ERR_CONN_RESET"},
		"error 0x80070005 on update":                      {"0x80070005"},
		"ORA-00942 and ORA-00942 again":                   {"ORA-00942"},
		"is PROJ-1234 fixed?":                             {"PROJ-1234"},
		"how to use --web.enable-lifecycle":               {"--web.enable-lifecycle"},
		"edit /etc/prometheus/prometheus.yml.":            {"/etc/prometheus/prometheus.yml"},
		`open C:\Windows\system.ini`:                      {`C:\Windows\system.ini`},
		"upgrade from v2.45.0 to 3.0.1-rc.2":              {"v2.45.0", "3.0.1-rc.2"},
		"kube_pod_info vs. getUserById()":                 {"kube_pod_info", "getUserById"},
		"PodDisruptionBudget":                             {"PodDisruptionBudget"},
		"price of WH1000XM4":                              {"WH1000XM4"},
		"https://example.org/a?b=c is down":               {"https://example.org/a?b=c"},
		"commit 3f786850e387550fdab836ed7e6dc881de23001b": {"3f786850e387550fdab836ed7e6dc881de23001b"},
		"id 123e4567-e89b-12d3-a456-426614174000":         {"123e4567-e89b-12d3-a456-426614174000"},
		"(“prometheus.yml”)":                              {"prometheus.yml"},
		"std::string_view":                                {"std::string_view"},
		// Words, numbers, dates and prices that look a little like it.
		"windows95 and mp3 and 4x4 on the 2nd of the 1990s": nil,
		"I paid $20.50 24/7 and/or 10.5%":                   nil,
		"on 24.12.2025 or 2025-12-24 at 12:30":              nil,
		"e-mail, wi-fi, check-in, don't":                    nil,
		"YouTube PayPal iPhone McDonald's U.S.A.":           nil,
		"e.g. this, i.e. that...and so on":                  nil,
		"my card [card-1] from [email-2]":                   nil,
		"--":                                                nil,
		"":                                                  nil,
	} {
		if got := Identifiers(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		q    Query
		want []string
	}{
		{Query{Text: "How do I lock my card?"}, []string{corpus.TagQuestion}},
		{Query{Text: "how do I lock my card"}, []string{corpus.TagQuestion}},
		{Query{Text: "“Where’s my card?”"}, []string{corpus.TagQuestion}},
		{Query{Text: "lock card"}, nil},
		{Query{Text: "how"}, nil},
		{Query{Text: "am radio antenna"}, nil},
		{Query{Text: "am I charged for it"}, []string{corpus.TagQuestion}},
		{Query{Text: "may 1997 calendar"}, nil},
		{Query{Text: "wie sperre ich meine Karte"}, []string{corpus.TagNonEnglish, corpus.TagQuestion}},
		{Query{Text: "カードを止める方法は？"}, []string{corpus.TagNonEnglish, corpus.TagQuestion}},
		{Query{Text: "lock card", Language: "de"}, []string{corpus.TagNonEnglish}},
		{Query{Text: "Karte sperren", Language: "en_GB"}, nil},
		{Query{Text: "and for Windows?", FollowUp: true}, []string{corpus.TagFollowUp, corpus.TagQuestion}},
		{Query{Text: "what is ERR_CONN_RESET", FollowUp: true}, []string{corpus.TagFollowUp, corpus.TagIdentifier, corpus.TagQuestion}},
	} {
		if got := Tags(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"how do i lock my card":            "en",
		"wie kann ich meine karte sperren": "de",
		"comment bloquer ma carte ?":       "fr",
		"cómo bloqueo mi tarjeta":          "es",
		"carta di credito come fare":       "it",
		"como posso bloquear o meu cartão": "pt",
		"hoe kan ik mijn kaart blokkeren":  "nl",
		"kredi kartımı nasıl kapatırım":    "tr",
		"karta nie działa":                 "pl",
		"как заблокировать карту":          "ru",
		"як заблокувати картку в додатку":  "uk",
		"カードを止める方法":                        "ja",
		"如何锁定我的卡":                          "zh",
		"카드 잠금":                            "ko",
		"πώς κλειδώνω την κάρτα μου":       "el",
		"איך חוסמים כרטיס":                 "he",
		"كيف أوقف بطاقتي":                  "ar",
		// Names and nouns at home in many languages.
		"yahoo chat":         "",
		"café opening hours": "",
		"München hotel":      "",
		"kubernetes pod":     "",
		"12345":              "",
		"":                   "",
	} {
		if got := Language(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// collection opens a file of the real collections, or skips.
func collection(t *testing.T, name ...string) *os.File {
	t.Helper()
	folder := os.Getenv("ASSAY_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(append([]string{folder}, name...)...))
	if err != nil {
		t.Skipf("the collection is not here: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Ten thousand English questions of a bank's customers, hardly one of which names a thing letter for letter.
func TestRealQuestions(t *testing.T) {
	rows, err := csv.NewReader(collection(t, "log-banking77", "train.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, r := range rows[1:] {
		for _, tag := range Tags(Query{Text: r[0]}) {
			counts[tag]++
		}
	}
	if n := counts[corpus.TagNonEnglish]; n > 0 {
		t.Errorf("%d English questions are taken for something else", n)
	}
	if n := counts[corpus.TagIdentifier]; n > 5 {
		t.Errorf("%d identifiers in questions that hold none", n)
	}
	if n := counts[corpus.TagQuestion]; n < 6500 || n > 7500 {
		t.Errorf("%d of %d are worded as questions", n, len(rows)-1)
	}
}

func TestRealSearches(t *testing.T) {
	counts, lines := map[string]int{}, bufio.NewScanner(collection(t, "log-excite", "excite-small.log"))
	for lines.Scan() {
		if cells := strings.Split(lines.Text(), "\t"); len(cells) > 2 {
			for _, tag := range Tags(Query{Text: cells[2]}) {
				counts[tag]++
			}
		}
	}
	if counts[corpus.TagIdentifier] < 90 || counts[corpus.TagIdentifier] > 150 || counts[corpus.TagNonEnglish] > 15 {
		t.Errorf("of 4,501 searches: %v", counts)
	}
}

type held map[string]int

func (h held) Holding(word string) (int, error) {
	if word == "broken" {
		return 0, errors.New("disk on fire")
	}
	return h[strings.ToLower(word)], nil
}

func TestUnanswerable(t *testing.T) {
	terms := held{"rotate": 3, "signing": 2, "key": 9, "err_known": 1, "karte": 4, "sperren": 1}
	for text, want := range map[string]bool{
		"how do I rotate the signing key?":     false,
		"how do I rotate the signnig key?":     false, // a typo
		"best pizza in naples":                 true,
		"rotate pizza naples":                  true,
		"what does ERR_KNOWN mean":             false,
		"how do I rotate the key ERR_NOSUCH_1": true,
		"rotate ERR_KNOWN or ERR_NOSUCH_1":     false,
		"how are you":                          false, // says nothing
		"wie kann ich meine karte sperren":     false,
		"":                                     false,
		"12345":                                false,
	} {
		got, err := Unanswerable(Query{Text: text}, terms)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := Unanswerable(Query{Text: "broken"}, terms); err == nil {
		t.Error("an error of the index was swallowed")
	}
}

func FuzzTags(f *testing.F) {
	for _, s := range []string{"--", "v", "::", "a/b", "/", "~/", `\\x`, "0x", "1.2.", "¿", "é", "\xff\xfe", "[a]", "x()", "may ", "_", "http://"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tags := Tags(Query{Text: s})
		if !slices.IsSorted(tags) || len(slices.Compact(slices.Clone(tags))) != len(tags) {
			t.Errorf("%q: %q", s, tags)
		}
		for _, id := range Identifiers(s) {
			if !strings.Contains(s, id) || utf8.ValidString(s) && !utf8.ValidString(id) {
				t.Errorf("%q holds no %q", s, id)
			}
		}
		if _, err := Unanswerable(Query{Text: strings.ReplaceAll(s, "broken", "")}, held{}); err != nil {
			t.Error(err)
		}
	})
}
