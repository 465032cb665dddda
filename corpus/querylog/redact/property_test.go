package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSameValueSamePlaceholder(t *testing.T) {
	r := New()
	for _, c := range []struct{ text, want string }{
		{"ann@example.com wrote to ben@example.com", "[email-1] wrote to [email-2]"},
		{"BEN@example.com, 4111 1111 1111 1111", "[email-2], [card-1]"},
		{"chi@example.com, 4111111111111111", "[email-3], [card-1]"},
	} {
		if got := r.Text(c.text); got != c.want {
			t.Errorf("%q became %q", c.text, got)
		}
	}
	want := map[Kind]Count{Email: {3, 4}, Card: {1, 2}}
	if got := r.Counts(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counts %v", got)
	}
	r.Counts()[Email] = Count{}
	if r.Counts()[Email] != want[Email] {
		t.Error("the counts can be changed from outside")
	}
}

func TestKindsThatAreLeft(t *testing.T) {
	for _, k := range Kinds() {
		text := "ann@example.com, call +49 30 901820, 4111 1111 1111 1111, DE89370400440532013000, 81.2.69.142, password=hunter2, ssn 123-45-6789, Ann"
		r := New(k)
		got := r.Text(text, "Ann")
		if strings.Contains(got, "["+string(k)) || strings.Count(got, "[") != len(Kinds())-1 || r.Counts()[k] != (Count{}) {
			t.Errorf("without %s: %q", k, got)
		}
	}
}

func TestBare(t *testing.T) {
	for text, want := range map[string]string{
		"ask [email-3] or [phone-12]": "ask [email] or [phone]",
		"ask [email]":                 "ask [email]",
		"[email-0] [email-] [mail-1]": "[email-0] [email-] [mail-1]",
		"[[ip-1]]":                    "[[ip]]",
		"[ip-1":                       "[ip-1",
		"nothing":                     "nothing",
		"":                            "",
	} {
		if got := Bare(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Bare("a long question without any placeholder in it") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOrdinaryTextCostsNothing(t *testing.T) {
	r := New()
	text := strings.Clone("What can I do if my card still hasn't arrived after 2 weeks?")
	if n := testing.AllocsPerRun(10, func() { r.Text(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever a text holds, redacting twice is redacting once, and what was valid stays valid.
func FuzzText(f *testing.F) {
	for _, l := range [...]string{
		"ann@example.com", "call (415) 555-2671 x12", "card 4111 1111 1111 1111 12/27", "DE89 3704 0044 0532 0130 00", "[2a02:8071::1]:443", "password: \"a b c\"",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "https://ann:pw@example.com", "Cookie: a=b1c2d3e4; c=d", "[email-1] at example dot com",
		"%34%31%31%31", "&#52;111", "\\u0034", "\xff\xfe@\x80.com", "seven zero one four five five two", "ann (at) example (dot) com", "+1+1+1+1+1", "1.2.3.4.5.6", "a@b@c.d@e.fg",
	} {
		f.Add(l, "Ann Smith")
		f.Add("x "+l+" y", "")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		if len(text) > 4000 || len(name) > 100 {
			return
		}
		r := New()
		once := r.Text(text, name)
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Errorf("%q is no text any more: %q", text, once)
		}
		if twice := r.Text(once, name); twice != once {
			t.Errorf("%q became %q, and then %q", text, once, twice)
		}
		if again := New().Text(text, name); again != once {
			t.Errorf("%q became %q, and %q another time", text, once, again)
		}
		if b := Bare(once); Bare(b) != b {
			t.Errorf("%q is bare as %q", once, b)
		}
	})
}

// No card number survives in one piece, whatever stands around it.
func TestNoCardSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	before := []string{"", " ", "version ", "timestamp=", "id:", "(", "\"", "x ", "\n", "=", "id ", "USD ", "> ", "/", "order #", "call ", "error ", "commit ", "«", "密码"}
	after := []string{"", " ", ".", ",", ")", "\"", " bytes", "\n", " 12/27", " 2024-01-15", ";", "%", " 4111", "&x=1", "/"}
	for range 5000 {
		card := fmt.Sprintf("%d%014d", 2+r.IntN(5), r.Int64N(100000000000000))
		for d := '0'; d <= '9'; d++ {
			if luhn(card + string(d)) {
				card += string(d)
				break
			}
		}
		text := before[r.IntN(len(before))] + card + after[r.IntN(len(after))]
		if got := New().Text(text); strings.Contains(got, card) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func BenchmarkText(b *testing.B) {
	plain := "What can I do if my card still hasn't arrived after 2 weeks? I ordered it and was told that it would be here."
	full := "ann@example.com, call +49 30 901820, card 4111 1111 1111 1111, DE89370400440532013000, 81.2.69.142, password=hunter2, ssn 123-45-6789"
	for name, text := range map[string]string{"plain": plain, "full": full, "dates": "since 2024-01-15 10:30:00 version 2.45.0 returns 404 on port 9090 for 3% of requests"} {
		b.Run(name, func(b *testing.B) {
			r := New()
			b.ReportAllocs()
			for b.Loop() {
				r.Text(text)
			}
		})
	}
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Bare(plain)
		}
	})
}

// A long text costs as much more as it is longer, whatever it is made of.
func TestLongTexts(t *testing.T) {
	for _, part := range [...]string{"1 ", "12-", "at ", "a@b.co ", "key=", "password ", "://a:b", "&#", "2a02:", "one ", "eyJ.", "cookie: a=b1234;", "curl -u ", "\"+\"", "\\", "<", "Ann "} {
		New().Text("123 "+strings.Repeat(part, 50_000/len(part)), "Ann Smith")
	}
}
