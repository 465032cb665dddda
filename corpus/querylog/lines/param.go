package lines

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// SearchParams are the parameters in which sites put what was searched for, the most telling first.
var SearchParams = []string{
	"q", "query", "search", "search_query", "searchterm", "search_term", "keywords", "keyword", "s", "term", "text", "k", "wd", "p", "kw",
}

// numbered are parameters of SearchParams that elsewhere count pages or name posts: a number in them is no search.
func numbered(name string) bool { return len(name) == 1 && !strings.EqualFold(name, "q") }

// Search is what a request's target searches for: the first of the parameters that it has, or the first that is not
// blank; params nil stands for SearchParams. found is false where it has none. The error says why what was searched for
// is no text.
//
// Percent and plus are decoded as servers do it. A percent sign that escapes nothing stays what it is: browsers send
// one that was typed into the address so.
func Search(target string, params []string) (query, param string, found bool, err error) {
	_, raw, ok := strings.Cut(target, "?")
	if !ok {
		return "", "", false, nil
	}
	raw, _, _ = strings.Cut(raw, "#")
	usual := params == nil
	if usual {
		params = SearchParams
	}
	best, blank := len(params), true
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		rank := rankOf(name, params)
		if rank == len(params) || usual && numbered(params[rank]) && onlyDigits(value) {
			continue
		}
		value = decoded(value)
		if empty := strings.TrimSpace(value) == ""; found && (empty && !blank || empty == blank && rank >= best) {
			continue
		} else {
			query, best, blank, found = value, rank, empty, true
		}
	}
	switch {
	case !found:
		return "", "", false, nil
	case strings.IndexByte(query, 0) >= 0:
		err = errors.New("what is searched for holds byte 0x00 (NUL)")
	case !utf8.ValidString(query):
		err = errors.New("what is searched for is not UTF-8 once its escapes are decoded")
	}
	return query, params[best], true, err
}

// rankOf is the position of a parameter's name, which may be escaped, as search%5Bquery%5D is; len(params) for none.
func rankOf(name string, params []string) int {
	if strings.IndexByte(name, '%') >= 0 {
		name = decoded(name)
	}
	for i, p := range params {
		if len(p) == len(name) && strings.EqualFold(name, p) {
			return i
		}
	}
	return len(params)
}

func onlyDigits(s string) bool {
	_, ok := digits(s)
	return ok && s != ""
}

// decoded undoes form encoding.
func decoded(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '+':
			b = append(b, ' ')
		case '%':
			if i+2 < len(s) && hex(s[i+1]) >= 0 && hex(s[i+2]) >= 0 {
				b = append(b, byte(hex(s[i+1])<<4|hex(s[i+2])))
				i += 2
				continue
			}
			b = append(b, c)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// hex is the digit's value, -1 where it is none.
func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
