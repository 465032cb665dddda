package redact

// papers claims numbers with letters in them where the word before says that they are a person's own: a passport,
// a licence, a tax number.
func (s *scan) papers() {
	for i := 0; i < len(s.free); i++ {
		if !isPlain(s.free[i]) || isWord(s.at(i-1)) {
			continue
		}
		end := i
		for isWord(s.at(end)) {
			end++
		}
		if !paperWords[string(s.low[i:end])] {
			i = end
			continue
		}
		k := end
		for n := 0; n < 4; n++ { // number, no., is, #
			k = s.over(k, " :#.=\"'`*_-")
			to := k
			for isPlain(s.at(to)) {
				to++
			}
			if !beforePaper[string(s.low[k:to])] {
				break
			}
			k = to
		}
		if to := s.paper(k); to > k {
			s.claim(Number, k, to, s.bare(k, to))
			end = to
		}
		i = end
	}
}

// paper is where letters and figures end that have four figures or more, in groups or not; i if they are no paper's.
func (s *scan) paper(i int) int {
	k, end, letters, figures := i, i, 0, 0
	for k-i < 30 {
		from, l, f := k, 0, 0
		for ; isPlain(s.at(k)); k++ {
			if isDigit(s.at(k)) {
				f++
			} else if l++; s.text[k] == s.low[k] && s.text[i] != s.low[i] {
				l = 99 // a word follows
			}
		}
		if k == from || f == 0 && (l > 2 || from > i && s.text[from] == s.low[from]) || k-from > 20 {
			break
		}
		letters, figures, end = letters+l, figures+f, k
		if (s.at(k) == ' ' || s.at(k) == '-' || s.at(k) == '.') && isPlain(s.at(k+1)) {
			k++
			continue
		}
		break
	}
	if letters == 0 || figures < 4 || letters+figures < 7 || letters > 12 || s.at(end) == '-' || s.at(end) == '_' || !s.isFree(i, end) {
		return i
	}
	return end
}

// bare is the letters and digits of characters i to j.
func (s *scan) bare(i, j int) string {
	b := make([]byte, 0, 24)
	for ; i < j; i++ {
		if isPlain(s.low[i]) {
			b = append(b, s.low[i])
		}
	}
	return string(b)
}

var (
	paperWords  = set("passport reisepass pasaporte nino ni ssn licence license dni nie nif curp cpf pan medicare vat tin nhs ausweis personalausweis steuernummer policy insurance membership member customer patient mrn employee account acct voter vin imei")
	beforePaper = set("number no nr num id is card nummer numero plate code my")
)
