package redact

import (
	"testing"

	"github.com/nyaruka/phonenumbers"
)

func TestPhones(t *testing.T) {
	taken(t, Phone, []string{
		"call ⟦+49 30 901820⟧ now",
		"⟦+49 (0)30 901820⟧",
		"⟦+49(0)30/901820⟧",
		"⟦+4930901820⟧",
		"⟦0049 30 901820⟧",
		"⟦+1 (415) 555-2671⟧",
		"⟦+1-415-555-2671⟧",
		"⟦+1.415.555.2671⟧",
		"⟦(415) 555-2671⟧",
		"⟦415-555-2671⟧",
		"⟦415.555.2671⟧",
		"⟦(415)5552671⟧",
		"⟦1-800-356-9377⟧",
		"⟦+44 20 7946 0958⟧",
		"⟦020 7946 0958⟧",
		"my mobile is ⟦07700 900123⟧",
		"tel:⟦+442079460958⟧",
		"tel: ⟦555-0123⟧",
		"phone ⟦5552671⟧",
		"⟦4155552671⟧ is my number",
		"⟦06 12 34 56 78⟧",
		"⟦06.12.34.56.78⟧",
		"⟦+33 6 12 34 56 78⟧",
		"⟦+91 98765 43210⟧",
		"⟦+91-9876543210⟧",
		"n=⟦%2B49%2030%20901820⟧",
		"⟦+49\u00a030\u00a0901820⟧",
		"⟦＋４９３０９０１８２０⟧",
		"⟦+49\u200b30\u200b901820⟧",
		"⟦+49–30–901820⟧",
		"⟦+1 415 555 2671 ext. 12⟧",
		"⟦(415) 555-2671 x12⟧",
		"**⟦+1 415 555 2671⟧**",
		`"phone":"⟦+14155552671⟧"`,
		"whatsapp ⟦+55 11 91234-5678⟧",
		"⟦+7 (912) 345-67-89⟧",
		"⟦+86 138 0013 8000⟧",
		"⟦+81-3-1234-5678⟧",
		"⟦+61 2 9374 4000⟧",
		"⟦+353 1 234 5678⟧",
		"my number is ⟦030/23125.123⟧",
		"tel:⟦+49-(0)30-/-23125-123⟧",
		"call me on ⟦0151 23456789⟧",
		"fax ⟦030/901820-12⟧",
		"phone=⟦%28415%29+555-2671⟧",
	})
	same(t, Phone, []string{"+49 30 901820", "+49 (0)30 901820", "0049 30 901820", "+49-30-901820", "+4930901820"})
}

func TestNoPhones(t *testing.T) {
	left(t, []string{
		"+1 for this", "I was charged +20 on top", "call rate(foo[5m])", "call 911", "dial 112",
		"version 415.555.2671", "from 2015-2020", "+ 100 - 200", "on 12.12.2020 and 13.12.2020",
		"function call on line 1234", "text of 500 words", "c++17 and c++20", "x = y + 1000000",
		"UTC+02:00", "2024-01-15T10:30:00+02:00", "10:30 +0200", "1e+10", "a +123 b",
		"mobile app 10.2.1 crashes", "I have 2 phones and 3 cards", "phone model SM-G991B", "iphone 13 pro max 256",
	})
}

// The lengths of national numbers are those that libphonenumber knows: a number of another length is possible nowhere.
func TestLengthsOfCountries(t *testing.T) {
	for code := range phonenumbers.GetSupportedCallingCodes() {
		if code >= len(nationalLengths) || nationalLengths[code] == 0 {
			t.Errorf("no lengths for +%d", code)
		}
	}
	for region := range phonenumbers.GetSupportedRegions() {
		n := phonenumbers.GetExampleNumber(region)
		digits := phonenumbers.Format(n, phonenumbers.E164)[1:]
		if code, ok := callingCode(digits); !ok || code != int(n.GetCountryCode()) {
			t.Errorf("%s: +%s is of %d, %v", region, digits, code, ok)
		}
		if got := New().Text("+" + digits); got != "[phone-1]" {
			t.Errorf("%s: +%s became %s", region, digits, got)
		}
	}
	for code, lengths := range nationalLengths {
		if lengths != 0 && !phonenumbers.GetSupportedCallingCodes()[code] {
			t.Errorf("+%d is no country's", code)
		}
	}
}
