package redact

import "testing"

func TestIBANs(t *testing.T) {
	taken(t, IBAN, []string{
		"⟦DE89370400440532013000⟧",
		"⟦DE89 3704 0044 0532 0130 00⟧ is mine",
		"IBAN: ⟦GB29 NWBK 6016 1331 9268 19⟧",
		"IBAN:⟦GB29NWBK60161331926819⟧.",
		"⟦gb29nwbk60161331926819⟧",
		"⟦FR14-2004-1010-0505-0001-3M02-606⟧",
		"⟦FR14.2004.1010.0505.0001.3M02.606⟧",
		"iban=⟦NL91%20ABNA%200417%201643%2000⟧&x=1",
		"iban=⟦NL91+ABNA+0417+1643+00⟧&x=1",
		`{"iban":"⟦NL91ABNA0417164300⟧"}`,
		"⟦DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000⟧",
		"⟦DE89\u200b3704\u200b0044\u200b0532\u200b0130\u200b00⟧",
		"⟦ＤＥ８９３７０４００４４０５３２０１３０００⟧",
		"⟦DE89 3704 0044\n0532 0130 00⟧",
		"pay to `⟦ES91 2100 0418 4502 0005 1332⟧`",
		"(⟦CH93 0076 2011 6238 5295 7⟧)",
		"iban ⟦DE89370400440532013001⟧ fails its check",
		"⟦NO93 8601 1117 947⟧",
	})
	same(t, IBAN, []string{"DE89370400440532013000", "de89 3704 0044 0532 0130 00", "DE89-3704-0044-0532-0130-00"})
}

func TestNoIBANs(t *testing.T) {
	left(t, []string{
		"what is an IBAN?", "my iban starts with DE89", "BE ready at 10", "no 12 is missing", "de89 is a tag",
		"iban of Germany has 22 characters", "GB29 to GB31 of RAM",
	})
}

func TestMod97(t *testing.T) {
	for iban, ok := range map[string]bool{"de89370400440532013000": true, "gb29nwbk60161331926819": true, "de89370400440532013001": false, "gb92nwbk60161331926819": false} {
		if got := mod97(iban) == 1; got != ok {
			t.Errorf("%s: %v", iban, got)
		}
	}
}
