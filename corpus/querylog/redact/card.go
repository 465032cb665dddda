package redact

// isCard reports whether the digits are a card's: they pass Luhn's check, begin as cards do, and are grouped as people
// group them.
func (s *scan) isCard(r run, digits string, topic topic) bool {
	n := len(digits)
	if n < 13 || n > 19 || digits[0] < '2' || digits[0] > '6' || r.plus || !luhn(digits) {
		return false
	}
	if len(r.groups) == 1 || topic == aCard {
		return true
	}
	if shape := r.shape(); (shape == "465" || shape == "464") && r.gaps[0] == r.gaps[1] {
		return true // as American Express and Diners Club print them, in any order of size
	}
	short, even, fours := true, len(digits) == 16, 0
	for _, g := range r.groups {
		w := g.to - g.from
		short = short && w < 3
		even = even && w%2 == 0 && w <= 6
		if w == 4 {
			fours++
		}
	}
	if rising, falling := s.ordered(r); len(r.groups) > 4 && (rising || falling) {
		return false
	}
	// One by one, in pairs, in fours with a rest, as American Express prints them, or halved.
	return short || even || fours >= 3 && len(r.groups)-fours <= 1 || r.shape() == "465" || r.shape() == "464" || r.shape() == "88"
}

// cardWithin claims a card that other numbers stand beside, such as its month and code.
func (s *scan) cardWithin(r run) bool {
	for from := range r.groups {
		n := 0
		for to := from; to < len(r.groups) && n < 19; to++ {
			if n += r.groups[to].to - r.groups[to].from; n < 13 || n > 19 || to-from > 4 {
				continue
			}
			piece := r.piece(from, to)
			if d := s.digitsOf(piece.start, piece.end); s.isCard(piece, d, unsaid) && !isLower(s.at(piece.start-1)) && !isLower(s.at(piece.end)) {
				s.judge(r.piece(0, from-1), false)
				s.claim(Card, piece.start, piece.end, d)
				s.judge(r.piece(to+1, len(r.groups)-1), false)
				return true
			}
		}
	}
	return false
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// printed claims a card whose groups are as they are printed on it, whatever signs are between them, and is where it
// ends; i if there is none.
func (s *scan) printed(i int) int {
	if isPlain(s.at(i - 1)) {
		return i
	}
	shape, digits, k, found := "", "", i, i
	listed, years := false, true
	for len(shape) < 5 {
		from := k
		for isDigit(s.at(k)) {
			k++
		}
		w := k - from
		if w < 3 || w > 6 {
			break
		}
		shape += string(rune('0' + w))
		digits += string(s.low[from:k])
		years = years && w == 4 && (s.has(from, "19") || s.has(from, "20"))
		if cardShapes[shape] && !years && digits[0] >= '2' && digits[0] <= '6' && luhn(digits) && !isPlain(s.at(k)) {
			found = k
		}
		from = k
		for k-from < 6 && s.at(k) != held && s.at(k) != '\n' && !isDigit(s.at(k)) && (!isWord(s.at(k)) || s.at(k) == 'x' && isDigit(s.at(k+1)) && isDigit(s.at(k-1))) {
			k++
		}
		if k == from || k-from == 6 {
			break
		}
		listed = listed || s.at(from) == ',' && s.at(from+1) == ' '
	}
	if found == i {
		return i
	}
	if t, _ := s.topicBefore(i); listed && t != aCard {
		return i // a list of figures
	}
	s.claim(Card, i, found, s.digitsOf(i, found))
	return found
}

var cardShapes = set("4444 465 464 44443")
