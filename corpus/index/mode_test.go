package index

import (
	"context"
	"slices"
	"testing"

	"assay/corpus"
)

func inMode(t *testing.T, ix *Index, mode corpus.Mode, text string) []string {
	t.Helper()
	return search(t, ix, corpus.SearchRequest{Text: text, Mode: mode, Limit: 20})
}

func TestExactFindsWordsOnlyAsTyped(t *testing.T) {
	ix := built(t, "en", chunksOf("rotating the keys", "rotate a key", "Rotating keys daily", "the kube-apiserver restarts", "apiserver of kube")...)
	for text, want := range map[string][]string{
		"rotating":       {"c1", "c3"},
		"rotate":         {"c2"},
		"keys":           {"c1", "c3"},
		"rotating key":   {"c1", "c2", "c3"},
		"kube-apiserver": {"c4", "c5"},
		"rotation":       nil,
	} {
		got := inMode(t, ix, corpus.Exact, text)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	if got := inMode(t, ix, corpus.Exact, "kube-apiserver"); len(got) == 0 || got[0] != "c4" {
		t.Errorf("the whole identifier is not first: %q", got)
	}
	if got := inMode(t, ix, corpus.Plain, "rotate"); len(got) != 3 {
		t.Errorf("plain search finds %q of all forms", got)
	}
}

func TestPhraseTakesAllOfTheText(t *testing.T) {
	ix := built(t, "en", chunksOf("to rotate the signing key", "the key for signing: rotate it", "signing key", "a design key")...)
	for text, want := range map[string][]string{
		"signing key":            {"c3", "c1"},
		"rotate the signing key": {"c1"},
		"key signing":            nil,
		`say "signing key"`:      nil, // quotes are text like any other here
		"signing":                {"c3", "c1", "c2"},
		"":                       nil,
		"…":                      nil,
	} {
		got := inMode(t, ix, corpus.Phrase, text)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// A ranking in a mode is what the search of that mode shows, and its scorer names the mode.
func TestModesRankAsTheySearch(t *testing.T) {
	c := loadCollection(t, "cranfield")
	ix := built(t, "en", c.chunks...)
	for _, mode := range []corpus.Mode{corpus.Plain, corpus.Exact, corpus.Phrase} {
		scorers := map[string]bool{}
		for _, text := range []string{"boundary layer", "heat transfer to cylinders", "slipstream"} {
			r := corpus.SearchRequest{Text: text, Mode: mode, Limit: 50}
			result, err := ix.Search(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			ranking, err := ix.Ranking(context.Background(), r)
			if err != nil || len(ranking) != len(result.Hits) {
				t.Fatalf("%s %q: %d ranked, %d shown (%v)", mode, text, len(ranking), len(result.Hits), err)
			}
			for i, h := range ranking {
				if h.ChunkID != result.Hits[i].ChunkID || h.Score != result.Hits[i].Score {
					t.Errorf("%s %q: rank %d is %v and %v", mode, text, i+1, h, result.Hits[i])
				}
			}
			scorers[result.Scorer] = true
		}
		if len(scorers) != 1 || !scorers[ix.ScorerOf(mode)] {
			t.Errorf("%s: scorers %v, want %q", mode, scorers, ix.ScorerOf(mode))
		}
	}
	if ix.ScorerOf(corpus.Exact) == ix.Scorer() || ix.ScorerOf(corpus.Plain) != ix.Scorer() {
		t.Errorf("the scorer of exact search is %q", ix.ScorerOf(corpus.Exact))
	}
}
