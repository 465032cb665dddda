package redact

import (
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Kind is a kind of value that is taken out.
type Kind string

// The kinds. Each is also the word in its placeholder.
const (
	Email  Kind = "email"
	Phone  Kind = "phone"
	Card   Kind = "card"
	IBAN   Kind = "iban"
	IP     Kind = "ip"
	Secret Kind = "secret"
	Number Kind = "number"
	Name   Kind = "name"
)

var kinds = [...]Kind{Email, Phone, Card, IBAN, IP, Secret, Number, Name}

// Kinds are all kinds, in the order in which they are listed.
func Kinds() []Kind { return append([]Kind(nil), kinds[:]...) }

// Count is how much of a kind was taken out.
type Count struct {
	Values int `json:"values"` // distinct ones
	Places int `json:"places"`
}

// Redactor replaces values by placeholders such as [email-1]; the same value gets the same placeholder as long as the
// Redactor lives. It keeps a hash of each value and no value. It is not safe for several goroutines.
type Redactor struct {
	off    map[Kind]bool
	seen   map[uint64]uint32 // hash of kind and value → number in the placeholder
	counts map[Kind]Count
	scan   scan
}

// New makes a Redactor that leaves the kinds off alone. What is of such a kind is not taken for another kind either.
func New(off ...Kind) *Redactor {
	r := &Redactor{off: map[Kind]bool{}, seen: map[uint64]uint32{}, counts: map[Kind]Count{}}
	for _, k := range off {
		r.off[k] = true
	}
	return r
}

// Text is the text without the values, and without the names, which a field of the log gave. Placeholders in s stay,
// whoever wrote them, and redacting twice is redacting once. A text without values is returned as it is.
func (r *Redactor) Text(s string, names ...string) string {
	who := called(names, r.off[Name])
	if len(who) == 0 && !worthReading(s) {
		return s
	}
	// What stands beside a value can tell what another is, so a text is read again until nothing more is found in it.
	// Each round takes away some of what is no placeholder, so there is a last one.
	for {
		found := r.scan.find(s, who)
		found = slices.DeleteFunc(found, func(f found1) bool { return r.off[f.kind] })
		if len(found) == 0 {
			return s
		}
		s = r.replace(s, found)
	}
}

// replace puts placeholders where the values are; found is in order and does not overlap.
func (r *Redactor) replace(s string, found []found1) string {
	b := make([]byte, 0, len(s)+8)
	last := 0
	for _, f := range found {
		b = append(b, s[last:f.from]...)
		b = append(b, '[')
		b = append(b, f.kind...)
		b = append(b, '-')
		b = strconv.AppendUint(b, uint64(r.number(f)), 10)
		b = append(b, ']')
		last = f.to
	}
	return string(append(b, s[last:]...))
}

func (r *Redactor) number(f found1) uint32 {
	c := r.counts[f.kind]
	c.Places++
	key := xxhash.Sum64String(string(f.kind) + "\x00" + f.value)
	n, ok := r.seen[key]
	if !ok {
		c.Values++
		n = uint32(c.Values)
		r.seen[key] = n
	}
	r.counts[f.kind] = c
	return n
}

// Counts says what was taken out so far, by kind.
func (r *Redactor) Counts() map[Kind]Count {
	all := make(map[Kind]Count, len(r.counts))
	for k, c := range r.counts {
		all[k] = c
	}
	return all
}

// Bare is a redacted text without the placeholders' numbers ([email] for [email-3]): texts that differ only in whose
// values they held are the same query.
func Bare(s string) string {
	var b []byte
	last := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '[' {
			continue
		}
		n, word := placeholder(s[i:])
		if n > word+2 {
			b = append(append(b, s[last:i+1+word]...), ']')
			last = i + n
		}
		if n > 0 {
			i += n - 1
		}
	}
	if b == nil {
		return s
	}
	return string(append(b, s[last:]...))
}

// placeholder is the length of the placeholder that s begins with, 0 if there is none, and of the word in it.
func placeholder(s string) (n, word int) {
	for _, k := range kinds {
		if len(s) < len(k)+2 || s[1:1+len(k)] != string(k) {
			continue
		}
		rest := s[1+len(k):]
		if rest[0] == ']' {
			return len(k) + 2, len(k)
		}
		if rest[0] != '-' {
			return 0, 0
		}
		i := 1
		for i < len(rest) && i <= 10 && isDigit(rest[i]) {
			i++
		}
		if i > 1 && rest[1] != '0' && i < len(rest) && rest[i] == ']' {
			return len(k) + i + 2, len(k)
		}
		return 0, 0
	}
	return 0, 0
}
