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

// fours claims a card in fours whatever signs are between, and is where it ends, i if there is none.
func (s *scan) fours(i int) int {
	k, years := i, true
	for n := range 4 {
		if s.pattern(k, "9999") == 0 || isDigit(s.at(k-1)) || isDigit(s.at(k+4)) {
			return i
		}
		years = years && (s.at(k) == '1' && s.at(k+1) == '9' || s.at(k) == '2' && s.at(k+1) == '0')
		if k += 4; n == 3 {
			break
		}
		from := k
		if t, _ := s.topicBefore(i); s.at(k) == ',' && s.at(k+1) == ' ' && t != aCard {
			return i // a list
		}
		for k-from < 6 && s.at(k) != held && s.at(k) != '\n' && !isDigit(s.at(k)) && (!isWord(s.at(k)) || s.at(k) == 'x' && isDigit(s.at(k+1)) && isDigit(s.at(k-1))) {
			k++
		}
		if k == from || k-from == 6 {
			return i
		}
	}
	d := s.digitsOf(i, k)
	if years || d[0] < '2' || d[0] > '6' || !luhn(d) || isPlain(s.at(i-1)) || isPlain(s.at(k)) {
		return i
	}
	s.claim(Card, i, k, d)
	return k
}
