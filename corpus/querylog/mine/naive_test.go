package mine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/querylog"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/converse"
	"assay/corpus/querylog/frame"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// naive mines logs as one would if memory had no end: all rows in one list.
func naive(t testing.TB, logs []Source) (entries []frame.Entry, refused []int) {
	t.Helper()
	type row struct {
		seq, source, line int
		asked             querylog.Asked
		follows           bool
	}
	var all []*row
	for source, s := range logs {
		l, err := s.Open(nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for asked, err := range l.Rows() {
			var reject *rows.Reject
			if errors.As(err, &reject) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if (clean.Options{}).Check(clean.Row{Text: asked.Query.Text, Agent: asked.Agent}) == "" {
				all = append(all, &row{seq: len(all), source: source, line: asked.Line, asked: asked})
			}
		}
		l.Close()
	}
	users, order := map[string][]*row{}, []string{}
	for _, r := range all {
		key := ""
		switch a := r.asked; {
		case a.Session != "":
			key = "session " + a.Session
		case a.User != "" && !a.At.IsZero():
			key = "user " + a.User
		default:
			key = fmt.Sprint("nobody ", r.seq)
		}
		if users[key] == nil {
			order = append(order, key)
		}
		users[key] = append(users[key], r)
	}
	var kept []*row
	for _, key := range order {
		of := users[key]
		if !slices.ContainsFunc(of, func(r *row) bool { return r.asked.At.IsZero() }) {
			slices.SortStableFunc(of, func(a, b *row) int { return a.asked.At.Compare(b.asked.At) })
		}
		if !strings.HasPrefix(key, "nobody") {
			var at []time.Time
			for _, r := range of {
				at = append(at, r.asked.At)
			}
			burst := (clean.Options{}).Bursts(at)
			var left []*row
			for i, r := range of {
				if !burst[i] {
					left = append(left, r)
				}
			}
			of = left
		}
		gap := converse.DefaultGap
		if strings.HasPrefix(key, "session") {
			gap = 0
		}
		var places []converse.Row
		for _, r := range of {
			places = append(places, converse.Row{Text: r.asked.Query.Text, At: r.asked.At, Chat: r.asked.Chat, Turns: r.asked.Query.Turns})
		}
		for i, p := range converse.Places(places, gap) {
			q := &of[i].asked.Query
			of[i].follows = p.FollowUp && !strings.HasPrefix(key, "nobody")
			if p.Parent >= 0 && q.Turns == nil {
				for _, earlier := range of[p.First : p.Parent+1] {
					q.Turns = append(q.Turns, corpus.Turn{Role: "user", Content: earlier.asked.Query.Text})
				}
				q.ParentID = cmp.Or(q.ParentID, of[p.Parent].asked.Query.ID)
			}
			if of[i].asked.Derived {
				q.ID = querylog.TurnsID(q.Text, q.Turns)
			}
		}
		kept = append(kept, of...)
	}
	slices.SortFunc(kept, func(a, b *row) int { return cmp.Compare(a.seq, b.seq) })
	at := map[string]int{}
	for _, r := range kept {
		q := r.asked.Query
		i, known := at[q.ID]
		switch {
		case !known:
			at[q.ID] = len(entries)
			e := frame.Entry{Query: q, Tags: r.asked.Tags, Asked: []frame.Asked{{Source: r.source, Count: q.Count}}, Derived: r.asked.Derived}
			if r.follows {
				e.Proposed = []string{corpus.TagFollowUp}
			}
			entries = append(entries, e)
			continue
		case text.MatchKey(entries[i].Text) != text.MatchKey(q.Text):
			refused = append(refused, r.line)
			continue
		}
		e := &entries[i]
		querylog.Merge(&e.Query, q)
		if r.follows {
			e.Proposed = []string{corpus.TagFollowUp}
		}
		for _, tag := range r.asked.Tags {
			if !slices.Contains(e.Tags, tag) {
				e.Tags = append(e.Tags, tag)
			}
		}
		if k := slices.IndexFunc(e.Asked, func(a frame.Asked) bool { return a.Source == r.source }); k >= 0 {
			e.Asked[k].Count += q.Count
		} else {
			e.Asked = append(e.Asked, frame.Asked{Source: r.source, Count: q.Count})
		}
	}
	return entries, refused
}

// made is a log of up to so many rows that has all there is: ids or none, users, sessions, times, counts, tags, answers,
// spellings of the same, follow-ups, probes, blanks, bursts.
func made(rng *rand.Rand, n int) string {
	texts := []string{
		"rotate the signing key", "Rotate the  signing key", "refund for a stolen card", "and for Windows?", "what about the old one?", "and for windows?",
		"lock card", "LOCK CARD", "  ", "healthz", "why", "返金について", "is it possible to change my address", "and then?",
	}
	ids := rng.Intn(3) == 0
	var b strings.Builder
	if ids {
		b.WriteString("id,")
	}
	b.WriteString("user,session,time,query,count,tags,answer\n")
	pick := func(odds int, format string, n int) string {
		if rng.Intn(odds) == 0 {
			return ""
		}
		return fmt.Sprintf(format, rng.Intn(n))
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for range n {
		at = at.Add(time.Duration(rng.Intn(600)-200) * time.Second / time.Duration(1+rng.Intn(100)))
		if ids {
			fmt.Fprintf(&b, "q%d,", rng.Intn(40))
		}
		when := at.Format(time.RFC3339)
		if rng.Intn(12) == 0 {
			when = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%d,%s,%s\n", pick(4, "user%d", 6), pick(2, "s%d", 5), when, texts[rng.Intn(len(texts))], 1+rng.Intn(3), pick(3, "tag%d", 4), pick(3, "answer %d", 9))
	}
	return b.String()
}

// Whatever the rows are spread over and however little is dealt with at once, the frame is what counting in memory gives,
// byte for byte.
func TestAgainstNaiveMining(t *testing.T) {
	seeds := int64(40)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		var logs []Source
		for i := range 1 + rng.Intn(3) {
			logs = append(logs, log(t, fmt.Sprintf("log%d.csv", i), made(rng, rng.Intn(120))))
		}
		want, refused := naive(t, logs)
		var first []byte
		for _, files := range []int{1, 7} {
			for _, piece := range []int{0, 400 + rng.Intn(3000)} {
				p := newPlace(t)
				p.opt.NoGroup, p.opt.partitions, p.opt.piece = true, files, piece
				r := p.mine(logs...)
				var lines []int
				for _, reject := range r.Rejects {
					lines = append(lines, reject.Line)
				}
				got := p.entries()
				if !slices.Equal(lines, refused) {
					t.Fatalf("seed %d, %d files of %d: refused %v, want %v", seed, files, piece, lines, refused)
				}
				for i := range max(len(got), len(want)) {
					var g, w []byte
					if i < len(got) {
						g, _ = json.Marshal(got[i])
					}
					if i < len(want) {
						w, _ = json.Marshal(want[i])
					}
					if !bytes.Equal(g, w) {
						t.Fatalf("seed %d, %d files of %d, query %d:\n%s\nwant\n%s", seed, files, piece, i, g, w)
					}
				}
				file, err := os.ReadFile(p.opt.New)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = file
				}
				if !bytes.Equal(first, file) {
					t.Fatalf("seed %d: %d files of %d make other bytes", seed, files, piece)
				}
			}
		}
	}
}

// Logs that come in one after the other add up to what they do together, and each again changes not a byte but the times
// of the imports.
func TestOneAfterTheOther(t *testing.T) {
	for seed := range int64(12) {
		rng := rand.New(rand.NewSource(seed))
		var logs []Source
		for i := range 2 + rng.Intn(2) {
			logs = append(logs, log(t, fmt.Sprintf("log%d.csv", i), "user,time,query,count\n"+plain(rng)))
		}
		together, apart := newPlace(t), newPlace(t)
		together.mine(logs...)
		for _, l := range logs {
			apart.mine(l)
		}
		counts := func(p *place) string {
			var out []string
			for _, e := range p.entries() {
				out = append(out, fmt.Sprintf("%s %d %v", e.ID, e.Count, e.Asked))
			}
			return strings.Join(out, "\n")
		}
		if a, b := counts(together), counts(apart); a != b {
			t.Fatalf("seed %d: together\n%s\napart\n%s", seed, a, b)
		}
		before, err := os.ReadFile(together.opt.New)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r := together.mine(logs...)
			after, err := os.ReadFile(together.opt.New)
			if err != nil {
				t.Fatal(err)
			}
			if r.New+r.Gone != 0 || !bytes.Equal(before, after) {
				t.Fatalf("seed %d: again makes other bytes: %+v", seed, r)
			}
		}
	}
}

// plain is a few rows of a search log.
func plain(rng *rand.Rand) string {
	var b strings.Builder
	for i := range 5 + rng.Intn(60) {
		fmt.Fprintf(&b, "user%d,2026-03-01 %02d:00:00,%s %d,%d\n", rng.Intn(3), i%24, []string{"lock card", "how do i get a refund for order", "Lock  Card"}[rng.Intn(3)], rng.Intn(9), 1+rng.Intn(3))
	}
	return b.String()
}

// What is there stays as it was when a run ends before it writes, and a run over nothing is a run.
func TestNoLogsAtAll(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\nrefund\n"))
	before, _ := os.ReadFile(p.opt.New)
	if r, err := Run(context.Background(), nil, p.opt); err != nil || r.Frame != 2 || r.Gone != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if after, _ := os.ReadFile(p.opt.New); !bytes.Equal(before, after) {
		t.Error("no log, and the frame changed")
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
