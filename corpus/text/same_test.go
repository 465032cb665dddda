package text

import (
	"math/rand"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestMatchKey(t *testing.T) {
	same := [][]string{
		{"Refund policy", "refund  POLICY", "\trefund\npolicy ", "refund\u00a0policy", "refund\u3000policy\u2003"},
		{"café", "cafe\u0301", "CAFÉ", "Cafe\u0301"},
		{"Straße", "STRASSE", "strasse"},
		{"Å", "\u212b", "A\u030a", "å"},
		{"Ꭰ", "ꭰ"},
		{"Ᏸ", "ᏸ"},
		{"Σίσυφος", "ΣΊΣΥΦΟΣ"},
		{"", " ", "\n\t\u2029"},
	}
	seen := map[string]int{}
	for i, group := range same {
		key := MatchKey(group[0])
		if j, taken := seen[key]; taken {
			t.Errorf("groups %d and %d have the same key %q", j, i, key)
		}
		seen[key] = i
		for _, s := range group[1:] {
			if got := MatchKey(s); got != key {
				t.Errorf("MatchKey(%q) = %q, of %q it is %q", s, got, group[0], key)
			}
		}
	}
	// Zero-width characters are no white space: what looks the same may be another query.
	for _, s := range []string{"re\u200bfund", "refund\u200b", "\ufeffrefund", "re\u00adfund"} {
		if MatchKey(s) == "refund" {
			t.Errorf("MatchKey(%q) hides a character", s)
		}
	}
	// Compatibility forms differ: they are other characters, not other ways to write one.
	for _, pair := range [][2]string{{"ﬁx", "fixed"}, {"x²", "x2"}, {"ｆｕｌｌ", "full"}} {
		if MatchKey(pair[0]) == MatchKey(pair[1]) {
			t.Errorf("%q and %q have the same key", pair[0], pair[1])
		}
	}
}

// B023 (amule-org/amule#312, rfjakob/gocryptfs#992): ids in NFC and NFD differ, and are told to be alike.
func TestFoldedFindsIDsThatDifferByNormalisation(t *testing.T) {
	for _, r := range rowsOf(t, "B023") {
		nfd := norm.NFD.String(r.ID)
		if Folded(nfd) != Folded(r.ID) || Folded(strings.ToUpper(r.ID)) != Folded(r.ID) {
			t.Errorf("%q and %q don't fold alike", r.ID, nfd)
		}
		if norm.NFC.String(nfd) != norm.NFC.String(r.ID) {
			t.Errorf("%q and %q have other normal forms", r.ID, nfd)
		}
	}
	for _, pair := range [][2]string{{"a", "b"}, {" a", "a"}, {"a b", "a  b"}, {"007", "7"}, {"adm\u200bin", "admin"}, {"a/b", "a%2Fb"}} {
		if Folded(pair[0]) == Folded(pair[1]) {
			t.Errorf("%q and %q fold alike", pair[0], pair[1])
		}
	}
}

func checkSame(t *testing.T, s string) {
	t.Helper()
	key, fold := MatchKey(s), Folded(s)
	if again := Folded(fold); utf8.ValidString(s) && again != fold {
		t.Errorf("Folded(%q) = %q, and of that %q", s, fold, again)
	}
	if again := MatchKey(key); utf8.ValidString(s) && again != key {
		t.Errorf("MatchKey(%q) = %q, and of that %q", s, key, again)
	}
	for _, other := range []string{norm.NFD.String(s), norm.NFC.String(s)} {
		if got := Folded(other); got != fold {
			t.Errorf("Folded(%q) = %q, Folded(%q) = %q", s, fold, other, got)
		}
		if got := MatchKey(" " + other + "\n"); got != key {
			t.Errorf("MatchKey(%q) = %q, MatchKey(%q) = %q", s, key, other, got)
		}
	}
}

func TestSameIsStable(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	letters := append([]rune("ǅŉΐΰẞıİſKÅᾳᾼῼ\u0345\u0313\u0301\u0323\u0327ㅏ가각 \u1e9eﬃև"), nasty...)
	for range 5_000 {
		var b strings.Builder
		for range rng.Intn(8) {
			b.WriteRune(letters[rng.Intn(len(letters))])
		}
		checkSame(t, b.String())
	}
	for r := rune(0); r < 0x20000; r++ {
		if unicode.In(r, unicode.L, unicode.M, unicode.Z) && !unicode.In(r, unicode.Han, unicode.Hangul) {
			checkSame(t, "a"+string(r)+"b")
		}
	}
}

func FuzzMatchKey(f *testing.F) {
	for _, s := range []string{"", "Refund  policy", "Cafe\u0301", "ΐ\u0345", "\xff \xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) {
			checkSame(t, s)
		} else {
			MatchKey(s)
		}
	})
}
