package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assay/corpus"
)

// B023. Public reports: amule-org/amule#312, rfjakob/gocryptfs#992.
func TestBothNormalFormsFindText(t *testing.T) {
	ix := built(t, "en", bugChunks(t, "B023")...)
	for _, q := range append(bugQueries(t, "B023"), "RÉSUMÉ", "resume", "Re\u0301sume\u0301") {
		if got := plain(t, ix, q); !slices.Contains(got, "café.md#1") {
			t.Errorf("%q finds %q", q, got)
		}
	}
	if got := plain(t, ix, "Ångstrom"); len(got) != 1 {
		t.Errorf("the Angstrom sign finds %q", got)
	}
	for _, id := range []string{"café.md#1", "straße", "\u212bngstrom", "Ångstrom", "A\u030angstrom"} {
		n := 0
		for _, c := range bugChunks(t, "B023") {
			if c.ID == id {
				n++
			}
		}
		if ix.Has(id) != (n == 1) {
			t.Errorf("Has(%q) is %v: ids are compared byte for byte", id, ix.Has(id))
		}
	}
}

// B029. Public reports: marmot-protocol/mdk#586, openai/codex#34871.
func TestInvisibleCharacters(t *testing.T) {
	ix := built(t, "en", bugChunks(t, "B029")...)
	got := plain(t, ix, "refund")
	for _, id := range []string{"c1", "c3", "c4", "c5", "adm\u200bin", "admin"} {
		if !slices.Contains(got, id) {
			t.Errorf("refund does not find %q", id)
		}
	}
	for _, c := range bugChunks(t, "B029") {
		back, err := ix.Chunk(context.Background(), c.ID)
		if err != nil || back.Text != c.Text {
			t.Errorf("chunk %q comes back as %q: %v", c.ID, back.Text, err)
		}
	}
	if got := plain(t, ix, "ההחזר"); !slices.Equal(got, []string{"c2"}) {
		t.Errorf("Hebrew finds %q", got)
	}
}

// B031 to B034. Public reports: owncloud/ocis#7282, blevesearch/bleve#2374, #193, #103, drewhammond/chefbrowser#91.
func TestPlainIsLiteral(t *testing.T) {
	for _, id := range []string{"B031", "B032", "B033", "B034"} {
		t.Run(id, func(t *testing.T) {
			ix := built(t, "en", bugChunks(t, id)...)
			for _, q := range bugQueries(t, id) {
				for _, prefix := range []bool{false, true} {
					r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: q, Mode: corpus.Plain, Limit: 10, Prefix: prefix})
					if err != nil {
						t.Errorf("%q: %v", q, err)
					}
					if strings.TrimSpace(q) == "" && len(r.Hits)+r.Total > 0 {
						t.Errorf("a blank search has hits")
					}
				}
			}
		})
	}
	ix := built(t, "en", bugChunks(t, "B031")...)
	for _, q := range []string{"error 404: see", "https://example.test/docs/a-b?x=1", "opens at 12:30?", "/etc/passwd", "and/or"} {
		if got := plain(t, ix, q); len(got) == 0 || got[0] != "c6" {
			t.Errorf("%q finds %q, not c6 first", q, got)
		}
	}
	same := [][2]string{
		{"-refund", "refund"}, {"- refund", "refund"}, {"refund -policy", "refund policy"}, {"--force", "force"}, {"+1 refund", "1 refund"},
		{"(refund", "refund"}, {"refund)", "refund"}, {`"refund policy`, "refund policy"}, {`refund"`, "refund"}, {"{refund}", "refund"},
		{"refund~9", "refund 9"}, {"refund^x", "refund x"}, {`refund \`, "refund"}, {"re: refund", "re refund"}, {"refund AND NOT x", "refund and not x"},
	}
	for _, s := range same {
		a, b := plain(t, ix, s[0]), plain(t, ix, s[1])
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%q finds %q, %q finds %q", s[0], a, s[1], b)
		}
	}
	if got := plain(t, ix, "-refund"); !slices.Contains(got, "c1") {
		t.Errorf("a minus turns a word round: %q", got)
	}
}

// B035. Public report: mattermost/mattermost#16868.
func TestWildcardsIgnoreCase(t *testing.T) {
	ix := built(t, "en", bugChunks(t, "B035")...)
	for _, q := range bugQueries(t, "B035") {
		want := []string{"c1"}
		if q == "Wi-Fi*" {
			want = []string{}
		}
		if got := syntax(t, ix, q); !slices.Equal(got, want) {
			t.Errorf("%q finds %q", q, got)
		}
	}
}

// B036. Public report: gravitee-io/gravitee-api-management#10959.
func TestWildcardsAreBounded(t *testing.T) {
	ix := built(t, "en", bugChunks(t, "B036")...)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	different := ""
	for i := range 200 {
		different += fmt.Sprintf("a%d* ", i)
	}
	for _, q := range append(bugQueries(t, "B036"), strings.Repeat("a* ", 200), different, strings.Repeat("a", 1<<20)+"*", strings.Repeat("b", 300)+"~2") {
		for _, mode := range []corpus.Mode{corpus.Plain, corpus.Syntax} {
			_, err := ix.Search(ctx, corpus.SearchRequest{Text: q, Mode: mode, Limit: 10, Prefix: true})
			if s := (*SyntaxError)(nil); err != nil && !(mode == corpus.Syntax && asSyntax(err, &s)) {
				t.Errorf("%.30q in %s mode: %v", q, mode, err)
			}
		}
	}
	cancelled, stop := context.WithCancel(context.Background())
	stop()
	if _, err := ix.Search(cancelled, corpus.SearchRequest{Text: "a* b* c*", Mode: corpus.Syntax, Limit: 10}); err != context.Canceled {
		t.Errorf("a cancelled search ends with %v", err)
	}
}

// B038. Public reports: blevesearch/bleve#266, #106.
func TestMetadataComesBackAsItWas(t *testing.T) {
	chunks := bugChunks(t, "B038")
	chunks = append(chunks, corpus.Chunk{ID: "none", Text: "refund"}, corpus.Chunk{ID: "spaced", Text: "refund", Meta: json.RawMessage("{ \"a\" :  1e+06,\n\"a\": 9007199254740993 }")})
	ix := built(t, "en", chunks...)
	if got := plain(t, ix, "refund"); len(got) != len(chunks) {
		t.Errorf("%d of %d rows are found", len(got), len(chunks))
	}
	for _, c := range chunks {
		back, err := ix.Chunk(context.Background(), c.ID)
		if err != nil || string(back.Meta) != string(c.Meta) || (back.Meta == nil) != (c.Meta == nil) {
			t.Errorf("%s: %s came back as %s (%v)", c.ID, c.Meta, back.Meta, err)
		}
	}
}

// B039. Public reports: blevesearch/bleve#239, quickwit-oss/search-benchmark-game#15.
func TestEmptyAndCommonTexts(t *testing.T) {
	chunks := []corpus.Chunk{{ID: "c2"}, {ID: "c3", Text: "   \n\t"}, {ID: "c9", Text: "the and of"}, {ID: "c10", Text: "good refund"}}
	dir := t.TempDir()
	r := mustBuild(t, dir, BuildOptions{Language: "en"}, chunks...)
	if r.Chunks != 4 || !slices.Equal(r.EmptyIDs, []string{"c2", "c3"}) {
		t.Errorf("%d chunks, empty %q", r.Chunks, r.EmptyIDs)
	}
	ix := mustOpen(t, dir)
	if ix.Info().Chunks != 4 || !ix.Has("c2") {
		t.Error("empty chunks are not kept")
	}
	got, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "the and of", Mode: corpus.Plain, Limit: 10})
	if err != nil || len(got.Hits) != 1 || got.Hits[0].ChunkID != "c9" || got.Note == "" {
		t.Errorf("common words find %+v (%v)", got, err)
	}
	if got := plain(t, ix, "the refund"); !slices.Equal(got, []string{"c10"}) {
		t.Errorf("a common word beside another finds %q", got)
	}
	_, err = Build(context.Background(), t.TempDir(), BuildOptions{}, feedOf(corpus.Chunk{ID: "", Text: "empty id"}))
	if err == nil || !strings.Contains(err.Error(), "the id is empty") {
		t.Errorf("an empty id: %v", err)
	}
}

// B040. Public reports: blevesearch/bleve#505, #178.
func TestThereIsAlwaysASnippet(t *testing.T) {
	chunks := bugChunks(t, "B040")
	chunks = append(chunks,
		corpus.Chunk{ID: "c6", Text: strings.Repeat("y", 200_000) + " needle"},
		corpus.Chunk{ID: "c7", Text: "broken \xff\xfe bytes needle \xc3"},
		corpus.Chunk{ID: "c8", Text: strings.Repeat("👩‍👩‍👧‍👦", 500) + " needle " + strings.Repeat("👩‍👩‍👧‍👦", 500)},
		corpus.Chunk{ID: "c9", Text: "e" + strings.Repeat("\u0301", 4000) + " needle"},
		corpus.Chunk{ID: "c10", Title: "needle", Text: strings.Repeat("漢字", 400)},
	)
	ix := built(t, "en", chunks...)
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "needle", Mode: corpus.Plain, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Hits) != len(chunks)-1 {
		t.Errorf("%d hits of %d", len(r.Hits), len(chunks)-1)
	}
	for _, h := range r.Hits {
		if h.Snippet == "" || len(h.Snippet) > 220 || !utf8.ValidString(h.Snippet) {
			t.Errorf("%s: %d bytes %q", h.ChunkID, len(h.Snippet), h.Snippet)
		}
		if h.ChunkID != "c10" && !strings.Contains(h.Snippet, "needle") {
			t.Errorf("%s: the word is not in %q", h.ChunkID, h.Snippet)
		}
		if strings.Contains(h.Snippet, "👩") && strings.Count(h.Snippet, "👩‍👩‍👧‍👦")*2 != strings.Count(h.Snippet, "👩") {
			t.Errorf("%s: half a family in %q", h.ChunkID, h.Snippet)
		}
	}
}

// B041. Public reports: asciimoo/hister#529, pydio/cells#255.
func TestScriptsWithoutSpaces(t *testing.T) {
	for _, language := range []string{"zh", "en", "none"} {
		ix := built(t, language, bugChunks(t, "B041")...)
		for q, want := range map[string]string{"张益唐": "c3", "東京": "c1", "ちは": "c1", "환불": "c4", "京都": "c2", "寺": "c2", "保护 환불": "c4"} {
			if got := plain(t, ix, q); len(got) == 0 || got[0] != want {
				t.Errorf("%s: %q finds %q, not %s first", language, q, got, want)
			}
		}
		if got := plain(t, ix, "张益唐"); len(got) != 1 {
			t.Errorf("%s: the name finds %q", language, got)
		}
	}
}

// B042. Public reports: jgravelle/jdocmunch-mcp#94, clay-good/OpenLore#221.
func TestIdentifiersAreFoundInPart(t *testing.T) {
	ix := built(t, "en", bugChunks(t, "B042")...)
	want := map[string]string{"user": "c1", "getUserById": "c1", "html response": "c1", "max retry": "c2", "AB-1234": "c3", "1.2.3": "c3"}
	for _, q := range bugQueries(t, "B042") {
		if got := plain(t, ix, q); len(got) == 0 || got[0] != want[q] {
			t.Errorf("%q finds %q, not %s first", q, got, want[q])
		}
	}
}

// B044. Public report: Smana/runlore#70.
func TestScorerIsStated(t *testing.T) {
	ix := built(t, "de", chunksOf("Haus")...)
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "Häuser", Mode: corpus.Plain, Limit: 1})
	if err != nil || r.Scorer != ix.Scorer() || len(r.Hits) != 1 {
		t.Fatalf("%+v (%v)", r, err)
	}
	for _, part := range []string{"bm25", "k1=1.2", "b=0.75", "de+identifiers/"} {
		if !strings.Contains(r.Scorer, part) {
			t.Errorf("%q does not say %s", r.Scorer, part)
		}
	}
}
