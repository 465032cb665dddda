package words

import (
	"strings"
	"testing"
)

// Forms that must be found by each other, and words that must not.
func TestStems(t *testing.T) {
	for language, test := range map[string]struct{ same, apart string }{
		"ar": {"الكتاب كتاب والكتاب", "كتاب مدرسة"},
		"da": {"huset husene husets", "hus hund"},
		"de": {"haus häuser häusern hauses", "haus hund"},
		"en": {"refund refunds refunded refunding", "refund fund"},
		"es": {"canción canciones", "canción perro"},
		"fi": {"talo talon talossa", "talo koira"},
		"fr": {"éléphant éléphants", "éléphant chien"},
		"hu": {"ház házban házak", "ház kutya"},
		"it": {"libro libri", "libro cane"},
		"nl": {"boek boeken", "boek hond"},
		"no": {"huset husene", "hus hund"},
		"pt": {"livro livros", "livro cão"},
		"ro": {"casele caselor", "carte câine"},
		"ru": {"книга книги книгу", "книга собака"},
		"sv": {"flickor flickorna", "flicka hund"},
		"tr": {"ev evler evleri", "ev köpek"},
	} {
		a := analyzer(t, language)
		stem := func(w string) string {
			tok := a.Tokens(nil, w)[0]
			if tok.Stem != "" {
				return tok.Stem
			}
			return tok.Term
		}
		same := strings.Fields(test.same)
		for _, w := range same[1:] {
			if stem(w) != stem(same[0]) {
				t.Errorf("%s: %s is stemmed to %s, %s to %s", language, same[0], stem(same[0]), w, stem(w))
			}
		}
		apart := strings.Fields(test.apart)
		if stem(apart[0]) == stem(apart[1]) {
			t.Errorf("%s: %s and %s are both stemmed to %s", language, apart[0], apart[1], stem(apart[0]))
		}
	}
}

// Only words are stemmed: no numbers, no identifiers, no blobs.
func TestWhatIsNotStemmed(t *testing.T) {
	a := analyzer(t, "en")
	for _, text := range []string{"1234", "kube-proxies.", "v1s", "x86s", strings.Repeat("reallylong", 10) + "ings", "東京", "user_ids"} {
		for _, tok := range a.Tokens(nil, text) {
			if tok.Stem != "" && (tok.Kind == Whole || strings.ContainsAny(tok.Term, "0123456789-_.")) {
				t.Errorf("%s: %q is stemmed to %q", text, tok.Term, tok.Stem)
			}
			if len(tok.Term) > maxSplit && tok.Stem != "" {
				t.Errorf("a word of %d bytes is stemmed", len(tok.Term))
			}
		}
	}
	if a.Stems("x1") || !a.Stems("running") || analyzer(t, "none").Stems("running") || a.Stems("") {
		t.Error("what has a stemmer is another")
	}
	if got := analyzer(t, "none").Stem("Running"); got != "Running" {
		t.Errorf("without a language Running is stemmed to %q", got)
	}
}

func TestContractions(t *testing.T) {
	for _, test := range []struct{ language, text, want string }{
		{"en", "user's", "user"},
		{"en", "users'", "users/user"},
		{"en", "it's", "it"},
		{"en", "don't", "don't"},
		{"en", "DON’T", "don't"},
		{"en", "we'll they're I've I'd I'm", "we'll they're i've i'd i'm"},
		{"en", "kube-proxy's", "kube proxy/proxi kube-proxy'w kubeproxy/kubeproxi'j"},
		{"en", "rock'n'roll's", "rock n roll rock'n'roll'w rocknroll/rocknrol'j"},
		{"en", "o'clock", "o clock o'clock'w oclock'j"},
		{"fr", "l'avion", "l avion"},
		{"fr", "L’Avion", "l avion"},
		{"fr", "qu'il", "qu il"},
		{"fr", "aujourd'hui", "aujourd hui aujourd'hui'w aujourdhui'j"},
		{"it", "dell'arte", "dell arte"},
		{"none", "don't", "don t don't'w dont'j"},
		{"de", "Peter's", "peter/pet s peter's'w peters/pet'j"},
	} {
		got := shown(analyzer(t, test.language).Tokens(nil, test.text))
		if got != test.want {
			t.Errorf("%s: %s is %s, not %s", test.language, test.text, got, test.want)
		}
	}
}

func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"a":                      "a",
		"word":                   "word",
		"Word":                   "Word",
		"WORD":                   "WORD",
		"camelCase":              "camel Case",
		"HTMLResponse":           "HTML Response",
		"getHTML":                "get HTML",
		"IDs":                    "IDs",
		"userIDs":                "user IDs",
		"IDsOfUsers":             "IDs Of Users",
		"aB":                     "a B",
		"ABc":                    "A Bc",
		"a1":                     "a 1",
		"1a":                     "1 a",
		"a1b":                    "a 1 b",
		"a1b2":                   "a1b2",
		"éÉ":                     "é É",
		"straßeNord":             "straße Nord",
		"e\u0301Cole":            "e\u0301 Cole",
		"a\u00adB":               "a\u00ad B",
		"ДомКнига":               "Дом Книга",
		"aBcDeFgHiJkLmNoPq":      "aBcDeFgHiJkLmNoPq",
		strings.Repeat("aB", 40): strings.Repeat("aB", 40),
	} {
		got, from := []string{}, 0
		for _, to := range append(pieces(text), len(text)) {
			if to > from {
				got = append(got, text[from:to])
			}
			from = to
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q falls into %q, not %q", text, got, want)
		}
	}
}

func TestSigils(t *testing.T) {
	for before, want := range map[string]string{"": "", "-": "-", "--": "--", "---": "--", "$": "$", "(": "", "x/": "/", "~/": "~/", "./": "./", "../": "../", ".": ".", ":": "", "=": "", "@": "@", "#": "#", `\`: `\`} {
		if got := sigilOf(before); got != want {
			t.Errorf("before %q the sigil is %q, not %q", before, got, want)
		}
	}
}
