package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// reference is BM25 over title and text by the book, for one word in all its forms.
func reference(a *words.Analyzer, chunks []corpus.Chunk, query string) map[string]float64 {
	stem := func(t words.Token) string {
		if t.Stem != "" {
			return t.Stem
		}
		return t.Term
	}
	want := stem(a.Tokens(nil, query)[0])
	counts, lengths, total, with := map[string]float64{}, map[string]float64{}, 0.0, 0.0
	for _, c := range chunks {
		for weight, text := range map[float64]string{titleWeight: c.Title, 1: c.Text} {
			for _, t := range a.Tokens(nil, text) {
				if t.Kind == words.Word {
					lengths[c.ID] += weight
					total += weight
				}
				if stem(t) == want {
					counts[c.ID] += weight
				}
			}
		}
		if counts[c.ID] > 0 {
			with++
		}
	}
	scores := map[string]float64{}
	n := float64(len(chunks))
	for id, tf := range counts {
		if tf == 0 {
			continue
		}
		idf := math.Log(1 + (n-with+0.5)/(with+0.5))
		scores[id] = idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*lengths[id]/(total/n)))
	}
	return scores
}

func checkScores(t *testing.T, ix *Index, chunks []corpus.Chunk, query string) {
	t.Helper()
	want := reference(ix.analyzer, chunks, query)
	got, err := ix.Ranking(context.Background(), corpus.SearchRequest{Text: query, Mode: corpus.Plain, Limit: len(chunks)})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%q: %d hits, not %d", query, len(got), len(want))
	}
	for _, h := range got {
		if math.Abs(h.Score-want[h.ChunkID]) > 1e-12 {
			t.Errorf("%q: %s has %v, not %v", query, h.ChunkID, h.Score, want[h.ChunkID])
		}
	}
	if !slices.IsSortedFunc(got, corpus.CompareHits) {
		t.Errorf("%q: not in order", query)
	}
}

func TestScoresAreBM25(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	for _, q := range []string{"wing", "boundary", "heated", "slipstream", "pressures", "xylophone", "company", "happily"} {
		checkScores(t, ix, c.chunks, q)
	}
}

func TestIdentifiersComeFirstWhole(t *testing.T) {
	texts := []string{
		"the kube apiserver and the kube apiserver and kube apiserver again",
		"restart kube-apiserver",
		"PROJ 1234 PROJ 1234 PROJ 1234 1234",
		"see PROJ-1234 for the long story of what happened when nobody was looking at the tickets any more",
		"get user by id get user by id",
		"we call getUserByID here",
		"user id user id user id id",
		"select user_id from users",
		"max retry count 3 max retry count 3",
		"set max-retry-count=3",
		"app config yaml app config yaml",
		"edit app.config.yaml",
		"1 2 3 1 2 3 1 2 3",
		"upgrade to v1.2.3 now",
		"ann example org ann example org",
		"write to ann@example.org",
		"etc passwd etc passwd etc passwd",
		"cat /etc/passwd",
		"force force force force",
		"git push --force",
		"c c c c c c",
		"written in C++",
		"404 404 not found error 404",
		"HTTP-404 is logged",
	}
	ix := built(t, "en", chunksOf(texts...)...)
	for query, want := range map[string]string{
		"kube-apiserver": "c2", "KUBE-APISERVER": "c2", "PROJ-1234": "c4", "proj-1234": "c4", "getUserByID": "c6", "getuserbyid": "c6",
		"GETUSERBYID": "c6", "getUserById": "c6", "user_id": "c8", "USER_ID": "c8", "max-retry-count=3": "c10", "max-retry-count": "c10",
		"app.config.yaml": "c12", "App.Config.YAML": "c12", "v1.2.3": "c14", "1.2.3": "c14", "ann@example.org": "c16", "/etc/passwd": "c18",
		"etc/passwd": "c18", "--force": "c20", "C++": "c22", "c++": "c22", "HTTP-404": "c24", "http-404": "c24",
		"PROJ-1234 story": "c4", "see --force push": "c20",
	} {
		got := plain(t, ix, query)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q first, not %s", query, got[:min(3, len(got))], want)
		}
	}
	for query, part := range map[string]string{"apiserver": "c2", "1234": "c4", "user": "c6", "retry": "c10", "yaml": "c12", "example": "c16", "passwd": "c18", "push": "c20", "userid": "c8", "maxretrycount": "c10"} {
		if got := plain(t, ix, query); !slices.Contains(got, part) {
			t.Errorf("the part %q finds %q, not %s", query, got, part)
		}
	}
}

func TestAllWordsComeFirst(t *testing.T) {
	ix := built(t, "en", chunksOf(
		"refund refund refund refund refund",
		"a very long text in which, among many other things that nobody asked for and that make it longer, a refund is named once, and further on, after many more words, also the deadline",
		"deadline deadline deadline",
		"nothing",
	)...)
	if got := plain(t, ix, "refund deadline"); !slices.Equal(got, []string{"c2", "c1", "c3"}) && !slices.Equal(got, []string{"c2", "c3", "c1"}) {
		t.Errorf("got %q", got)
	}
	// A word that no chunk has is not held against those that have the others.
	if got := plain(t, ix, "refund deadline xyzzy"); got[0] != "c2" {
		t.Errorf("got %q", got)
	}
	if got := plain(t, ix, "the refunds of the deadlines"); got[0] != "c2" {
		t.Errorf("got %q", got)
	}
}

func TestEqualScoresGoByID(t *testing.T) {
	var chunks []corpus.Chunk
	for _, id := range []string{"b", "a", "é", "B", "aa", "10", "9", "\x00", "z"} {
		chunks = append(chunks, corpus.Chunk{ID: id, Text: "the same words"})
	}
	ix := built(t, "en", chunks...)
	want := []string{"é", "z", "b", "aa", "a", "B", "9", "10", "\x00"}
	if got := plain(t, ix, "same"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := search(t, ix, corpus.SearchRequest{Text: "words", Limit: 3}); !slices.Equal(got, want[:3]) {
		t.Errorf("the first three are %q", got)
	}
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "words", Mode: corpus.Plain, Limit: 3})
	if err != nil || r.Total != len(want) || r.Request.Text != "words" {
		t.Errorf("total %d (%v)", r.Total, err)
	}
}

func TestTheTitleCounts(t *testing.T) {
	ix := built(t, "en", corpus.Chunk{ID: "text", Text: "refund and other words that are here"}, corpus.Chunk{ID: "title", Title: "Refund", Text: "other words that are here and there"}, corpus.Chunk{ID: "only", Title: "Deadlines"})
	if got := plain(t, ix, "refund"); !slices.Equal(got, []string{"title", "text"}) {
		t.Errorf("got %q", got)
	}
	if got := plain(t, ix, "deadline"); !slices.Equal(got, []string{"only"}) {
		t.Errorf("got %q", got)
	}
	if got := plain(t, ix, `"refund other"`); len(got) != 0 {
		t.Errorf("a phrase reaches from the title into the text: %q", got)
	}
}

func TestPhrases(t *testing.T) {
	ix := built(t, "en", chunksOf(
		"to be or not to be, that is the question",
		"not to be or to be",
		"the refund policy of Kube-Apiserver",
		"policy refund",
		"refund policies",
		"refund. Policy",
		"退款政策的说明",
		"政策退款",
		`12" pipe and 10" pipe`,
	)...)
	for query, want := range map[string][]string{
		`"to be or not to be"`:       {"c1"},
		`"or to be"`:                 {"c2"},
		`"refund policy"`:            {"c3", "c6"},
		`"REFUND   Policy"`:          {"c3", "c6"},
		`"kube apiserver"`:           {"c3"},
		`"kube-apiserver"`:           {"c3"},
		`"refunds policy"`:           nil,
		`"policy refund" other`:      {"c4"},
		`"退款政策"`:                     {"c7"},
		`"refund" policy`:            {"c3", "c4", "c5", "c6"},
		`"policies"`:                 {"c5"},
		`"refund policy" "question"`: nil,
		`""`:                         nil,
		`" "`:                        nil,
		`"--"`:                       nil,
		`("refund policy")`:          {"c3", "c6"},
	} {
		got := plain(t, ix, query)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %q, not %q", query, got, want)
		}
	}
	if got := plain(t, ix, `12" x 10" pipe`); !slices.Contains(got, "c9") {
		t.Errorf("inch marks make a phrase: %q", got)
	}
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: `what says "refund deadlines" of policy`, Mode: corpus.Plain, Limit: 10})
	if err != nil || r.Total != 4 || r.Note == "" {
		t.Errorf("a quotation that no chunk has: %d hits, note %q (%v)", r.Total, r.Note, err)
	}
}

func TestManyPhraseCandidates(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range maxVerified + 500 {
		text := "alpha beta"
		if i%2 == 0 {
			text = "beta alpha"
		}
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("c%05d", i), Text: text})
	}
	ix := built(t, "none", chunks...)
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: `"alpha beta"`, Mode: corpus.Plain, Limit: 10})
	if err != nil || !r.Partial || r.Note == "" || r.Total != maxVerified/2 || len(r.Hits) != 10 || r.Hits[0].ChunkID != fmt.Sprintf("c%05d", maxVerified+499) {
		t.Errorf("total %d, partial %v, note %q (%v)", r.Total, r.Partial, r.Note, err)
	}
}

func TestTheLastWordMayBeABeginning(t *testing.T) {
	ix := built(t, "en", chunksOf("refunds are paid", "reference works", "the university", "universities and the universe", "running", "user_id and kube-apiserver", "re: hello", "東京都", "happiness")...)
	prefix := func(text string) []string {
		got := search(t, ix, corpus.SearchRequest{Text: text, Prefix: true})
		if len(got) > 0 && !strings.HasPrefix(text, "re") {
			slices.Sort(got)
		}
		return got
	}
	for text, want := range map[string][]string{
		"refun": {"c1"}, "Refun": {"c1"}, "reference": {"c2"}, "universit": {"c3", "c4"}, "universitie": {"c4"}, "univers": {"c3", "c4"},
		"runni": {"c5"}, "runn": {"c5"}, "kube-api": {"c6"}, "user_": {"c6"}, "user_i": {"c6"}, "東": {"c8"}, "happi": {"c9"}, "zzz": {},
		"paid refun": {"c1"}, "refun ": {}, "refun x": {},
	} {
		if got := prefix(text); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, not %q", text, got, want)
		}
	}
	if got := prefix("re"); len(got) != 3 || got[0] != "c7" {
		t.Errorf("re finds %q: the word itself comes first", got)
	}
	if got := plain(t, ix, "refun"); len(got) != 0 {
		t.Errorf("without prefix refun finds %q", got)
	}
}

func TestFrequentBeginnings(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range 1500 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("c%04d", i), Text: fmt.Sprintf("ab%c%c%d", 'a'+i%26, 'a'+i/26%26, i)})
	}
	for i := range 40 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("d%04d", i), Text: fmt.Sprintf("abzfrequent abz%02d", i/2)})
	}
	ix := built(t, "none", chunks...)
	if err := func() error { _, _, err := ix.frequent.of("a"); return err }(); err != nil || len(ix.frequent.by["ab"]) != keptTerms {
		t.Fatalf("%d terms are kept for ab (%v)", len(ix.frequent.by["ab"]), err)
	}
	if _, ok := ix.frequent.by["abzf"]; ok {
		t.Error("a rare beginning is kept")
	}
	for _, text := range []string{"a", "ab"} {
		r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: text, Mode: corpus.Plain, Limit: 50, Prefix: true})
		if err != nil || !r.Partial || r.Total < 40 || !strings.HasPrefix(r.Hits[39].ChunkID, "d") {
			t.Errorf("%q: total %d, partial %v (%v)", text, r.Total, r.Partial, err)
		}
	}
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "abzfreq", Mode: corpus.Plain, Limit: 50, Prefix: true})
	if err != nil || r.Partial || r.Total != 40 {
		t.Errorf("a rare beginning: total %d, partial %v (%v)", r.Total, r.Partial, err)
	}
}

func TestLongSearches(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: c.chunks[100].Text + c.chunks[101].Text, Mode: corpus.Plain, Limit: 10})
	if err != nil || !slices.ContainsFunc(r.Hits[:2], func(h corpus.SearchHit) bool { return h.ChunkID == c.chunks[100].ID }) || r.Note == "" {
		t.Errorf("a pasted text: %+v (%v)", r, err)
	}
	var paste strings.Builder
	for _, x := range c.chunks {
		paste.WriteString(x.Text)
	}
	r, err = ix.Search(context.Background(), corpus.SearchRequest{Text: paste.String(), Mode: corpus.Plain, Limit: 10, Prefix: true})
	if err != nil || len(r.Hits) != 10 || r.Note == "" {
		t.Errorf("the whole corpus: %d hits, %q (%v)", len(r.Hits), r.Note, err)
	}
}

func TestCancelledSearches(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range []corpus.SearchRequest{
		{Text: "wing", Mode: corpus.Plain}, {Text: "w", Mode: corpus.Plain, Prefix: true}, {Text: `"boundary layer"`, Mode: corpus.Plain},
		{Text: "w*", Mode: corpus.Syntax}, {Text: "wing~", Mode: corpus.Syntax}, {Text: "doc:1", Mode: corpus.Syntax}, {Text: "is:unjudged", Mode: corpus.Syntax}, {Text: "flow -w*", Mode: corpus.Syntax},
	} {
		r.Limit = 10
		if got, err := ix.Search(ctx, r); !errors.Is(err, context.Canceled) || len(got.Hits) > 0 {
			t.Errorf("%q ends with %d hits and %v", r.Text, len(got.Hits), err)
		}
		if _, err := ix.Ranking(ctx, r); !errors.Is(err, context.Canceled) {
			t.Errorf("the ranking of %q ends with %v", r.Text, err)
		}
	}
	if _, err := ix.Chunk(ctx, "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("a chunk: %v", err)
	}
	if _, err := ix.DocumentText(ctx, corpus.HashText("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("a document: %v", err)
	}
}

func TestSearchesAtTheSameTime(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	request := func(i int) corpus.SearchRequest {
		return corpus.SearchRequest{Text: c.queries[i][1], Mode: corpus.Plain, Limit: 20, Prefix: i%2 == 0}
	}
	want := make([][]corpus.SearchHit, 40)
	for i := range want {
		r, err := ix.Search(context.Background(), request(i))
		if err != nil {
			t.Fatal(err)
		}
		want[i] = r.Hits
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range want {
				r, err := ix.Search(context.Background(), request(i))
				if err != nil || !slices.Equal(r.Hits, want[i]) {
					t.Errorf("query %d has other hits (%v)", i, err)
				}
			}
		})
	}
	wg.Wait()
}

// The same corpus gives the same rankings, to the last bit, however often and in whatever order it is built.
func TestRebuildsRankTheSame(t *testing.T) {
	c := loadCollection(t, "cranfield")
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	var want []corpus.Ranking
	for round := range rounds {
		if round == rounds-1 {
			slices.Reverse(c.chunks)
		}
		ix := built(t, "en", c.chunks...)
		for i, q := range c.queries {
			got, err := ix.Ranking(context.Background(), corpus.SearchRequest{Text: q[1], Mode: corpus.Plain, Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				want = append(want, got)
			} else if !slices.Equal(got, want[i]) {
				t.Fatalf("round %d ranks query %s in another way", round, q[0])
			}
		}
	}
}

func TestNothingAsked(t *testing.T) {
	for _, ix := range []*Index{built(t, "en", chunksOf("some text")...), built(t, "en")} {
		for _, text := range []string{"", " ", "\t\n", "\u200b", "?", "xyzzy", "\x00"} {
			for _, mode := range []corpus.Mode{corpus.Plain, corpus.Syntax, ""} {
				r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: text, Mode: mode, Limit: 5, Prefix: true})
				if err != nil || len(r.Hits)+r.Total != 0 || r.Partial {
					t.Errorf("%q in mode %q: %+v (%v)", text, mode, r, err)
				}
			}
		}
		if r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "text", Mode: corpus.Plain}); err != nil || r.Total != ix.Info().Chunks {
			t.Errorf("without a limit: %+v (%v)", r, err)
		}
	}
}

// What finds a chunk lights it.
func TestHitsAreLit(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	for _, q := range c.queries[:60] {
		for _, id := range search(t, ix, corpus.SearchRequest{Text: q[1], Limit: 10}) {
			i := slices.IndexFunc(c.chunks, func(x corpus.Chunk) bool { return x.ID == id })
			if len(ix.Matches(q[1], corpus.Plain, c.chunks[i].Title+"\n"+c.chunks[i].Text)) == 0 {
				t.Errorf("query %s lights nothing in %s", q[0], id)
			}
		}
	}
}

// FuzzSearch holds that a plain search never fails, and one in query mode only by a *SyntaxError within the text.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{`"`, `""`, `"a" -b`, "-", "--", "a*", "*", "~", "a~3", "doc:", `doc:"x y"`, "is:", "is:unjudged", "-is:relevant", `-"a b"`, "a~ b~2", "İ", "\xff", "東京* 京~", "a\u0301*", "-a*", "doc:c1 refund", `"to be" or`, "kube-api*", "re-fund~"} {
		f.Add(s)
	}
	ix := built(f, "en", chunksOf("Refunds are paid within 14 days", "to be or not to be", "東京都の天気", "kube-apiserver and user_id", "ab abc abcd abcde")...)
	f.Fuzz(func(t *testing.T, text string) {
		for _, mode := range []corpus.Mode{corpus.Plain, corpus.Syntax} {
			r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: text, Mode: mode, Limit: 3, Prefix: true})
			var s *SyntaxError
			if err != nil && (mode == corpus.Plain || !errors.As(err, &s) || s.Pos < 0 || s.Pos > len(text) || s.Msg == "") {
				t.Fatalf("%q in mode %s: %v", text, mode, err)
			}
			if r.Total < len(r.Hits) {
				t.Fatalf("%q: total %d, %d hits", text, r.Total, len(r.Hits))
			}
			end := 0
			for _, span := range ix.Matches(text, mode, text) {
				if span.Start < end || span.End <= span.Start || span.End > len(text) {
					t.Fatalf("%q lights %v", text, span)
				}
				end = span.End
			}
		}
	})
}
