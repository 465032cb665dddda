package text

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand"
	"os"
	"strings"
	"testing"
	"testing/quick"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func TestSanitize(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"ascii", "plain text, 100%", "plain text, 100%"},
		{"empty", "", ""},
		{"escape", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"osc 52", "\x1b]52;c;cm0=\a", "␛]52;c;cm0=␇"},
		{"c1 csi", "\u009b31m", "⟨9B⟩31m"},
		{"c1 next line", "a\u0085b", "a⟨85⟩b"},
		{"raw c1 byte", "a\x9b31m", "a\ufffd31m"},
		{"nul", "a\x00b", "a␀b"},
		{"delete", "a\x7f", "a␡"},
		{"backspace", "ab\b\bxx", "ab␈␈xx"},
		{"carriage return", "honest\rFAKE", "honest␍FAKE"},
		{"line end", "a\nb", "a␤b"},
		{"windows line end", "a\r\nb", "a␤b"},
		{"two returns", "a\r\r\nb", "a␍␤b"},
		{"tab", "a\tb", "a b"},
		{"vertical tab and form feed", "a\v\fb", "a␋␌b"},
		{"line separator", "a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"},
		{"bidi override", "a\u202egrade\u202c", "a⟨U+202E⟩grade⟨U+202C⟩"},
		{"bidi isolate", "\u2066x", "⟨U+2066⟩x"},
		{"bidi marks", "a\u200eb\u200fc\u061cd", "a⟨U+200E⟩b⟨U+200F⟩c⟨U+061C⟩d"},
		{"zero-width space", "re\u200bfund", "re⟨U+200B⟩fund"},
		{"zero-width joiner in Latin", "zero\u200dwidth", "zero⟨U+200D⟩width"},
		{"bom", "\ufeffx", "⟨U+FEFF⟩x"},
		{"soft hyphen", "re\u00adfund", "re⟨U+00AD⟩fund"},
		{"word joiner", "a\u2060b", "a⟨U+2060⟩b"},
		{"hangul filler", "a\u3164b\u115f\u1160", "a⟨U+3164⟩b⟨U+115F⟩⟨U+1160⟩"},
		{"grapheme joiner", "a\u034fb", "a⟨U+034F⟩b"},
		{"tags", "x\U000e0041\U000e0042", "x⟨U+E0041⟩⟨U+E0042⟩"},
		{"tags on a flag", "🏴\U000e0061\U000e0061\U000e007f", "🏴⟨U+E0061⟩⟨U+E0061⟩⟨U+E007F⟩"},
		{"annotation", "a\ufff9b\ufffac\ufffb", "a⟨U+FFF9⟩b⟨U+FFFA⟩c⟨U+FFFB⟩"},
		{"noncharacters", "a\uffff\ufdd0\U0001fffe", "a⟨U+FFFF⟩⟨U+FDD0⟩⟨U+1FFFE⟩"},
		{"selector on a letter", "a\ufe0fb", "a⟨U+FE0F⟩b"},
		{"selectors as a channel", "😀\U000e0101\U000e0102", "😀⟨U+E0101⟩⟨U+E0102⟩"},
		{"selector twice", "❤\ufe0f\ufe0f", "❤\ufe0f⟨U+FE0F⟩"},
		{"number signs in a row", "\u0600\u0601١", "\u0600⟨U+0601⟩١"},
		{"bad utf-8", "a\xffb\xe2\x82", "a\ufffdb\ufffd\ufffd"},
		{"surrogate half", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"overlong escape", "\xc0\x9b[2J", "\ufffd\ufffd[2J"},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
		{"mark without base", "\u0301x", "◌\u0301x"},
		{"mark after a control", "\x1b\u0301", "␛\u0301"},
		{"zalgo", "z" + strings.Repeat("\u0300", 20) + "a", "z" + strings.Repeat("\u0300", 8) + "⟨+12 marks⟩a"},
		{"skin tones", "👍" + strings.Repeat("🏽", 10), "👍" + strings.Repeat("🏽", 8) + "⟨+2 marks⟩"},
		{"many joined", strings.Repeat("👨\u200d", 10) + "👨", strings.Repeat("👨\u200d", 8) + "👨⟨U+200D⟩👨\u200d👨"},
		{"joiner at the end", "👨\u200d", "👨⟨U+200D⟩"},
		{"two joiners", "👨\u200d\u200d👨", "👨⟨U+200D⟩⟨U+200D⟩👨"},
	} {
		if got := Sanitize(tt.in); got != tt.want {
			t.Errorf("%s: Sanitize(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

// What real text in any script is made of must come through as it is: an annotator has to read it.
func TestSanitizeKeepsReadableText(t *testing.T) {
	for _, s := range []string{
		"Größe, naïve, ça, Ångström, œuvre", "cafe\u0301 re\u0301sume\u0301", "Việt Nam ệ ở", "e\u0302\u0323",
		"Ελληνικά, русский, укра́їнська", "中文字符，标点。", "日本語のテキスト、カタカナ", "が\u3099", "한국어", "각",
		"סכום ההחזר ישולם תוך 14 ימים (order #12)", "בְּרֵאשִׁ֖ית", "سياسة الاسترداد", "می\u200cخواهم", "بِسْمِ ٱللَّهِ", "\u06dd١٢",
		"क्षत्रिय", "क्\u200dष", "श्री\u200cमान", "ශ්\u200dරී ලංකා", "র\u200d্যাব", "தமிழ்", "ไทยนี้", "ພາສາລາວ", "ខ្មែរ", "བོད་ཡིག",
		"👍🏽", "👨\u200d👩\u200d👧\u200d👦", "❤\ufe0f\u200d🔥", "🏳\ufe0f\u200d🌈", "🧑🏽\u200d🚀", "🇩🇪🇫🇷", "1\ufe0f\u20e3", "☎\ufe0e",
		"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "葛\U000e0100", "∩\ufe00",
		"nbsp\u00a0thin\u2009wide\u3000", "∑∏√ → ≤ ½ ™ © № ﬁ", "\ue0b0 private", "ᠮᠣᠩ\u180bᠭᠣᠯ",
	} {
		if got := Sanitize(s); got != s {
			t.Errorf("Sanitize(%q) = %q", s, got)
		}
		if got := SanitizeLines(s); got != s {
			t.Errorf("SanitizeLines(%q) = %q", s, got)
		}
	}
}

func TestSanitizeLines(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"ascii", "a\nb", "a\nb"},
		{"tab", "a\tb\n", "a    b\n"},
		{"windows", "a\r\nb\r\n", "a\nb\n"},
		{"old mac", "a\rb", "a␍b"},
		{"escape", "\n\x1b[2J", "\n␛[2J"},
		{"mark at a line's start", "a\n\u0301", "a\n◌\u0301"},
		{"zalgo over two lines", "z" + strings.Repeat("\u0300", 9) + "\n" + strings.Repeat("\u0300", 9), "z" + strings.Repeat("\u0300", 8) + "⟨+1 marks⟩\n◌" + strings.Repeat("\u0300", 8) + "⟨+1 marks⟩"},
	} {
		if got := SanitizeLines(tt.in); got != tt.want {
			t.Errorf("%s: SanitizeLines(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestSanitizeMapped(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		lines    bool
		part     string // of in
		lit      string // what is to be lit in the output
	}{
		{"ascii", "find the word", false, "word", "word"},
		{"after an escape", "\x1b[31mred word", false, "word", "word"},
		{"an escape itself", "a\x1b[31m", false, "\x1b[3", "␛[3"},
		{"tab", "a\tword\tb", true, "word\t", "word    "},
		{"windows lines", "a\r\nword\r\nb", true, "word", "word"},
		{"accents", "Größe ändern", false, "ändern", "ändern"},
		{"accents after a change", "Größe\u200b ändern", false, "ändern", "ändern"},
		{"hidden within", "re\u200bfund", false, "re\u200bfund", "re⟨U+200B⟩fund"},
		{"given a base", "\u0301x", false, "\u0301", "◌\u0301"},
		{"too many marks", "z" + strings.Repeat("\u0300", 10) + "!", false, "!", "!"},
		{"a flag", "x\x00🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007fy", false, "y", "y"},
	} {
		out, offsets := SanitizeMapped(tt.in, tt.lines)
		start := strings.Index(tt.in, tt.part)
		if got := out[offsets[start]:offsets[start+len(tt.part)]]; got != tt.lit {
			t.Errorf("%s: lit %q in %q, want %q", tt.name, got, out, tt.lit)
		}
	}
}

// B027 (vercel/ai#20052, boxdot/gurk-rs#384): escape sequences in corpus text are shown inert.
// B029 (marmot-protocol/mdk#586, openai/codex#34871): direction overrides and zero-width characters are visible.
// B025: so are U+2028 and DEL.
func TestSanitizeHostileCorpora(t *testing.T) {
	for id, want := range map[string]map[string]string{
		"B027": {
			"c_sgr": "red ␛[31mred␛[0m normal refund", "c_clear": "refund ␛[2J␛[H gone", "c_title": "refund ␛]0;owned␇ title",
			"c_clip": "refund ␛]52;c;cm0gLXJm␇ clipboard", "c_link": `refund ␛]8;;http://evil.example.test␛\click␛]8;;␛\ link`,
			"c_dsr": "refund ␛[6n asks for the cursor", "c_dcs": `refund ␛P$q q␛\ dcs`, "c_unterm": "refund ␛]0;never closed",
			"c_c1": "refund ⟨9B⟩31mC1 csi ⟨9D⟩0;x⟨9C⟩", "c_cr": "honest text refund␍FAKE LINE  ", "c_bs": "refund secret␈␈␈␈␈␈xxxxxx",
			"c_alt": "refund ␛[?1049h alt ␛[?25l", "c_ris": "refund ␛c reset", "c_bel": "refund ␇␇␇",
		},
		"B029": {
			"c1": "refund ⟨U+202E⟩grade: 2⟨U+202C⟩ end", "c2": "סכום ההחזר ישולם תוך 14 ימים (order #12)",
			"c3": "سياسة الاسترداد refund policy 14", "c4": "re⟨U+200B⟩fund zero⟨U+200D⟩width⟨U+FEFF⟩ joiner",
			"c5": "⟨U+2066⟩isolate never closed refund", "adm⟨U+200B⟩in": "refund lookalike id", "admin": "refund plain id",
		},
		"B025": {"c1": "if a < b && c > d & <b>bold</b> ⟨U+2028⟩ line sep ␡ del"},
	} {
		rows := rowsOf(t, id)
		if len(rows) != len(want) {
			t.Errorf("%s: %d rows, want %d", id, len(rows), len(want))
		}
		for _, row := range rows {
			got := Sanitize(row.Text)
			if w, ok := want[Sanitize(row.ID)]; !ok || got != w {
				t.Errorf("%s: %q: %q, want %q", id, row.ID, got, w)
			}
			checkSafe(t, row.Text)
		}
	}
}

type row struct{ ID, Text string }

func rowsOf(t *testing.T, id string) []row {
	t.Helper()
	b, err := os.ReadFile("testdata/bugs/" + id + "/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// checkSafe holds everything that Sanitize promises of its output against any input.
func checkSafe(t *testing.T, in string) {
	t.Helper()
	for _, lines := range []bool{false, true} {
		clean := Sanitize
		if lines {
			clean = SanitizeLines
		}
		out := clean(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q: invalid UTF-8 in %q", in, out)
		}
		for _, r := range out {
			if r == '\n' && lines {
				continue
			}
			if r < 0x20 || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0x200b {
				t.Fatalf("%q: %U in %q", in, r, out)
			}
		}
		if again := clean(out); again != out {
			t.Fatalf("%q: shown as %q, then as %q", in, out, again)
		}
		if !lines {
			checkClusters(t, in, out)
		}
		mapped, offsets := SanitizeMapped(in, lines)
		if mapped != out || len(offsets) != len(in)+1 || offsets[0] != 0 || offsets[len(in)] != len(out) {
			t.Fatalf("%q: mapped to %q by %v, shown as %q", in, mapped, offsets, out)
		}
		for i := range in {
			if offsets[i] > offsets[i+1] || offsets[i+1] > len(out) || !utf8.RuneStart((out + " ")[offsets[i]]) {
				t.Fatalf("%q: offsets %v in %q", in, offsets, out)
			}
		}
	}
}

// checkClusters: no character on screen may be made of absurdly many.
func checkClusters(t *testing.T, in, out string) {
	t.Helper()
	const most = 4 * (maxMarks + 2) * (maxJoins + 1)
	for rest, state := out, -1; rest != ""; {
		var c string
		c, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if len(c) > most && !strings.ContainsFunc(c, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
			t.Fatalf("%q: a character of %d bytes", in, len(c))
		}
	}
}

// nasty are runes that do something to those beside them.
var nasty = []rune("a Z5#é\t\r\n\x1b\x00\x7f\u0085\u009b\u200b\u200c\u200d\u200e\u202e\u2066\u2069\ufe0e\ufe0f\ufeff\u00ad\u0300\u0301\u20e3" +
	"中葛한ᅡᆨ가سیכक्षම්ᠮ\u180b\u034f😀👨🏽❤🇩🏴\U000e0067\U000e007f\U000e0100\u0600\u06dd\ufffd\uffff\ue000")

func TestSanitizeIsSafeForAnything(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 20_000 {
		var b strings.Builder
		for range rng.Intn(12) {
			r := nasty[rng.Intn(len(nasty))]
			for range 1 + rng.Intn(2)*rng.Intn(12) {
				b.WriteRune(r)
			}
			if rng.Intn(8) == 0 {
				b.WriteByte(byte(rng.Intn(256)))
			}
		}
		checkSafe(t, b.String())
	}
	if err := quick.Check(func(s string) bool { checkSafe(t, s); return true }, &quick.Config{Rand: rng}); err != nil {
		t.Error(err)
	}
}

// Every code point by itself, between letters, and doubled.
func TestSanitizeEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if out := Sanitize(string(r)); out == "" {
			t.Fatalf("%U is shown as nothing", r)
		}
		if r > 0x323af && r < 0xe0000 {
			continue
		}
		s := "a" + string(r) + string(r) + "b"
		out := Sanitize(s)
		if Sanitize(out) != out {
			t.Fatalf("%U: shown as %q, then as %q", r, out, Sanitize(out))
		}
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) && strings.ContainsRune(out, r) {
			t.Fatalf("%U is kept", r)
		}
		// What a table of the standard library calls format may stay only where it shapes its neighbours.
		if unicode.Is(unicode.Cf, r) && strings.ContainsRune(out, r) && !unicode.Is(numberSigns, r) {
			t.Fatalf("%U is kept between letters", r)
		}
	}
}

func TestSanitizeDoesNotCopyCleanText(t *testing.T) {
	for _, s := range []string{"plain text", "Größe 中文 😀", strings.Repeat("word ", 500)} {
		if n := testing.AllocsPerRun(10, func() { Sanitize(s); SanitizeLines(s) }); n != 0 {
			t.Errorf("%.20q: %v allocations", s, n)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b]0;x\a", "a\r\nb\tc", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "z\u0300\u0301", "\xff\xfe\x00", "क्\u200dष", "👨\u200d👩", "\u202eabc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSafe(t, s) })
}

func BenchmarkSanitize(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":   strings.Repeat("the quick brown fox jumps. ", 40),
		"chinese": strings.Repeat("中文字符，标点。", 40),
		"arabic":  strings.Repeat("سياسة الاسترداد ", 40),
		"hostile": strings.Repeat("refund \x1b[31m\u202e", 40),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				SanitizeLines(s)
			}
		})
	}
}
