package index

import (
	"slices"
	"testing"

	"assay/corpus"
)

// Each language finds its own forms, with and without accents, and lights what it finds.
func TestLanguagesFindForms(t *testing.T) {
	for _, test := range []struct{ language, text, other, search string }{
		{"ar", "الكتاب على الطاولة", "السيارة", "كتاب"},
		{"ar", "كِتَابٌ جميل", "السيارة", "كتاب"},
		{"ar", "مدرسة", "سيارة", "مدرسه"},
		{"da", "husene er gamle", "en kat", "huset"},
		{"da", "blåbær", "blabar", "blåbær"},
		{"de", "die Häuser am See", "der Hund", "haus"},
		{"de", "Straßen", "der Hund", "strasse"},
		{"de", "schöne Grüße", "der Hund", "gruss"},
		{"en", "refunded", "paid", "refunds"},
		{"en", "companies", "paid", "company"},
		{"en", "naïve café", "paid", "naive"},
		{"es", "las canciones", "el perro", "canción"},
		{"es", "el teléfono", "el perro", "telefonos"},
		{"fi", "talossa", "koira", "talo"},
		{"fr", "les éléphants", "le chien", "elephant"},
		{"fr", "l'avion", "le chien", "avions"},
		{"fr", "créées", "le chien", "creees"},
		{"hu", "házban", "kutya", "ház"},
		{"it", "i libri", "il cane", "libro"},
		{"it", "nell'università", "il cane", "universita"},
		{"nl", "de huizen", "een hond", "huizen"},
		{"no", "husene", "en katt", "huset"},
		{"nb", "bøkene", "en katt", "bøker"},
		{"pt", "informações", "o cão", "informação"},
		{"pt", "informação", "o cão", "informacao"},
		{"ro", "cărțile", "câine", "cărți"},
		{"ru", "книги", "собака", "книга"},
		{"ru", "ёлка", "собака", "елки"},
		{"sv", "flickorna", "en hund", "flickor"},
		{"tr", "evler", "köpek", "ev"},
		{"zh", "退款政策", "猫", "退款"},
		{"ja", "返金ポリシー", "猫", "ポリシー"},
		{"ja", "ﾎﾟﾘｼｰ", "猫", "ポリシー"},
		{"ko", "환불 정책", "고양이", "환불"},
		{"none", "ｆｕｌｌ　ｗｉｄｔｈ", "x", "full"},
		{"none", "٤٢ and ४२", "41", "42"},
		{"none", "שָׁלוֹם", "x", "שלום"},
		{"none", "ΣΊΣΥΦΟΣ", "x", "σίσυφος"},
		{"none", "Ελλάδα", "x", "ελλαδα"},
		{"none", "ﬁnance", "x", "finance"},
		{"none", "İstanbul", "x", "istanbul"},
		{"none", "ภาษาไทย", "x", "ไทย"},
		{"none", "ĐỒNG", "x", "dong"},
		{"none", "m² of H₂O", "x", "m2 h2o"},
	} {
		ix := built(t, test.language, chunksOf(test.text, test.other)...)
		if got := plain(t, ix, test.search); !slices.Equal(got, []string{"c1"}) {
			t.Errorf("%s: %q finds %q, not %q", test.language, test.search, got, test.text)
		}
		if len(ix.Matches(test.search, corpus.Plain, test.text)) == 0 {
			t.Errorf("%s: %q lights nothing of %q", test.language, test.search, test.text)
		}
	}
}

// Letters that are letters of their own are not taken for others.
func TestLanguagesKeepLettersApart(t *testing.T) {
	for _, test := range []struct{ language, text, search string }{
		{"sv", "här", "har"}, {"da", "få", "fa"}, {"fi", "säde", "sade"}, {"no", "øl", "ol"},
		{"none", "ﾊ", "バ"}, {"none", "か", "が"}, {"none", "й", "и"}, {"none", "कि", "का"},
	} {
		if got := plain(t, built(t, test.language, chunksOf(test.text)...), test.search); len(got) != 0 {
			t.Errorf("%s: %q finds %q", test.language, test.search, test.text)
		}
	}
}

func TestLanguageNames(t *testing.T) {
	if !slices.Contains(Languages(), DefaultLanguage) || !slices.Contains(Languages(), "none") {
		t.Errorf("languages: %q", Languages())
	}
	for _, name := range Languages() {
		if ix := built(t, name, chunksOf("text")...); ix.Language() == "" || len(plain(t, ix, "text")) != 1 {
			t.Errorf("%s is %q", name, ix.Language())
		}
	}
}
