package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/ask"
	"assay/corpus/index/internal/words"
)

// engine answers searches the slow way: it reads all texts. It shares the analyzer and the plans with the index, and
// nothing else.
type engine struct {
	analyzer *words.Analyzer
	chunks   []corpus.Chunk
	tokens   [][2][]words.Token // of title and text
	lengths  []float64
	average  float64
}

func newEngine(t testing.TB, language string, chunks []corpus.Chunk) *engine {
	t.Helper()
	a, err := words.New(language, words.Searching)
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{analyzer: a, chunks: chunks}
	total := 0.0
	for _, c := range chunks {
		parts := [2][]words.Token{a.Tokens(nil, c.Title), a.Tokens(nil, c.Text)}
		length := 0.0
		for i, weight := range []float64{titleWeight, 1} {
			for _, tok := range parts[i] {
				if tok.Kind == words.Word {
					length += weight
				}
			}
		}
		e.tokens = append(e.tokens, parts)
		e.lengths = append(e.lengths, length)
		total += length
	}
	e.average = max(total, 1) / float64(max(len(chunks), 1))
	return e
}

// count is how often a chunk has what the unit stands for.
func (e *engine) count(i int, u ask.Unit) (n float64) {
	for part, weight := range []float64{titleWeight, 1} {
		for _, tok := range e.tokens[i][part] {
			if e.is(tok, u) {
				n += weight
			}
		}
	}
	return n
}

func (e *engine) is(tok words.Token, u ask.Unit) bool {
	switch {
	case u.Prefix != "":
		return (strings.HasPrefix(tok.Term, u.Prefix) || u.Also != "" && strings.HasPrefix(tok.Term, u.Also)) && (!e.analyzer.Common(tok.Term) || tok.Term == u.Prefix)
	case u.Fuzzy != "":
		return distance(u.Fuzzy, tok.Term) <= u.Edits && (!e.analyzer.Common(tok.Term) || tok.Term == u.Fuzzy)
	}
	stem := tok.Stem
	if stem == "" && e.analyzer.Stems(tok.Term) {
		stem = tok.Term
	}
	return slices.Contains(u.Terms, tok.Key) || stem != "" && slices.Contains(u.Stems, stem) || tok.Alt != "" && slices.Contains(u.Stems, tok.Alt)
}

// distance is the optimal string alignment distance, by its definition.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	memo := map[[2]int]int{}
	var d func(i, j int) int
	d = func(i, j int) int {
		if i == 0 || j == 0 {
			return i + j
		}
		if n, ok := memo[[2]int{i, j}]; ok {
			return n
		}
		cost := 1
		if s[i-1] == t[j-1] {
			cost = 0
		}
		n := min(d(i-1, j)+1, d(i, j-1)+1, d(i-1, j-1)+cost)
		if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
			n = min(n, d(i-2, j-2)+1)
		}
		memo[[2]int{i, j}] = n
		return n
	}
	return d(len(s), len(t))
}

// hasPhrase reports whether the words of a phrase follow one another in title or text. One word may also be an
// identifier without its joiners: e-mail is email.
func (e *engine) hasPhrase(i int, p ask.Phrase) bool {
	for _, tokens := range e.tokens[i] {
		if len(p.Words) == 1 && slices.ContainsFunc(tokens, func(tok words.Token) bool { return tok.Term == p.Words[0] }) {
			return true
		}
		var row []string
		for _, tok := range tokens {
			if tok.Kind == words.Word {
				row = append(row, tok.Term)
			}
		}
		for at := range row {
			if at+len(p.Words) <= len(row) && slices.Equal(row[at:at+len(p.Words)], p.Words) {
				return true
			}
		}
	}
	return false
}

// search ranks all chunks that match.
func (e *engine) search(t testing.TB, r corpus.SearchRequest) corpus.Ranking {
	t.Helper()
	p, err := ask.For(e.analyzer, r)
	if err != nil {
		t.Fatalf("%q: %v", r.Text, err)
	}
	if p.Empty() {
		return nil
	}
	ranking := e.plan(p, r)
	if len(ranking) == 0 && p.Soft {
		p.Phrases = nil
		ranking = e.plan(p, r)
	}
	return ranking
}

func (e *engine) plan(p ask.Plan, r corpus.SearchRequest) corpus.Ranking {
	n := float64(len(e.chunks))
	counts := make([][]float64, len(p.Units))
	weights := make([]float64, len(p.Units))
	most := 0.0
	for u := range p.Units {
		counts[u] = make([]float64, len(e.chunks))
		with := 0.0
		for i := range e.chunks {
			if counts[u][i] = e.count(i, p.Units[u]); counts[u][i] > 0 {
				with++
			}
		}
		if with > 0 {
			weights[u] = p.Units[u].Weight * math.Log(1+(n-with+0.5)/(with+0.5))
			most += weights[u] * 2.2
		}
	}
	has := func(i, u int) bool { return u >= 0 && counts[u][i] > 0 }
	there := func(u int) bool { return u >= 0 && weights[u] > 0 }
	var groups []ask.Group
	for _, g := range p.Groups {
		g.Parts = slices.DeleteFunc(slices.Clone(g.Parts), func(u int) bool { return !there(u) })
		if len(g.Parts) > 0 || there(g.Whole) || there(g.Prefix) {
			groups = append(groups, g)
		}
	}
	named := len(p.Groups) == 1 && len(groups) == 1 && there(groups[0].Whole)
	leveled := len(groups) > 1 || named || len(groups) == 1 && (there(groups[0].Prefix) || len(groups[0].Parts) > 1)
	level := func(i int) float64 {
		exact := true
		for _, g := range groups {
			all := len(g.Parts) > 0
			for _, u := range g.Parts {
				all = all && has(i, u)
			}
			if all || has(i, g.Whole) {
				continue
			}
			exact = false
			if !has(i, g.Prefix) {
				return 0
			}
		}
		switch {
		case !exact:
			return 1
		case named && has(i, groups[0].Whole):
			return 3
		}
		return 2
	}
	everything := p.Filter || slices.ContainsFunc(p.Phrases, func(ph ask.Phrase) bool { return !ph.Not })
	var ranking corpus.Ranking
	for i, c := range e.chunks {
		score, touched := 0.0, false
		for u := range p.Units {
			if tf := counts[u][i]; tf > 0 {
				touched = true
				score += weights[u] * 2.2 * tf / (tf + 1.2*(0.25+0.75*e.lengths[i]/e.average))
			}
		}
		if !touched && !everything || !e.passes(i, p, r) {
			continue
		}
		if leveled {
			score += most * level(i)
		}
		ranking = append(ranking, corpus.Hit{ChunkID: c.ID, Score: score})
	}
	slices.SortFunc(ranking, func(a, b corpus.Hit) int {
		if math.Abs(a.Score-b.Score) < 1e-9 {
			return cmp.Compare(b.ChunkID, a.ChunkID)
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return ranking
}

func (e *engine) passes(i int, p ask.Plan, r corpus.SearchRequest) bool {
	c := e.chunks[i]
	for _, ph := range p.Phrases {
		if e.hasPhrase(i, ph) == ph.Not {
			return false
		}
	}
	for _, u := range p.Without {
		if e.count(i, u) > 0 {
			return false
		}
	}
	for _, d := range p.Docs {
		in := false
		for _, id := range []string{c.ID, c.DocID} {
			in = in || strings.Contains(id, d.Path) || d.Path == strings.ToLower(d.Path) && strings.Contains(strings.ToLower(id), d.Path)
		}
		if in == d.Not {
			return false
		}
	}
	for _, f := range p.Grades {
		g, ok := r.Grades[c.ID]
		is := !ok || g < 0
		if f.Relevant {
			is = ok && g >= 0 && g >= r.RelevantFrom
		}
		if is == f.Not {
			return false
		}
	}
	return true
}

// randomWords are few enough that searches hit, with forms, names and scripts among them.
var randomWords = []string{
	"refund", "refunds", "refunded", "policy", "policies", "happy", "happily", "deadline", "the", "of", "and", "to",
	"kube-apiserver", "kube", "apiserver", "user_id", "userid", "getUserByID", "user", "id", "PROJ-1234", "1234", "v1.2.3", "1.2.3", "e-mail", "email",
	"café", "cafe", "東京", "東京都", "京都", "환불", "--force", "force", "C++", "a", "ab", "abc", "abcd", "abd", "bcd", "running", "run", "runs",
}

func randomText(r *rand.Rand, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = randomWords[min(r.IntN(len(randomWords)), r.IntN(len(randomWords)+8))]
	}
	return strings.Join(parts, []string{" ", " ", ", ", " / "}[r.IntN(4)])
}

func randomChunks(r *rand.Rand, n int) []corpus.Chunk {
	chunks := make([]corpus.Chunk, n)
	for i := range chunks {
		c := corpus.Chunk{ID: fmt.Sprintf("Doc%d/%d", r.IntN(9), i), Text: randomText(r, r.IntN(14))}
		if r.IntN(2) == 0 {
			c.Title = randomText(r, 1+r.IntN(3))
		}
		if r.IntN(3) > 0 {
			c.DocID = fmt.Sprintf("dir/doc%d", r.IntN(9))
		}
		chunks[i] = c
	}
	return chunks
}

func randomSearch(r *rand.Rand, mode corpus.Mode) string {
	var items []string
	for range 1 + r.IntN(4) {
		w := randomWords[r.IntN(len(randomWords))]
		if mode == corpus.Plain {
			switch r.IntN(8) {
			case 0:
				w = `"` + randomText(r, 1+r.IntN(3)) + `"`
			case 1:
				w = strings.ToUpper(w)
			case 2:
				w = "-" + w
			}
			items = append(items, w)
			continue
		}
		switch r.IntN(12) {
		case 0:
			w = `"` + randomText(r, 1+r.IntN(2)) + `"`
		case 1:
			w = words.Cut(w, 1+r.IntN(4))
			w = strings.Trim(w, "-+_.") + "*"
		case 2:
			w = strings.Trim(w, "-+") + "~"
		case 3:
			w = strings.Trim(w, "-+") + "~2"
		case 4:
			w = fmt.Sprintf("doc:%s%d", []string{"doc", "Doc", "dir/doc", "/"}[r.IntN(4)], r.IntN(9))
		case 5:
			w = []string{"is:unjudged", "is:relevant"}[r.IntN(2)]
		}
		if r.IntN(5) == 0 {
			w = "-" + strings.TrimLeft(w, "-")
		}
		items = append(items, w)
	}
	return strings.Join(items, " ")
}

// Whatever is asked of whatever corpus, in one build or after refreshes, the index answers as reading all texts does.
func TestIndexAgreesWithReadingAllTexts(t *testing.T) {
	rounds, searches := 12, 150
	if testing.Short() {
		rounds, searches = 3, 60
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(7, uint64(round)))
		language := []string{"en", "none", "fr"}[round%3]
		chunks := randomChunks(r, 5+r.IntN(120))
		dir := t.TempDir()
		mustBuild(t, dir, BuildOptions{Language: language}, chunks...)
		for refresh := range 2 {
			if refresh > 0 {
				for range 1 + len(chunks)/20 {
					i := r.IntN(len(chunks))
					chunks[i].Text = randomText(r, r.IntN(14))
				}
				chunks = slices.Concat(chunks[:len(chunks)/30], chunks[len(chunks)/30+1:], []corpus.Chunk{{ID: "added", Title: randomText(r, 2), Text: randomText(r, 9)}})
				mustBuild(t, dir, BuildOptions{}, chunks...)
			}
			ix, e := mustOpen(t, dir), newEngine(t, language, chunks)
			grades := map[string]corpus.Grade{}
			for range 10 {
				grades[chunks[r.IntN(len(chunks))].ID] = []corpus.Grade{0, 1, 2, corpus.CannotJudge}[r.IntN(4)]
			}
			for range searches {
				mode := []corpus.Mode{corpus.Plain, corpus.Syntax}[r.IntN(2)]
				request := corpus.SearchRequest{Text: randomSearch(r, mode), Mode: mode, Limit: 1000, Prefix: mode == corpus.Plain && r.IntN(2) == 0, Grades: grades, RelevantFrom: 1}
				if _, err := ask.For(e.analyzer, request); err != nil {
					continue // "-a -b" has nothing to look for
				}
				compare(t, ix, e, request)
				if t.Failed() {
					t.Fatalf("round %d, refresh %d, language %s, %d chunks", round, refresh, language, len(chunks))
				}
			}
		}
	}
}

func compare(t *testing.T, ix *Index, e *engine, r corpus.SearchRequest) {
	t.Helper()
	want := e.search(t, r)
	got, err := ix.Search(context.Background(), r)
	if err != nil {
		t.Errorf("%q: %v", r.Text, err)
		return
	}
	if got.Partial {
		t.Errorf("%q: partial", r.Text)
	}
	if got.Total != len(want) || len(got.Hits) != len(want) {
		t.Errorf("%s %q prefix %v: %d of %d hits, reading all finds %d", r.Mode, r.Text, r.Prefix, len(got.Hits), got.Total, len(want))
		return
	}
	for i, h := range got.Hits {
		if h.ChunkID != want[i].ChunkID && math.Abs(h.Score-want[i].Score) > 1e-9 || math.Abs(h.Score-want[i].Score) > 1e-9*max(1, h.Score) {
			t.Errorf("%s %q prefix %v: hit %d is %s (%v), reading all finds %s (%v)", r.Mode, r.Text, r.Prefix, i, h.ChunkID, h.Score, want[i].ChunkID, want[i].Score)
			return
		}
	}
}

// The first hits are the same however many are asked for, and Ranking gives what Search gives.
func TestLimits(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	for i, q := range c.queries[:30] {
		request := corpus.SearchRequest{Text: q[1], Mode: corpus.Plain, Limit: 2000, Prefix: i%2 == 0}
		all, err := ix.Search(context.Background(), request)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{-1, 0, 1, 2, 10, 500} {
			request.Limit = limit
			r, err := ix.Search(context.Background(), request)
			if err != nil || !slices.Equal(r.Hits, all.Hits[:min(max(limit, 1), len(all.Hits))]) || r.Total != all.Total {
				t.Errorf("query %s, limit %d: %d hits of %d (%v)", q[0], limit, len(r.Hits), r.Total, err)
			}
			ranking, err := ix.Ranking(context.Background(), request)
			if err != nil || len(ranking) != len(r.Hits) {
				t.Fatalf("query %s: a ranking of %d (%v)", q[0], len(ranking), err)
			}
			for j, h := range ranking {
				if h.ChunkID != r.Hits[j].ChunkID || h.Score != r.Hits[j].Score {
					t.Errorf("query %s: ranked %+v, found %+v", q[0], h, r.Hits[j])
				}
			}
		}
	}
}
