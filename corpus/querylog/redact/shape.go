package redact

import "strings"

// shaped reports whether groups are such as personal numbers have, and not a list of figures.
func (s *scan) shaped(r run, digits string) bool {
	shape := make([]byte, 0, 16)
	rising, falling := s.ordered(r)
	years := true
	for n, g := range r.groups {
		w := g.to - g.from
		if w > 9 || n > 6 {
			return false
		}
		shape = append(shape, byte('0'+w))
		year := string(s.free[g.from:g.to])
		years = years && w == 4 && (year[:2] == "19" || year[:2] == "20")
	}
	if years || s.measured(r) {
		return false
	}
	if len(r.groups) == 2 && (r.gaps[0] == joined && rising && digits[0] != '0') {
		return false // from one number to another
	}
	if !shapes[string(shape)] {
		return false
	}
	return len(r.groups) < 3 || !rising && !falling || string(shape) == "333" || string(shape) == "324" || string(shape) == "3332" || string(shape) == "3322"
}

// regular reports whether a long number was cut into groups of three or four from its beginning. Where the last one is
// shorter that says enough: amounts are cut from their end, and lists of figures hardly look so. Groups that are all
// alike have to make twelve digits or more, and not go up or down in round steps.
func (s *scan) regular(r run) bool {
	last := len(r.groups) - 1
	width := r.groups[0].to - r.groups[0].from
	if last < 2 || last > 8 || width < 3 || width > 4 || r.groups[last].to-r.groups[last].from > width {
		return false
	}
	round, years := true, true
	for n, g := range r.groups {
		if n < last && g.to-g.from != width {
			return false
		}
		round = round && s.free[g.to-1] == '0'
		year := string(s.free[g.from:g.to])
		years = years && (strings.HasPrefix(year, "19") || strings.HasPrefix(year, "20"))
	}
	if years || s.measured(r) {
		return false
	}
	if r.groups[last].to-r.groups[last].from == width {
		return !round && width*(last+1) >= 12 && (width == 4 || last > 3)
	}
	if last == 2 { // the last one is less than the one before, as it is shorter
		if _, falling := s.ordered(r); !falling {
			return true
		}
	} else if rising, falling := s.ordered(r.piece(0, last-1)); !rising && !falling {
		return true
	}
	for _, w := range s.wordsBefore(r.start, 4, 40) {
		if matters[w] {
			return true
		}
	}
	return false
}

// ordered reports whether each group is more, or less, than the one before.
func (s *scan) ordered(r run) (rising, falling bool) {
	rising, falling = true, true
	for n := 1; n < len(r.groups); n++ {
		p, g := r.groups[n-1], r.groups[n]
		order := strings.Compare(padded(s.low[p.from:p.to]), padded(s.low[g.from:g.to]))
		rising, falling = rising && order < 0, falling && order > 0
	}
	return rising, falling
}

func padded(b []byte) string { return strings.Repeat("0", max(0, 12-len(b))) + string(b) }

var (
	// shapes are how many digits the groups of personal numbers have: tax and insurance numbers, cards, accounts.
	shapes = set("324 333 3332 23342 22222 444 4444 4443 44444 465 456 334 343 344 433 434 3322 2322 244 234 55 1243 1224 1222332 122233 12322 3333 223 2331 23332 523 532 3342 225 64 654 66 68 2223 377 246")
	// matters are what a person's number is of.
	matters = set("reference ref ticket tracking parcel package shipment order case booking confirmation claim request invoice transaction transfer number no nr id sendung paket bestellung rechnung pedido commande dossier")
)
