package redact

import "testing"

func TestPapers(t *testing.T) {
	taken(t, Number, []string{
		"my passport is ⟦C01X00T47⟧",
		"Passport No. ⟦C01X00T47⟧ expires",
		"nino ⟦AB 12 34 56 C⟧",
		"driver's license ⟦D1234567⟧",
		"dni ⟦12345678Z⟧, gracias",
		"medicare ⟦1EG4-TE5-MK73⟧",
		"member #⟦AX-1234-5678⟧",
	})
	left(t, []string{
		"my passport has expired", "customer support is slow", "member since 2019", "account v1beta2", "license MIT 2024", "a tin of 500", "ni hao",
		"nhs app 3.2.1", "policy as code 101", "employee of 12 years", "customer id is missing",
	})
	same(t, Number, []string{"passport C01X00T47", "passport: c01x00t47"})
}
