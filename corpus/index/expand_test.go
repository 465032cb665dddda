package index

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/ask"
	"assay/corpus/index/internal/words"
)

// vocabulary counts in how many chunks each word of a corpus is.
func vocabulary(a *words.Analyzer, chunks []corpus.Chunk) map[string]uint64 {
	counts := map[string]uint64{}
	for _, c := range chunks {
		seen := map[string]bool{}
		for _, text := range []string{c.Title, c.Text} {
			for _, tok := range a.Tokens(nil, text) {
				if !seen[tok.Key] {
					seen[tok.Key] = true
					counts[tok.Key]++
				}
			}
		}
	}
	return counts
}

// ofManyWords is a corpus in which very many words begin alike.
func ofManyWords(r *rand.Rand, n int) []corpus.Chunk {
	chunks := make([]corpus.Chunk, n)
	for i := range chunks {
		var b strings.Builder
		for range 12 {
			for range 1 + r.IntN(5) {
				b.WriteByte("abc"[min(r.IntN(3), r.IntN(4))])
			}
			b.WriteString([]string{"", "s", "ing", "ation", "xyz"}[r.IntN(5)])
			b.WriteByte(' ')
		}
		chunks[i] = corpus.Chunk{ID: fmt.Sprintf("c%05d", i), Text: b.String()}
	}
	return chunks
}

// What a beginning stands for is the same whether it comes from the table or from a walk, in one segment or several,
// and is what counting all words gives.
func TestBeginningsStandForTheMostFrequentWords(t *testing.T) {
	for _, language := range []string{"en", "none"} {
		r := rand.New(rand.NewPCG(1, 2))
		chunks := ofManyWords(r, 1500)
		dir := t.TempDir()
		mustBuild(t, dir, BuildOptions{Language: language}, chunks...)
		for refresh := range 3 {
			if refresh > 0 {
				for range 100 {
					i := r.IntN(len(chunks))
					chunks[i] = ofManyWords(r, 1)[0]
					chunks[i].ID = fmt.Sprintf("c%05d", i)
				}
				if result := mustBuild(t, dir, BuildOptions{}, chunks...); result.Rebuilt {
					t.Fatal("this was to be a refresh")
				}
			}
			ix := mustOpen(t, dir)
			counts := vocabulary(ix.analyzer, chunks)
			var readers []*reader
			for _, s := range ix.shards {
				readers = append(readers, must(s.reader()))
			}
			tabled := 0
			for _, prefix := range []string{"a", "b", "c", "aa", "ab", "abc", "aabb", "abca", "s", "x", "cs", "aas", "aing", "zz", "abcabc", "aaaaa"} {
				var want []counted
				for key, n := range counts {
					if strings.HasPrefix(words.Surface(key), prefix) {
						want = append(want, counted{key, n})
					}
				}
				slices.SortFunc(want, compareCounted)
				got, more, err := ix.startingWith(context.Background(), readers, prefix)
				if err != nil {
					t.Fatal(err)
				}
				slices.SortFunc(got, compareCounted)
				if more {
					tabled++
				}
				if more != (len(ix.frequent.by[prefix]) > 0) {
					t.Errorf("%q: more is %v", prefix, more)
				}
				n := min(maxTerms, len(want))
				if len(got) < n || !slices.Equal(got[:n], want[:n]) || !more && len(got) != len(want) {
					t.Errorf("%s, refresh %d: %q stands for %v, not %v", language, refresh, prefix, got[:min(n, len(got))], want[:n])
				}
			}
			if tabled == 0 {
				t.Error("nothing came from the table")
			}
			for word, edits := range map[string]int{"abc": 1, "abca": 2, "aabbation": 2, "bingo": 2, "zzzzzz": 1} {
				var want []string
				for key := range counts {
					if distance(word, words.Surface(key)) <= edits {
						want = append(want, key)
					}
				}
				slices.Sort(want)
				got, more, err := near(context.Background(), readers, word, edits)
				got = slices.DeleteFunc(got, func(key string) bool { return counts[key] == 0 }) // of chunks that are gone
				if err != nil || more || !slices.Equal(got, want) {
					t.Errorf("%s: %s~%d stands for %q, not %q (%v)", language, word, edits, got, want, err)
				}
			}
			all := map[string]uint64{}
			if err := eachTerm(context.Background(), readers, func(term string, n uint64) error { all[term] = n; return nil }); err != nil {
				t.Fatal(err)
			}
			if len(all) != len(counts) {
				t.Errorf("%d words, not %d", len(all), len(counts))
			}
			for key, n := range counts {
				if all[key] != n {
					t.Errorf("%q is in %d chunks, not %d", key, all[key], n)
				}
			}
		}
	}
}

func TestExpansionIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ix := built(t, "none", ofManyWords(r, 1500)...)
	var readers []*reader
	for _, s := range ix.shards {
		readers = append(readers, must(s.reader()))
	}
	for _, u := range []ask.Unit{{Prefix: "a"}, {Prefix: "a", Also: "b"}, {Fuzzy: "aab", Edits: 2}} {
		found, partial, err := ix.expand(context.Background(), readers, u)
		if err != nil || !partial || len(found) != maxTerms || len(slices.Compact(slices.Sorted(slices.Values(found)))) != maxTerms {
			t.Errorf("%+v stands for %d words, partial %v (%v)", u, len(found), partial, err)
		}
	}
	if found, more, err := beginning(context.Background(), readers, []string{"a"}, 10); err != nil || !more || len(found) < 10 {
		t.Errorf("%d words, more %v (%v)", len(found), more, err)
	}
}

func TestAfter(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "ab": "ac", "a\xff": "b", "": "", "\xff": "", "a\x00": "a\x01"} {
		if got := string(after(prefix)); got != want {
			t.Errorf("after %q comes %q, not %q", prefix, got, want)
		}
	}
}

// A table of beginnings that is not one is an error, never a panic.
func FuzzReadFrequent(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01a\x02\x02ab\x05\x02ac\x03"))
	f.Add([]byte("\x01a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("\xff\xff"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		by, err := readFrequent(file)
		if err == nil && len(content) > 0 && len(by) == 0 {
			t.Fatalf("%q is read as nothing", content)
		}
	})
}

func TestBitset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 300
	a, b := map[uint32]bool{}, map[uint32]bool{}
	x, y, or := newBitset(n), newBitset(n), newBitset(n)
	for range 150 {
		i, j := uint32(r.IntN(n)), uint32(r.IntN(n))
		a[i], b[j] = true, true
		x.add(i)
		or.add(i)
		y.add(j)
	}
	or.or(y)
	x.and(y)
	for i := range uint32(n) {
		if x.has(i) != (a[i] && b[i]) || or.has(i) != (a[i] || b[i]) || y.has(i) != b[i] {
			t.Errorf("%d: and %v, or %v", i, x.has(i), or.has(i))
		}
	}
}

func TestBestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{1, 2, 7, 100, 1000} {
		best := bestFirst{limit: limit}
		var all []candidate
		for i := range uint32(500) {
			c := candidate{float64(r.IntN(20)), i}
			all = append(all, c)
			best.add(c)
		}
		slices.SortFunc(all, compareCandidates)
		slices.SortFunc(best.heap, compareCandidates)
		if !slices.Equal([]candidate(best.heap), all[:min(limit, len(all))]) {
			t.Errorf("the best %d are others", limit)
		}
		if !slices.IsSortedFunc(all, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.rank, a.rank))
		}) {
			t.Error("not by score, then id, descending")
		}
	}
}
