package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/no"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// DefaultLanguage is taken where none is named.
const DefaultLanguage = "en"

// NoLanguage neither stems nor drops common words.
const NoLanguage = "none"

// language is what the analyzer does differently from one language to the next. Everything else (identifiers, case,
// accents, Chinese, Japanese and Korean) is the same in all of them.
type language struct {
	stem      func(string) string // nil: words are kept as they are
	stopwords []byte              // in snowball's format
	keep      string              // accented letters that are letters of their own there
	elision   []string            // what may stand before an apostrophe and is no part of the word: l'avion
	english   bool                // 's and n't after an apostrophe; accents mark foreign words, which are stemmed without
	dotless   bool                // I and ı are one letter, İ and i another
}

func snowball(stem func(*snowballstem.Env) bool) func(string) string {
	return func(word string) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

func arabic(word string) string {
	tokens := analysis.TokenStream{{Term: []byte(word)}}
	return string(ar.NewArabicStemmerFilter().Filter(tokens)[0].Term)
}

var languages = map[string]language{
	NoLanguage: {},
	"ar":       {stem: arabic, stopwords: ar.ArabicStopWords},
	"cjk":      {},
	"da":       {stem: snowball(danish.Stem), stopwords: da.DanishStopWords, keep: "åæø"},
	"de":       {stem: snowball(german.Stem), stopwords: de.GermanStopWords},
	"en":       {stem: snowball(english.Stem), stopwords: en.EnglishStopWords, english: true},
	"es":       {stem: snowball(spanish.Stem), stopwords: es.SpanishStopWords},
	"fi":       {stem: snowball(finnish.Stem), stopwords: fi.FinnishStopWords, keep: "åäö"},
	"fr":       {stem: snowball(french.Stem), stopwords: fr.FrenchStopWords, elision: []string{"l", "m", "t", "qu", "n", "s", "j", "d", "c", "jusqu", "quoiqu", "lorsqu", "puisqu"}},
	"hu":       {stem: snowball(hungarian.Stem), stopwords: hu.HungarianStopWords},
	"it":       {stem: snowball(italian.Stem), stopwords: it.ItalianStopWords, elision: []string{"c", "l", "all", "dall", "dell", "nell", "sull", "coll", "pell", "gl", "agl", "dagl", "degl", "negl", "sugl", "un", "m", "t", "s", "v", "d"}},
	"nl":       {stem: snowball(dutch.Stem), stopwords: nl.DutchStopWords},
	"no":       {stem: snowball(norwegian.Stem), stopwords: no.NorwegianStopWords, keep: "åæø"},
	"pt":       {stem: snowball(portuguese.Stem), stopwords: pt.PortugueseStopWords},
	"ro":       {stem: snowball(romanian.Stem), stopwords: ro.RomanianStopWords},
	"ru":       {stem: snowball(russian.Stem), stopwords: ru.RussianStopWords},
	"sv":       {stem: snowball(swedish.Stem), stopwords: sv.SwedishStopWords, keep: "åäö"},
	"tr":       {stem: snowball(turkish.Stem), stopwords: tr.TurkishStopWords, dotless: true},
}

// aliases are other names of languages; each is analysed the same.
var aliases = map[string]string{"zh": "cjk", "ja": "cjk", "ko": "cjk", "nb": "no", "nn": "no"}

// Languages lists the names that New takes, sorted.
func Languages() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(languages)), maps.Keys(aliases))
	slices.Sort(names)
	return names
}

// Canonical is the canonical name of a language.
func Canonical(name string) (string, error) {
	if name == "" {
		return DefaultLanguage, nil
	}
	if canonical, ok := aliases[name]; ok {
		return canonical, nil
	}
	if _, ok := languages[name]; !ok {
		return "", fmt.Errorf("language %q is not known: take one of %s", name, strings.Join(Languages(), ", "))
	}
	return name, nil
}
