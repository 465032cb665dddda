package redact

import "strings"

// wordsBefore are up to n words that begin within reach characters before i, nearest first. They don't reach into
// another line or sentence.
func (s *scan) wordsBefore(i, n, reach int) []string {
	words := make([]string, 0, n)
	stop := max(0, i-reach)
	for k := i; k > stop && len(words) < n; {
		end := k
		for k > stop && isWord(s.low[k-1]) {
			k--
		}
		if k < end {
			words = append(words, string(s.low[k:end]))
			continue
		}
		c := s.low[k-1]
		if c == held || c == '?' || c == '!' || c == '\n' && k-1 > 0 && s.low[k-2] == '\n' || c == '.' && k < i && isSpace(s.low[k]) && len(words) > 0 {
			break
		}
		k--
	}
	return words
}

// wordsAfter are up to n words after i, within the sentence.
func (s *scan) wordsAfter(i, n, reach int) []string {
	words := make([]string, 0, n)
	stop := min(len(s.low), i+reach)
	for k := i; k < stop && len(words) < n; {
		from := k
		for k < stop && isWord(s.low[k]) {
			k++
		}
		if k > from {
			words = append(words, string(s.low[from:k]))
			continue
		}
		if c := s.low[k]; c == held || c == '.' || c == '?' || c == '!' || c == '\n' || c == ';' {
			break
		}
		k++
	}
	return words
}

// topic is what the words around a number say that it is.
type topic int

const (
	unsaid topic = iota
	aPhone
	anAccount
	aCard
	aTime
	aThing // a measure, a version, a part: what identifies no person
)

// topicBefore is what the nearest telling word before i says, and how many words lie between.
func (s *scan) topicBefore(i int) (topic, int) {
	words := s.wordsBefore(i, 6, 56)
	for n, w := range words {
		if t, ok := topics[w]; ok {
			if w == "text" && (n == 0 || !askedTo[words[n-1]]) {
				continue
			}
			if w == "code" && n+1 < len(words) && topics[words[n+1]] == anAccount {
				continue // a sort code
			}
			return t, n
		}
	}
	return unsaid, 0
}

// askedTo are words behind "text" where it is asked for, and no field's name.
var askedTo = set("me us him her my them at to on the this number mum mom")

// topicAfter is what the words after i say of what stands before them: "… is my phone number".
func (s *scan) topicAfter(i int) topic {
	mine := false
	for n, w := range s.wordsAfter(i, 6, 44) {
		if n < 2 && (w == "is" || w == "was" || w == "as" || w == "es" || w == "ist" || w == "est") || w == "mi" || w == "meine" || w == "mon" || w == "meu" || w == "mio" || w == "my" || w == "our" || w == "his" || w == "her" || w == "their" || w == "your" {
			mine = true
			continue
		}
		if t, ok := topics[w]; ok && mine {
			return t
		}
	}
	return unsaid
}

var topics = func() map[string]topic {
	m := map[string]topic{}
	for t, words := range [...]string{
		aPhone:    "phone phones telephone tel telefon telefono telefone telephon mobile mobil movil cell cellphone call called calling callback fax whatsapp sms text texted txt dial dialed ring handy handynummer rufnummer telefonnummer contact reach signal viber telegram landline hotline celular portable gsm ph tlf tlfn ligar llamar anrufen rueckruf mob msisdn imsi",
		anAccount: "account accounts acct acc blz bankleitzahl bsb ifsc clabe bank branch accountno customer member membership passport ssn social nhs nino insurance policy taxpayer tax tin itin ein vat license licence driver patient medicare aadhaar aadhar pan cpf cnpj dni nie nif rut curp rfc bsn pesel personnummer konto kontonummer kundennummer kontonr compte cuenta client beneficiary routing sort sortcode aba swift bic national identity steuernummer steuer versicherung versicherungsnummer subscriber loyalty imei meid employee student payee sin abn acn conto conta rekening nir codice fiscal mrn dl benefit",
		aCard:     "card cards creditcard visa mastercard amex maestro discover debit credit karte kreditkarte carte tarjeta carta cartao cc pan cardnumber",
		aTime:     "timestamp timestamps time epoch unix unixtime ts at_time date millis milliseconds nanoseconds starttime endtime start_time end_time",
		aThing:    "version versions release build port ports error errors code codes errno exit sku part model serial firmware size bytes byte kb mb gb limit max min sample samples isbn issn ean upc gtin barcode asin commit sha sha1 sha256 sha512 md5 digest hash checksum revision rev pr offset line lines row rows count total seed id_range range cve kb hs hscode price cost costs pixel pixels rfc doi oid iteration iterations step steps metric counter gauge increase rate",
	} {
		for _, w := range strings.Fields(words) {
			m[w] = topic(t)
		}
	}
	return m
}()
