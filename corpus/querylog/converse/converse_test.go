package converse

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
	"testing/quick"
	"time"

	"assay/corpus"
)

func TestLeans(t *testing.T) {
	for _, c := range []struct {
		text         string
		search, chat bool
	}{
		{"and for Windows?", true, true},
		{"What about the old key?", true, true},
		{"how does it work", true, true},
		{"Why is it so slow?", true, true},
		{"can you explain that", true, true},
		{"how long does this take?", true, true},
		{"does it?", true, true},
		{"the second one", true, true},
		{"why", true, true},
		{"why not?", true, true},
		{"are they free", true, true},
		{"und für Windows?", true, true},
		{"et pour Windows ?", true, true},
		{"¿y para Windows?", true, true},
		{"AND FOR WINDOWS", true, true},
		{"how’s it different", true, true},
		// Fragments lean in a chat and are the normal thing in a search box.
		{"for windows", false, true},
		{"in python?", false, true},
		{"with docker", false, true},
		// These stand by themselves.
		{"how do I rotate the signing key", false, false},
		{"My card was stolen, can I block it?", false, false},
		{"is it possible to get a new card", false, false},
		{"It looks like my payment failed", false, false},
		{"is there a free plan", false, false},
		{"this card was declined", false, false},
		{"the card that I ordered has not arrived", false, false},
		{"yahoo chat", false, false},
		{"for sale by owner homes in austin texas", false, false},
		{"one way flights", false, false},
		{"other people's cards", false, false},
		{"", false, false},
		{"?", false, false},
		{"its", true, true},
		{"and for " + long, false, false}, // too long to lean on anything
	} {
		if got := leans(c.text, false); got != c.search {
			t.Errorf("in a search box %q: %v", c.text, got)
		}
		if got := leans(c.text, true); got != c.chat {
			t.Errorf("in a chat %q: %v", c.text, got)
		}
	}
}

const long = "a whole cluster of machines that run behind a proxy in two data centres with one shared database and nothing else at all"

// Questions that were asked first, each by itself, lean on nothing: what is proposed of them is wrong.
func TestLeansOnRealFirstQuestions(t *testing.T) {
	folder := os.Getenv("ASSAY_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(folder, "log-banking77", "train.csv"))
	if err != nil {
		t.Skipf("the collection is not here: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, r := range rows[1:] {
		if leans(r[0], false) {
			wrong++
		}
	}
	if share := float64(wrong) / float64(len(rows)-1); share > 0.012 {
		t.Errorf("%d of %d questions that stand by themselves are taken for follow-ups", wrong, len(rows)-1)
	}
}

func minutes(m float64) time.Time {
	return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(m * float64(time.Minute)))
}

func TestPlaces(t *testing.T) {
	rows := []Row{
		{Text: "and for Windows?", At: minutes(0)},        // nothing was asked before
		{Text: "rotate the key", At: minutes(1)},          //
		{Text: "and for Windows?", At: minutes(2)},        // follows 1
		{Text: "what about the old key", At: minutes(3)},  // follows 2, turns from 1
		{Text: "refund policy", At: minutes(4)},           //
		{Text: "how long does it take", At: minutes(5)},   // follows 4
		{Text: "how long does it take?", At: minutes(6)},  // the same again
		{Text: "what about the old key", At: minutes(60)}, // too long after
	}
	want := []Place{
		{0, false, -1, 0}, {0, false, -1, 1}, {0, true, 1, 1}, {0, true, 2, 1}, {0, false, -1, 4}, {0, true, 4, 4},
		{0, false, -1, 6}, {1, false, -1, 7},
	}
	for i, got := range Places(rows, DefaultGap) {
		if got != want[i] {
			t.Errorf("row %d, %q: %+v, want %+v", i, rows[i].Text, got, want[i])
		}
	}
	// A session id holds them together, however long the silence.
	if got := Places(rows, 0)[7]; got.Conversation != 0 || !got.FollowUp || got.Parent != 6 {
		t.Errorf("with a session id: %+v", got)
	}
}

func TestPlacesWithoutTimes(t *testing.T) {
	rows := []Row{{Text: "rotate the key"}, {Text: "and for Windows?"}}
	if got := Places(rows, DefaultGap)[1]; got.FollowUp || got.Conversation != 1 {
		t.Errorf("by user without times: %+v", got)
	}
	if got := Places(rows, 0)[1]; !got.FollowUp {
		t.Errorf("by session without times: %+v", got)
	}
}

func TestGivenTurns(t *testing.T) {
	said := []corpus.Turn{{Role: "user", Content: "rotate the key"}, {Role: "assistant", Content: "Run rotate."}}
	got := Places([]Row{{Text: "for windows", Turns: said}, {Text: "refund policy", Turns: said}, {Text: "for windows", Turns: said[:1]}}, 0)
	if !got[0].FollowUp || got[0].Parent != -1 || got[1].FollowUp || got[2].FollowUp {
		t.Errorf("%+v", got)
	}
}

func TestTurnsAreFew(t *testing.T) {
	rows := []Row{{Text: "rotate the key"}}
	for range 20 {
		rows = append(rows, Row{Text: "and then?"}, Row{Text: "why is it so"})
	}
	for i, p := range Places(rows, 0) {
		if i > 0 && (!p.FollowUp || p.Parent != i-1 || i-p.First > mostTurns || p.First < 0) {
			t.Errorf("row %d: %+v", i, p)
		}
	}
}

// Whatever is asked: conversations are numbered without gaps, a parent is the row before in the same conversation.
func TestPlacesProperty(t *testing.T) {
	texts := []string{"rotate the key", "and for Windows?", "why", "", "in python", "refund"}
	err := quick.Check(func(what, when []uint8, chat bool) bool {
		var rows []Row
		now := minutes(0)
		for i, w := range what {
			if i < len(when) {
				now = now.Add(time.Duration(when[i]) * time.Minute)
			}
			r := Row{Text: texts[int(w)%len(texts)], At: now, Chat: chat}
			if w%17 == 0 {
				r.At = time.Time{}
			}
			rows = append(rows, r)
		}
		last := -1
		for i, p := range Places(rows, DefaultGap) {
			if p.Conversation != last && p.Conversation != last+1 {
				return false
			}
			begins := p.Conversation != last
			last = p.Conversation
			if p.FollowUp && (begins || p.Parent != i-1 || p.First > p.Parent || p.First < 0) {
				return false
			}
			if !p.FollowUp && (p.Parent != -1 || p.First != i) {
				return false
			}
		}
		return true
	}, nil)
	if err != nil {
		t.Error(err)
	}
}

func FuzzLeans(f *testing.F) {
	for _, s := range []string{"and for Windows?", "it", "’s", "\xff it", "何ですか"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, chat bool) {
		if leans(s, false) && !leans(s, true) {
			t.Errorf("%q leans in a search box and not in a chat", s)
		}
		Places([]Row{{Text: s}, {Text: s, Chat: chat}}, 0)
	})
}
