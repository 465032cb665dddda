package redact

import (
	"slices"
	"strings"
)

// called1 is a name to look for, as the words that it consists of.
type called1 struct {
	value string
	parts []string
}

// called makes names ready to be looked for.
func called(names []string, off bool) []called1 {
	if off {
		return nil
	}
	var all []called1
	var v view
	for _, name := range names {
		if len(name) > 200 || nobodys[strings.ToLower(strings.TrimSpace(name))] {
			continue
		}
		v.read(name)
		var parts []string
		for _, w := range v.words() {
			parts = append(parts, v.word(w))
		}
		if len(parts) == 0 || len(parts) > 8 {
			continue
		}
		sorted := slices.Clone(parts)
		slices.Sort(sorted)
		all = append(all, called1{strings.Join(sorted, " "), parts})
	}
	return all
}

// words are the words of a view: letters and digits.
func (v *view) words() []span {
	var all []span
	for k := 0; k < len(v.low); {
		if !isWord(v.low[k]) {
			k++
			continue
		}
		from := k
		for k < len(v.low) && isWord(v.low[k]) {
			k++
		}
		all = append(all, span{from, k})
	}
	return all
}

// word is how a word reads in lower case and without marks.
func (v *view) word(w span) string {
	if !slices.Contains(v.low[w.from:w.to], letter) {
		return string(v.low[w.from:w.to])
	}
	return strings.ToLower(v.src[v.start[w.from]:v.end[w.to-1]])
}

// names claims the names that were given: all of their words in any order, or some of those that are three letters
// long and more. A word that is an everyday one too counts only where it is written like a name. What stands between
// two words of a name goes with them.
func (s *scan) names(all []called1) {
	if len(all) == 0 {
		return
	}
	words := s.words()
	for n := 0; n < len(words); n++ {
		for _, name := range all {
			last, long := -1, false
			for k := n; k < len(words) && s.near(words, n, k); k++ {
				w := s.word(words[k])
				if !slices.Contains(name.parts, w) || !s.isFree(words[k].from, words[k].to) {
					break
				}
				last = k
				long = long || len([]rune(w)) >= 3 && !s.ordinary(words[k], w) || len(name.parts) == 1 || w[0] >= 0xe3
			}
			for last > n && len(s.word(words[last])) == 1 && s.at(words[last].to) == '\'' {
				last--
			}
			if last < 0 || !long && last-n+1 < len(name.parts) || !long && len(name.parts) == 1 {
				continue
			}
			s.claim(Name, words[n].from, words[last].to, name.value)
			n = last
			break
		}
	}
	for _, name := range all {
		s.unspaced(name)
	}
}

// near reports whether only what joins a name's words is between word k and the one before it.
func (s *scan) near(words []span, n, k int) bool {
	if k == n {
		return true
	}
	between := s.low[words[k-1].to:words[k].from]
	return len(between) <= 3 && strings.Trim(string(between), " ,.-_+'\n") == ""
}

// unspaced claims names in scripts that don't part words.
func (s *scan) unspaced(name called1) {
	whole := strings.Join(name.parts, "")
	if first := []rune(whole); len(first) < 2 || first[0] < 0x2e80 {
		return
	}
	for k := 0; k < len(s.low); k++ {
		if s.free[k] != letter || !strings.HasPrefix(s.src[s.start[k]:], whole) {
			continue
		}
		end := k
		for end < len(s.low) && int(s.end[end]-s.start[k]) < len(whole) {
			end++
		}
		if end < len(s.low) && s.isFree(k, end+1) {
			s.claim(Name, k, end+1, name.value)
		}
	}
}

// ordinary reports whether a word is most likely not meant as a name.
func (s *scan) ordinary(w span, word string) bool {
	if !alsoWords[word] {
		return false
	}
	first := s.text[w.from]
	before := w.from - 1
	for before >= 0 && isSpace(s.low[before]) {
		before--
	}
	starts := before < 0 || strings.IndexByte(".?!:", s.low[before]) >= 0
	return first == s.low[w.from] || starts && w.from == 0
}

var (
	nobodys   = set("anonymous guest user unknown admin customer none null n/a na me test agent bot system")
	alsoWords = set("will may mark art bill grant rose hope faith grace joy page chase case price young long king may june april august summer sky rich frank jack pat sue drew dean miles max ray rob gene guy lane brook wade ward park parks hall hill banks bank stone wood woods field fields fox wolf bush flowers cook baker butcher mason page cash day knight best black white green brown gray grey gold silver short small little large strong sharp wise love good bond church story law major marshall pope sage star self see sun post power powers read reed rush ship singer speed still street sweet trip true van wall walls water waters web wells west north east south winter work card account can do has had the and for not you are did was how why who all any use way new old her his she him out off")
)
