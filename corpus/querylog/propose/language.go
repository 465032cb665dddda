package propose

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// Language is a BCP 47 code of the text's language, "" where it can't be told: a few names and nouns are at home in
// many languages. Letters decide where only one language has them, small words otherwise; trigrams alone, which take
// "how do i lock my card" for Polish, decide nothing.
func Language(text string) string {
	script, letters := mainScript(text)
	switch {
	case letters == 0:
		return ""
	case script != "Latn":
		return byScript(script, text)
	}
	best, most, runnerUp := smallest(text)
	foreign := foreignLetters(text)
	switch {
	case !foreign && best == "en":
		return best
	case most > runnerUp && (most > 1 || foreign):
		return best
	case foreign:
		return byTrigrams(text)
	}
	return ""
}

// smallest is the language that most small words of the text belong to, English where it is one of several; and how many
// words are its and the next one's.
func smallest(text string) (best string, most, runnerUp int) {
	var counts [len(languages)]int
	for _, t := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		for mask := smallWords[t]; mask != 0; mask &= mask - 1 {
			counts[bits.TrailingZeros32(mask)]++
		}
	}
	for i, n := range counts {
		if n > most {
			best, most, runnerUp = languages[i].code, n, most
		} else {
			runnerUp = max(runnerUp, n)
		}
	}
	return best, most, runnerUp
}

// byTrigrams trusts the trigrams only where they are sure.
func byTrigrams(text string) string {
	if info := whatlanggo.Detect(text); info.IsReliable() {
		return info.Lang.Iso6391()
	}
	return ""
}

// foreignLetters reports whether there are Latin letters that English words don't have. A lone é or ö is no sign:
// café, naïve, Zoë.
func foreignLetters(text string) bool {
	n := 0
	for _, r := range text {
		if r > 0x7f && unicode.Is(unicode.Latin, r) {
			if strings.ContainsRune("ßãõñłøåæœąęışğőűřěůțșđơư¿", unicode.ToLower(r)) {
				return true
			}
			n++
		}
		if r == '¿' || r == '¡' {
			return true
		}
	}
	return n > 1
}

var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latn", unicode.Latin}, {"Cyrl", unicode.Cyrillic}, {"Grek", unicode.Greek}, {"Arab", unicode.Arabic}, {"Hebr", unicode.Hebrew},
	{"Kana", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Hani", unicode.Han}, {"Hang", unicode.Hangul}, {"Thai", unicode.Thai},
	{"Deva", unicode.Devanagari}, {"Beng", unicode.Bengali}, {"Taml", unicode.Tamil}, {"Telu", unicode.Telugu}, {"Geor", unicode.Georgian},
	{"Armn", unicode.Armenian}, {"Ethi", unicode.Ethiopic}, {"Khmr", unicode.Khmer}, {"Mymr", unicode.Myanmar}, {"Sinh", unicode.Sinhala},
}

// mainScript is the script of most letters, and how many letters there are. One letter of a script that is written
// without spaces says as much as three others.
func mainScript(text string) (script string, letters int) {
	counts := map[string]int{}
	for _, r := range text {
		if r < 0x80 {
			if isLetter(byte(r)) {
				counts["Latn"]++
				letters++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				if s.name == "Hani" || s.name == "Kana" || s.name == "Hang" {
					counts[s.name] += 2
				}
				counts[s.name]++
				break
			}
		}
	}
	most := 0
	for _, s := range scripts {
		if counts[s.name] > most {
			script, most = s.name, counts[s.name]
		}
	}
	if script == "Hani" && counts["Kana"] > 0 {
		script = "Kana"
	}
	return script, letters
}

// byScript is the language where a script has one, else what the trigrams say among those that share it.
func byScript(script, text string) string {
	if code := map[string]string{
		"Grek": "el", "Hebr": "he", "Kana": "ja", "Hani": "zh", "Hang": "ko", "Thai": "th", "Beng": "bn", "Taml": "ta", "Telu": "te",
		"Geor": "ka", "Armn": "hy", "Ethi": "am", "Khmr": "km", "Mymr": "my", "Sinh": "si",
	}[script]; code != "" {
		return code
	}
	info := whatlanggo.Detect(text)
	if code := info.Lang.Iso6391(); code != "" && script != "Latn" && whatlanggo.DetectScript(text) == info.Script {
		return code
	}
	return map[string]string{"Cyrl": "ru", "Arab": "ar", "Deva": "hi"}[script]
}

// languages are those that small words tell, English first: it is the one where they tie.
var languages = [...]struct{ code, words string }{
	{"en", "the is are am was were be been do does did don't doesn't didn't can can't could would should will i i'm i've my me you your we our it its it's this that these those and or but not of to for from with without what when where why who how which have has had there their they an"},
	{"de", "der die das und ist nicht ich ein eine einen wie kann mit für auf den dem zu von wo warum wann mein meine meinen auch wird werden kein keine"},
	{"fr", "le la les de des est une je ne pas que qui pour dans avec sur mon ma mes comment où pourquoi quand du au aux ce cette et vous nous puis-je est-ce"},
	{"es", "el los las una es por qué cómo dónde cuándo con para mi mis puedo que en del al y se su lo tarjeta cuenta está hay como donde"},
	{"it", "il gli della del che per con non una sono come dove quando perché mio mia posso nel alla e è di le"},
	{"pt", "os uma não em para com por meu minha como onde quando porque dos que é posso você você minhas meus"},
	{"nl", "de het een en van ik niet is mijn hoe kan met voor op wat waar waarom wanneer naar bij ook dit"},
	{"pl", "nie jest jak się na do czy gdzie kiedy moja moje moją mój dlaczego z w i co mogę dla"},
	{"sv", "och att det är jag inte hur kan min mitt på för med en ett var när som av"},
	{"da", "og at det er jeg ikke hvordan kan min mit på for med en et hvor hvornår som af"},
	{"nb", "og at det er jeg ikke hvordan kan min mitt på for med en et hvor når som av"},
	{"fi", "ja on ei miten missä milloin miksi en voin minun että se mitä kuinka"},
	{"tr", "ve bir bu için nasıl nerede ne zaman neden benim değil ile mi mı da de"},
	{"id", "yang dan di saya tidak bagaimana apa untuk dengan ini itu kapan mengapa dari ke"},
	{"ro", "și este nu cum pot pentru cu unde când de ce la meu mea care din în sunt"},
	{"cs", "je jak se na že kde kdy proč můj moje mohu s v a co pro není"},
	{"hu", "és a az nem hogyan hol mikor miért van egy hogy az én kártyám"},
	{"vi", "là của tôi không làm thế nào và cho có được khi ở tại sao"},
}

// smallWords are words that most sentences of a language have and few others do, each with the languages that it is of,
// a bit each.
var smallWords = func() map[string]uint32 {
	m := map[string]uint32{}
	for i, l := range languages {
		for _, w := range strings.Fields(l.words) {
			m[w] |= 1 << i
		}
	}
	return m
}()
