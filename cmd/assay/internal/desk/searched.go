package desk

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"assay/corpus"
	"assay/corpus/index"
)

const (
	mostHits  = 4 << 20 // kept of the built-in search's rankings in all: about 100 MB, ids aside
	leastKept = 100     // hits of a ranking that are kept however many there are
)

// searched keeps the built-in search's rankings by the text that was searched for, ids once each, and no more hits
// than mostHits: where there are many queries, all rankings are kept to the same lesser depth, so that their figures
// can still be compared with each other.
type searched struct {
	most int         // mostHits where 0
	mode corpus.Mode // Plain where ""

	mu    sync.Mutex
	depth int // that rankings are kept to; 0 before the first check
	by    map[string]corpus.Ranking
	ids   map[string]string
}

// fit makes room for the rankings of these queries, forgets others, and says to which depth rankings are kept from now
// on. It never grows again, since what is kept would then be shorter than what comes.
func (s *searched) fit(queries []asked, depth, least int) int {
	most := s.most
	if most == 0 {
		most = mostHits
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	depth = min(depth, max(least, most/max(1, len(queries))))
	if s.depth > 0 && depth >= s.depth {
		depth = s.depth
	} else {
		for text, r := range s.by {
			if len(r) > depth {
				s.by[text] = slices.Clone(r[:depth])
			}
		}
		s.depth = depth
	}
	if len(s.by) > len(queries)+leastKept {
		want := make(map[string]bool, len(queries))
		for _, q := range queries {
			want[q.text] = true
		}
		for text := range s.by {
			if !want[text] {
				delete(s.by, text)
			}
		}
	}
	return depth
}

// kept is the depth that rankings are kept to, depth before it is known.
func (s *searched) kept(depth int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.depth > 0 {
		return s.depth
	}
	return depth
}

// ranking is what the search returns for a text.
func (s *searched) ranking(ctx context.Context, ix *index.Index, text string, depth int) (corpus.Ranking, error) {
	s.mu.Lock()
	r, ok := s.by[text]
	s.mu.Unlock()
	if ok {
		return r, nil
	}
	r, err := ix.Ranking(ctx, corpus.SearchRequest{Text: text, Mode: cmp.Or(s.mode, corpus.Plain), Limit: depth})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by, s.ids = map[string]corpus.Ranking{}, map[string]string{}
	}
	for i, hit := range r {
		id, ok := s.ids[hit.ChunkID]
		if !ok {
			id = hit.ChunkID
			s.ids[id] = id
		}
		r[i].ChunkID = id
	}
	s.by[text] = r
	return r, nil
}
