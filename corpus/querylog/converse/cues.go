package converse

import (
	"slices"
	"strings"
	"unicode"
)

// longest is how many words a row may have and still be taken for a follow-up: longer ones bring what they need.
const longest = 20

// leans reports whether the words lean on something that was said before.
func leans(s string, chat bool) bool {
	words := wordsOf(s)
	if len(words) == 0 || len(words) > longest {
		return false
	}
	return links(words) || refersBack(words) || chat && fragment(words)
}

func repeats(a, b string) bool { return slices.Equal(wordsOf(a), wordsOf(b)) }

// wordsOf are the words in lower case; an apostrophe stays within its word.
func wordsOf(s string) []string {
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '-' })
}

// openings are how rows begin that go on with something. Each is whole words.
var openings = phrases(
	"and for", "and in", "and on", "and with", "and without", "and if", "and how", "and what", "and when", "and where",
	"and why", "and who", "and can", "and does", "and do", "and is", "and are", "and the", "and a", "and an", "and also", "and then", "and now",
	"but", "but what", "also", "then", "ok and", "okay and", "so how", "so what", "so why", "so can", "so is", "so if", "or for", "or in",
	"what about", "how about", "what if", "same for", "the same for", "same question for", "same but", "what else", "anything else",
	"else", "instead", "otherwise", "why not", "why is that", "how so", "are you sure", "tell me more",
	"more details", "more about that", "go on", "continue", "elaborate", "can you elaborate", "can you explain that", "explain that", "for example like",
	"the first one", "the second one", "the third one", "the last one", "the other one", "the former", "the latter", "the other",
	"not that", "no i mean", "no i meant", "i mean", "i meant", "as above", "see above",
	"und für", "und wie", "und was", "und wenn", "und bei", "und mit", "aber", "was ist mit", "wie ist es mit", "et pour", "et si", "et avec",
	"mais", "et comment", "y para", "y si", "y con", "pero", "qué pasa con", "e per", "e se", "e con", "ma", "e para", "mas", "en voor", "en met", "maar",
)

// alone are whole rows that say nothing by themselves.
var alone = phrases("why", "how", "how come", "when", "where", "who", "which", "which one", "how much", "how many", "how long", "really", "yes", "no", "more", "and", "so",
	"yes please", "example", "an example", "examples", "for example", "warum", "pourquoi", "por qué", "perché")

func phrases(list ...string) [][]string {
	out := make([][]string, 0, len(list))
	for _, p := range list {
		out = append(out, strings.Fields(p))
	}
	return out
}

// links reports whether the row begins by going on with something, or is nothing but a link.
func links(words []string) bool {
	if slices.ContainsFunc(alone, func(p []string) bool { return slices.Equal(p, words) }) {
		return true
	}
	return slices.ContainsFunc(openings, func(p []string) bool {
		return len(words) >= len(p) && slices.Equal(p, words[:len(p)])
	})
}

// pointers stand for a thing named elsewhere. Those of people's own things (my, your) are not among them.
var pointers = set("it its it's they them their theirs this that these those that's he she him her his hers one ones there former latter same other " +
	"es sie ihn davon damit dafür ça cela celui celle ceux eso esto esta ese esa aquello questo quello isso isto dit dat")

// empties are words before which a thing was still not named.
var empties = set("a an the and or but so if then also now just only even still again please ok okay well yes no not " +
	"i me my we us our you your " +
	"is are was were be been am isn't aren't do does did don't doesn't didn't can can't could couldn't will won't would should shall may might must has have had haven't " +
	"what what's which who whom whose when where where's why how how's " +
	"to of in on at by for from with without about into over under after before than as " +
	"get got getting make made use used using work works working set happen happens happened happening mean means go goes do doing done fix change see find know tell show explain give help want need like try tried keep take takes took long much many often far big good bad really " +
	"there's let let's any some all every each more most less few another")

// dummies are what "it" stands for nothing before: "is it possible to …".
var dummies = set("possible looks look like right just really important been be taking takes took ok okay safe necessary normal allowed true legal hard easy free better best worth too take takes took rain rains raining cost costs matter matters mean seem seems")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// refersBack reports whether a pointing word comes before anything that it could point to.
func refersBack(words []string) bool {
	for i, w := range words {
		switch {
		case pointers[w] && points(words, i):
			return true
		case pointers[w] || empties[w]:
		default:
			return false // something is named: what comes after may point to it
		}
	}
	return false
}

// points reports whether the pointing word at i stands for a thing, rather than beside one ("this card") or for
// nothing ("is it possible", "there is").
func points(words []string, i int) bool {
	next := ""
	if i+1 < len(words) {
		next = words[i+1]
	}
	switch words[i] {
	case "it", "it's", "es":
		last := i+2 >= len(words) // "how long does it take", but "how long does it take to arrive"
		return (!dummies[next] || last && i > 0) && next != "to" && (next != "" || i > 0)
	case "other":
		return next == "" || next == "one" || next == "ones"
	case "this", "that", "these", "those", "same", "one", "ones", "her", "his", "their", "its", "hers", "dit", "dat", "esta", "ese", "esa", "sie":
		return next == "" || empties[next] && next != "a" && next != "the" && next != "of" && next != "other"
	case "there":
		return i > 0 && next == "" && !pointers[words[i-1]]
	}
	return true
}

// prepositions begin fragments.
var prepositions = set("for in on with without from to by at during after before via using für mit bei pour avec para con")

// fragment reports whether the row is a piece of a question, as people answer in a chat: "for windows", "in python?".
func fragment(words []string) bool { return len(words) <= 5 && prepositions[words[0]] }
