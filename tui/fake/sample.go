package fake

import (
	"fmt"
	"time"

	"assay/corpus"
	"assay/tui/port"
)

// Kit is a whole workspace in memory.
type Kit struct {
	Desk     *Desk
	Finder   *Finder
	Checker  *Checker
	Exporter *Exporter
	Importer *Importer
}

// NewKit puts a workspace together. now may be nil.
func NewKit(ws port.Workspace, now func() time.Time, queries []corpus.Query, chunks []corpus.Chunk) Kit {
	ws.Chunks = len(chunks)
	k := Kit{Desk: NewDesk(ws, now, queries...), Finder: NewFinder(chunks...), Exporter: &Exporter{}, Importer: &Importer{}}
	k.Checker = &Checker{Desk: k.Desk, Finder: k.Finder}
	return k
}

// Flavour says what the texts of a sample are made of.
type Flavour string

// The flavours of golden frames: what terminals get wrong.
const (
	Plain   Flavour = "plain"
	CJK     Flavour = "cjk"
	Emoji   Flavour = "emoji"
	Hostile Flavour = "hostile" // escape sequences, bidi overrides, zero-width characters, tabs, stacked marks
)

// Sample is a small workspace: 6 queries, 9 chunks of 3 documents, and a kept run.
func Sample(f Flavour, now func() time.Time) Kit {
	ws := port.Workspace{
		Name: "support-gold", Annotator: "ann", Scale: corpus.DefaultScale(), CorpusID: "c-0123456789ab",
		Guidelines: "Grade what the chunk says, not what you know.\n\n0 not, 1 partly, 2 relevant, 3 perfect.", AutoAdvance: true,
	}
	queries, texts := sampleTexts(f)
	var qs []corpus.Query
	for i, t := range queries {
		qs = append(qs, corpus.Query{ID: fmt.Sprintf("q%04d", i+1), Text: t, Kind: corpus.Mined, Count: 18 - 3*i})
	}
	qs[1].Turns = []corpus.Turn{{Role: "user", Content: queries[0]}, {Role: "assistant", Content: texts[0]}}
	var cs []corpus.Chunk
	for i, t := range texts {
		doc := []string{"docs/keys.md", "docs/faq.md", "blog/2023-tokens.md"}[i/3]
		cs = append(cs, corpus.Chunk{ID: fmt.Sprintf("%s#%d", doc, i%3+1), DocID: doc, Ordinal: i%3 + 1, Title: titles(f)[i%3], Text: t})
	}
	k := NewKit(ws, now, qs, cs)
	k.Checker.Kept = map[string]map[string]corpus.Ranking{"bm25": sampleRun(qs, cs)}
	return k
}

// sampleRun returns five chunks for each query, others for each.
func sampleRun(queries []corpus.Query, chunks []corpus.Chunk) map[string]corpus.Ranking {
	run := map[string]corpus.Ranking{}
	for i, q := range queries {
		for j := range 5 {
			run[q.ID] = append(run[q.ID], corpus.Hit{ChunkID: chunks[(i*2+j)%len(chunks)].ID, Score: float64(10 - j)})
		}
	}
	return run
}

func titles(f Flavour) []string {
	switch f {
	case CJK:
		return []string{"署名鍵の更新", "ロールバック", "よくある質問"}
	case Emoji:
		return []string{"🔑 Rotating keys", "↩️ Rolling back", "👩‍👩‍👧‍👦 Family plan"}
	case Hostile:
		return []string{"Rotating\x1b[31mkeys", "Rolling\u202eback", "\tTabs and z\u0301\u0302\u0303\u0304"}
	}
	return []string{"Rotating keys", "Rolling back", "Frequent questions"}
}

func sampleTexts(f Flavour) (queries, texts []string) {
	switch f {
	case CJK:
		return []string{"署名鍵をダウンタイムなしで更新するには？", "返金ポリシーについて教えてください", "ERR_TOKEN_42 とは", "鍵を元に戻す", "家族プランはありますか", "半角ｱｲｳの検索"},
			[]string{"署名鍵を停止なしで更新するには、まず新しい鍵を公開し、両方を有効に保ちます。", "古い鍵に戻すには、もう一度公開します。", "ERR_TOKEN_42 はトークンの期限切れを意味します。",
				"全角テキストの返金ポリシーについての長い文章です。全角テキストの返金ポリシーについての長い文章です。", "家族プランは五人まで使えます。", "半角ｱｲｳも検索できます。",
				"トークンの寿命は十分です。", "猶予期間の後に古い鍵を削除します。", "詳細は付録を見てください。"}
	case Emoji:
		return []string{"👩‍👩‍👧‍👦 family refund?", "🏳️‍🌈 flags 🇺🇳 in names", "rotate 🔑 key", "roll ↩️ back", "1️⃣ first steps", "👍🏽 thumbs"},
			[]string{"👩‍👩‍👧‍👦 family refund 🏳️‍🌈 🇺🇳 within 14 days.", "Rotate the 🔑 key: publish the new key first.", "Roll ↩️ back by publishing the old 🔑 key.",
				"1️⃣ first steps: add a key 🔑, then rotate.", "👍🏽 thumbs up for names with flags 🇩🇪🇯🇵.", "☎️ call us for a refund.",
				"A ✈️ trip of a family.", "Names may hold 🇺🇳 flags.", "Nothing here 🫥."}
	case Hostile:
		return []string{"red \x1b[31malert\x1b[0m refund", "spoof \u202egpj.exe refund", "zero\u200bwidth\u2060joined key", "tab\there key", "z\u0301\u0302\u0303\u0304algo key", "\u0007bell \u009b31m key"},
			[]string{"refund \x1b]0;owned\x07 text", "key \x1b]52;c;Zm9v\x07 clip", "key \rcarriage\b\b return", "refund col1\tcol2\tcol3 end", "key \u202eright to left\u202c again",
				"refund \ufeffbom \u2066isolate\u2069", "key " + "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "key \x00nul \x7fdel", "refund \u2028line\u2029para"}
	}
	return []string{"how do i rotate the signing key without downtime?", "what is your refund policy", "ERR_TOKEN_42 after login", "roll back a key", "is there a family plan", "http://example.com/a?b=c:d 12:30"},
		[]string{"To rotate the signing key without downtime, publish the new key first and keep both valid for the longest token lifetime:\n\n  assayctl keys add --kid 2024-06 --not-before +10m\n\nAfter the grace period remove the old one.",
			"To roll back, publish the old key again.", "ERR_TOKEN_42 means that the token expired after login.",
			"Our refund policy: within 14 days, in full.", "There is a family plan for up to five people.", "See http://example.com for more, from 12:30 on.",
			"How we rotate the signing key each month.", "A key is valid for ten minutes before it is used.", "Nothing to see here."}
}
