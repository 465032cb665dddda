package group

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// question is a query as it is compared: what of its words says what it is about, and what decides between near ones.
type question struct {
	words    []string // content words as they stand, folded
	stems    []string // the same without inflection
	exact    []string // words with digits or signs: identifiers, numbers, versions; sorted
	told     int      // words that say nothing: sentences have them, searches hardly
	negated  bool
	asks     string // the kind of question: "why", "when" …; "" for how, can and none
	sides    string // words that turn a question round, in order: to, from, before, after …
	dense    string // the text where it is written without spaces; "" elsewhere
	together string // bare without what stands between and within its words
	bare     string // the folded text without punctuation, for texts of fillers only
}

// fillers say nothing of what is asked: articles, pronouns, auxiliaries, courtesies.
var fillers = list("a an the this that these those some any my our your his her their its mine i i'm im i've ive we we're you u he she it they them me us " +
	"is are am was were be been being do does did doing done can could will would shall should may might must have has had having get got getting gotten " +
	"please pls plz thanks thank hello hi hey dear ok okay just so also still now really actually currently then there here's heres and but or if as at of in on by for with about into " +
	"want wants wanted need needs needed like know tell help let how what's whats what which who's one ones kind sort way possible able make sure there's theres " +
	"help than though although because while show shows showing shown lot lots much many few gave here inside suddenly actual certain seems seem looks appears appear noticed notice inform explain find give gives given giving receive received receives receiving obtain obtained love think believe guess wonder wondering trying kindly simply exactly anyway quite very really " +
	"le la les un une des der die das ein eine el los las il lo de het een")

// negations turn what is asked into its opposite.
var negations = list("not no never none cannot can't cant couldn't couldnt don't dont doesn't doesnt didn't didnt isn't isnt aren't arent wasn't wasnt won't wont wouldn't " +
	"wouldnt haven't havent hasn't hasnt hadn't hadnt shouldn't shouldnt without unable nothing nicht kein keine pas jamais non niet")

// kinds are words that ask for different things of the same subject.
var kinds = list("why when where who whom whose warum wann wo wer pourquoi quand où qui cuándo dónde quién")

// turning are words between which a question turns round.
var turning = list("to from before after up down under over above below in out off on instead between versus vs until since against")

// courtesies are fillers that any question may have.
var courtesies = list("a an the my our your please pls plz thanks thank hello hi hey dear ok okay just so also still now really actually you me")

// particles are the second halves of verbs of two words, by the stem of the first.
var particles = map[string]string{"top": "up", "log": "in", "sign": "up", "set": "up", "back": "up", "check": "out", "opt": "out", "pay": "out", "start": "up"}

func list(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// opposites are words of which one makes the opposite of the other, though they look alike or stand in the same place.
var opposites = func() map[[2]string]bool {
	m := map[[2]string]bool{}
	for _, pair := range strings.Fields("activate/deactivate enable/disable lock/unlock block/unblock install/uninstall subscribe/unsubscribe credit/debit " +
		"lost/cost lost/last cost/most form/from here/where there/where hear/her then/than sent/rent sell/cell card/cart cards/cars card/car cash/case cash/crash rate/date " +
		"male/female import/export increase/decrease include/exclude login/logout upload/download buy/sell send/spend open/close virtual/visual " +
		"physical/fiscal billing/building hotel/motel hostel/hotel house/horse mouse/house county/country desert/dessert games/names marine/martin " +
		"northwestern/northeastern southwestern/southeastern northern/southern western/eastern north/south east/west charge/change charged/changed charges/changes rejected/reverted process/access incoming/outgoing internal/external minimum/maximum min/max public/private legal/illegal used/unused user/used read/red write/white") {
		a, b, _ := strings.Cut(pair, "/")
		m[[2]string{a, b}], m[[2]string{b, a}] = true, true
	}
	return m
}()

// read takes a text apart.
func read(s string) question {
	s = strings.ToLower(countryUS(norm.NFKC.String(strings.ReplaceAll(s, "’", "'"))))
	var q question
	if unspaced(s) {
		q.dense = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
				return r
			}
			return -1
		}, s)
	}
	var bare strings.Builder
	for n, w := range strings.FieldsFunc(s, apart) {
		w = strings.Trim(w, "'-_.:/#&+")
		if w == "" {
			continue
		}
		bare.WriteString(w)
		bare.WriteByte(' ')
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit):
			q.exact = append(q.exact, strings.Trim(w, "'"))
		case strings.ContainsAny(w, "_/:#@+.") && len(w) > 2:
			q.exact = append(q.exact, w)
		case negations[w]:
			q.negated = !q.negated
		case kinds[w]:
			if q.asks == "" && n <= 4 {
				q.asks = w // further on it joins clauses: "machines where I can pay"
			}
		case turning[w] && len(q.stems) > 0 && particles[q.stems[len(q.stems)-1]] == w:
			last := len(q.stems) - 1 // "top up", "topped up": one word, as "topup" is
			q.words[last], q.stems[last] = q.stems[last]+w, q.stems[last]+w
		case turning[w]:
			q.sides += w + " "
		case fillers[w]:
			q.told++
		default:
			for part := range strings.SplitSeq(w, "-") {
				part = strings.ReplaceAll(strings.TrimSuffix(part, "'s"), "'", "")
				if part != "" && !fillers[part] {
					q.words = append(q.words, part)
					q.stems = append(q.stems, stem(part))
				}
			}
		}
	}
	for _, r := range s {
		if unicode.Is(unicode.Sc, r) && !slices.Contains(q.exact, string(r)) {
			q.exact = append(q.exact, string(r)) // a dollar is no euro
		}
	}
	slices.Sort(q.exact)
	q.exact = slices.Compact(q.exact)
	q.bare = bare.String()
	q.together = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\'' || r == '-' {
			return -1
		}
		return r
	}, q.bare)
	return q
}

// countryUS keeps the country, in capitals among other words, from being taken for a pronoun.
func countryUS(s string) string {
	if !strings.Contains(s, "US") || strings.ToUpper(s) == s {
		return s
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		if strings.Trim(w, ".,;:?!\"'()") == "US" {
			words[i] = "usa"
		}
	}
	return strings.Join(words, " ")
}

// apart reports whether a character stands between words.
func apart(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune("'-_.:/#@&+", r)
}

// unspaced reports whether most of a text is in a script without spaces between words.
func unspaced(s string) bool {
	dense, letters := 0, 0
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x0e00 }) {
		return false
	}
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Khmer, unicode.Lao, unicode.Myanmar) {
				dense++
			}
		}
	}
	return dense*2 > letters
}

// synonyms are words that mean the same in a question, by the one that stands for them, beside irregular forms.
var synonyms = map[string]string{
	"used": "use", "uses": "use", "using": "use", "prove": "verify", "proving": "verify", "proved": "verify", "kind": "type", "kinds": "type", "reverse": "revert",
	"reversed": "revert", "reversing": "revert", "purchase": "buy", "purchases": "buy", "purchased": "buy", "bought": "buy", "cheque": "check", "cheques": "check", "incorrect": "wrong",
	"unlock": "unblock", "unlocking": "unblock", "lost": "lose", "stole": "steal", "stolen": "steal", "sent": "send", "paid": "pay", "charged": "charge", "refill": "topup", "photos": "picture",
	"pics": "picture", "pic": "picture", "photo": "picture", "pictures": "picture", "withdrawl": "withdrawal", "withdrawls": "withdrawal", "withdraw": "withdrawal",
	"withdrawing": "withdrawal", "withdrew": "withdrawal", "withdrawn": "withdrawal",
}

// stem takes English inflection off, roughly: two words with one stem are taken for one word.
func stem(w string) string {
	if s, ok := synonyms[w]; ok {
		w = s
	}
	w = strings.Replace(w, "ise", "ize", 1)
	if rest, ok := strings.CutSuffix(w, "ification"); ok {
		w = rest + "ify"
	}
	if len(w) < 4 || strings.ContainsFunc(w, func(r rune) bool { return r >= 0x80 }) {
		return w
	}
	for _, end := range []struct{ from, to string }{
		{"ies", "y"}, {"ied", "y"}, {"sses", "ss"}, {"shes", "sh"}, {"ches", "ch"}, {"xes", "x"}, {"ing", ""}, {"ed", ""}, {"es", "e"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}, {"ly", ""},
	} {
		if rest, ok := strings.CutSuffix(w, end.from); ok && len(rest) >= 3 {
			w = rest + end.to
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1] // cancelled, topped
	}
	return strings.TrimSuffix(w, "e")
}
