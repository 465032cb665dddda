package mine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	"assay/corpus/querylog/frame"
)

var now = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// log is a file with a text to mine.
func log(t testing.TB, name, text string) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file(path)
}

// file is a log that is there.
func file(path string) Source {
	return Source{Name: filepath.Base(path), Open: func(digest io.Writer, whole bool) (*querylog.Log, error) {
		return querylog.Open(path, querylog.Options{Digest: digest, WholeRejects: whole, LeaveIDs: true})
	}}
}

// place is a folder with a frame.
type place struct {
	t   testing.TB
	dir string
	opt Options
}

func newPlace(t testing.TB) *place {
	p := &place{t: t, dir: t.TempDir()}
	path := filepath.Join(p.dir, frame.Name)
	p.opt = Options{Old: path, New: path, Scratch: p.dir, Now: now, partitions: 7}
	return p
}

func (p *place) mine(sources ...Source) Report {
	p.t.Helper()
	r, err := Run(context.Background(), sources, p.opt)
	if err != nil {
		p.t.Fatal(err)
	}
	p.check(r)
	return r
}

// check holds what is true after each run: all rows are accounted for, the header is right, no scratch is left.
func (p *place) check(r Report) {
	p.t.Helper()
	cleaned := 0
	for _, n := range r.Cleaned {
		cleaned += n
	}
	if r.Read != r.Accepted+r.Rejected || r.Accepted != r.NoQuery+cleaned+r.Forgotten+r.Twice+r.Kept {
		p.t.Errorf("rows are lost: %+v", r)
	}
	if r.Kept != r.Distinct+r.Repeats {
		p.t.Errorf("%d rows kept, %d queries and %d repeats", r.Kept, r.Distinct, r.Repeats)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, ".*")); len(left) > 0 {
		p.t.Errorf("left behind: %q", left)
	}
}

func (p *place) entries() []frame.Entry {
	p.t.Helper()
	f, err := frame.Open(p.opt.New)
	if err != nil {
		p.t.Fatal(err)
	}
	var out []frame.Entry
	asked := 0
	for e, err := range f.Entries() {
		if err != nil {
			p.t.Fatal(err)
		}
		n := 0
		for _, a := range e.Asked {
			n += a.Count
		}
		if n != e.Count || len(e.Asked) == 0 {
			p.t.Errorf("%s: asked %d times, by its logs %d", e.ID, e.Count, n)
		}
		asked += e.Count
		out = append(out, e)
	}
	if h := f.Header(); h.Queries != len(out) || h.Asked != asked {
		p.t.Errorf("the header says %+v of %d queries, asked %d times", h, len(out), asked)
	}
	return out
}

// said is the frame in short: text×count, in order.
func (p *place) said() string {
	var out []string
	for _, e := range p.entries() {
		out = append(out, fmt.Sprintf("%s×%d", e.Text, e.Count))
	}
	return strings.Join(out, " | ")
}

func TestCounting(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.csv", "query,count\nlock card,3\nrefund,1\n Lock  Card ,2\n,1\n???,1\n"))
	if got := p.said(); got != "lock card×5 | refund×1" {
		t.Error(got)
	}
	if r.Read != 5 || r.Accepted != 5 || r.Cleaned[clean.Empty] != 2 || r.Repeats != 1 || r.Distinct != 2 || r.New != 2 || r.Frame != 2 {
		t.Errorf("%+v", r)
	}
	if f := r.Files[0]; f.Format != "csv" || f.TextField != "query" || f.Accepted != 5 || f.Source != "a.csv" {
		t.Errorf("%+v", f)
	}
}

func TestTheSameLogAgain(t *testing.T) {
	p := newPlace(t)
	a := log(t, "a.txt", "lock card\nrefund\nlock card\n")
	p.mine(a)
	first := p.said()
	r := p.mine(a)
	if got := p.said(); got != first || r.New != 0 || r.Gone != 0 || len(r.Replaced) != 1 || r.Replaced[0].Why != "same" {
		t.Errorf("%q then %q, %+v", first, got, r)
	}
	// The same bytes under another name are the same log.
	if r := p.mine(log(t, "b.txt", "lock card\nrefund\nlock card\n")); p.said() != first || r.Replaced[0] != (Replaced{"a.txt", "b.txt", "same"}) {
		t.Errorf("%+v", r.Replaced)
	}
}

func TestALongerLogAddsOnlyWhatIsNew(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\nrefund\n"))
	r := p.mine(log(t, "tuesday.txt", "lock card\nrefund\nlock card\nwarranty\n"))
	if got := p.said(); got != "lock card×2 | refund×1 | warranty×1" || r.New != 1 || r.Replaced[0].Why != "longer" {
		t.Errorf("%q, %+v", got, r)
	}
	// One that begins otherwise is another log: counts add up.
	r = p.mine(log(t, "b.txt", "refund\nlock card\n"))
	if got := p.said(); got != "lock card×3 | refund×2 | warranty×1" || len(r.Replaced) != 0 || r.New != 0 {
		t.Errorf("%q, %+v", got, r)
	}
	// One of the same name takes the other's place.
	r = p.mine(log(t, "b.txt", "cancel order\n"))
	if got := p.said(); got != "lock card×2 | refund×1 | warranty×1 | cancel order×1" || r.Replaced[0].Why != "name" || r.New != 1 {
		t.Errorf("%q, %+v", got, r)
	}
	// And what nobody asks any more is gone.
	r = p.mine(log(t, "tuesday.txt", "nothing else\n"))
	if got := p.said(); got != "cancel order×1 | nothing else×1" || r.Gone != 3 {
		t.Errorf("%q, %+v", got, r)
	}
}

func TestTwoLogsAtOnce(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.txt", "lock card\nrefund\n"), log(t, "b.txt", "refund\nwarranty\n"))
	if got := p.said(); got != "lock card×1 | refund×2 | warranty×1" || r.Read != 4 || r.Repeats != 1 {
		t.Errorf("%q, %+v", got, r)
	}
	es := p.entries()
	if !slices.Equal(es[1].Asked, []frame.Asked{{Source: 0, Count: 1}, {Source: 1, Count: 1}}) || es[1].Source != "a.txt" {
		t.Errorf("%+v", es[1])
	}
}

func TestOneLogUnderTwoNames(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.txt", "lock card\nrefund\n"), log(t, "b.txt", "lock card\nrefund\n"))
	if got := p.said(); got != "lock card×1 | refund×1" || r.Twice != 2 || r.Repeats != 0 {
		t.Errorf("%q, %+v", got, r)
	}
	if r := p.mine(log(t, "a.txt", "lock card\nrefund\n")); p.said() != "lock card×1 | refund×1" || r.New+r.Gone != 0 {
		t.Errorf("%q, %+v", p.said(), r)
	}
}

// Rows of a log that is given twice are in no conversation either.
func TestOneLogTwiceMakesOneConversation(t *testing.T) {
	rows := "user,time,query\nann,2026-03-01 09:00:00,rotate the signing key\nann,2026-03-01 09:01:00,and for Windows?\nann,2026-03-01 09:02:00,and for Linux?\n"
	one, two := newPlace(t), newPlace(t)
	one.mine(log(t, "a.csv", rows))
	r := two.mine(log(t, "a.csv", rows), log(t, "b.csv", rows))
	if fmt.Sprint(one.said()) != fmt.Sprint(two.said()) || r.Twice != 3 || r.FollowUps != 2 {
		t.Errorf("%q and %q, %+v", one.said(), two.said(), r)
	}
	// One that goes on where another ends, in one go.
	p := newPlace(t)
	if r := p.mine(log(t, "a.txt", "lock card\nrefund\n"), log(t, "b.txt", "lock card\nrefund\nlock card\n")); p.said() != "lock card×2 | refund×1" || r.Twice != 2 {
		t.Errorf("%q, %+v", p.said(), r)
	}
}

// Whatever is kept for rejects, no file of the run holds it in the open.
func TestNothingOriginalIsOnTheDisk(t *testing.T) {
	p := newPlace(t)
	var rejects bytes.Buffer
	p.opt.Rejects = &rejects
	seen := map[string]bool{}
	p.opt.Progress = func(stage string, _, _ int64) {
		err := filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			b, err := os.ReadFile(path)
			seen[stage] = true
			for _, secret := range []string{"smithee", "user-4711", "session-0815"} {
				if bytes.Contains(b, []byte(secret)) {
					t.Errorf("while %s, %s holds %q", stage, path, secret)
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
	var b strings.Builder
	b.WriteString("id,user,session,time,query\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "q%d,user-4711,session-0815,2026-03-01 09:00:00,mail ann.smithee@example.org about %d\n", i%2900, i)
	}
	p.opt.NoClean = true
	r := p.mine(log(t, "a.csv", b.String()))
	if len(seen) < 3 || r.Rejected != 100 || strings.Count(rejects.String(), "ann.smithee@example.org about") != 100 {
		t.Errorf("%v, %d rejected, %d kept", seen, r.Rejected, strings.Count(rejects.String(), "\n"))
	}
}

// An id with two texts: the first is kept, the other refused by its line, and every row is accounted for.
func TestConflicts(t *testing.T) {
	p := newPlace(t)
	var rejects bytes.Buffer
	p.opt.Rejects = &rejects
	r := p.mine(log(t, "a.csv", "id,query\n1,lock card\n2,refund\n1,another\n1,LOCK card\nx,\n"))
	if got := p.said(); got != "lock card×2 | refund×1" || r.Rejected != 1 || r.Accepted != 4 || r.Cleaned[clean.Empty] != 1 {
		t.Errorf("%q, %+v", got, r)
	}
	if len(r.Rejects) != 1 || r.Rejects[0].Line != 4 || !strings.Contains(r.Rejects[0].Reason, "line 2") || rejects.String() != "1,another\n" {
		t.Errorf("%+v, kept %q", r.Rejects, rejects.String())
	}
	// Another log that gives the id another text is believed, as the newer one.
	p.opt.Rejects = nil
	r = p.mine(log(t, "b.csv", "id,query\n2,refunds\n"))
	if got := p.said(); got != "lock card×2 | refunds×2" || r.Rejected != 0 {
		t.Errorf("%q, %+v", got, r)
	}
}

func TestRejectsAreKeptAsTheyWere(t *testing.T) {
	p := newPlace(t)
	var rejects bytes.Buffer
	p.opt.Rejects = &rejects
	bad := `{"query": "cut off, and long: ` + strings.Repeat("x", 1000)
	r := p.mine(log(t, "a.jsonl", "{\"query\":\"a b\"}\n"+bad+"\n{\"query\":7e3}\n[]\n\n{\"other\":1}\n"))
	if r.Rejected < 2 || r.Read != 5 || r.Files[0].Blank != 1 {
		t.Errorf("%+v", r)
	}
	for _, line := range []string{bad, "[]", `{"other":1}`} {
		if !strings.Contains(rejects.String(), line+"\n") {
			t.Errorf("%.40s is lost: %.200q", line, rejects.String())
		}
	}
}

func TestConversations(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.csv", `user,time,query
ann,2026-03-01 09:00:00,rotate the signing key
ben,2026-03-01 09:00:10,rotate the signing key
ann,2026-03-01 09:01:00,and for Windows?
chi,2026-03-01 09:01:05,refund for a stolen card
chi,2026-03-01 09:01:30,and for Windows?
ben,2026-03-01 15:00:00,what about the old key
ben,2026-03-01 09:00:40,and for windows?
`))
	if r.FollowUps != 3 || r.Conversations != 3 || r.Distinct != 5 || r.Repeats != 2 {
		t.Errorf("%+v", r)
	}
	var follow []frame.Entry
	for _, e := range p.entries() {
		if len(e.Turns) > 0 {
			follow = append(follow, e)
		}
	}
	if len(follow) != 2 || follow[0].Count != 2 || follow[0].Turns[0] != (corpus.Turn{Role: "user", Content: "rotate the signing key"}) ||
		follow[1].Turns[0].Content != "refund for a stolen card" || !slices.Contains(follow[0].Proposed, corpus.TagFollowUp) ||
		follow[0].ParentID != querylog.TextID("rotate the signing key") {
		t.Errorf("%+v", follow)
	}
}

func TestBurstsAreDropped(t *testing.T) {
	var b strings.Builder
	b.WriteString("user,time,query\n")
	for i := range 50 {
		fmt.Fprintf(&b, "bot,2026-03-01 09:00:%02d,scan number %d\n", 1+i/10, i)
	}
	b.WriteString("ann,2026-03-01 09:00:01,lock card\n")
	p := newPlace(t)
	r := p.mine(log(t, "a.csv", b.String()))
	if r.Cleaned[clean.Burst] != 50 || p.said() != "lock card×1" {
		t.Errorf("%+v", r)
	}
	p = newPlace(t)
	p.opt.NoClean = true
	if r := p.mine(log(t, "a.csv", b.String())); r.Cleaned[clean.Burst] != 0 || r.Distinct != 51 {
		t.Errorf("%+v", r)
	}
}

// What takes too much room to be looked at together goes through without conversations, and is counted.
func TestOneUserForAll(t *testing.T) {
	p := newPlace(t)
	p.opt.most = 200
	var b strings.Builder
	b.WriteString("user,time,query\n")
	for i := range 40 {
		fmt.Fprintf(&b, "proxy,2026-03-01 %02d:%02d:00,how does it work %d\n", i/2, i%2*30, i)
	}
	if r := p.mine(log(t, "a.csv", b.String())); r.Unthreaded != 40 || r.FollowUps != 0 || r.Distinct != 40 {
		t.Errorf("%+v", r)
	}
}

func TestForgottenQueriesStayAway(t *testing.T) {
	p := newPlace(t)
	gone := querylog.TextID("lock card")
	a := log(t, "a.csv", "session,query\ns1,lock card\ns1,and for Windows?\ns2,refund\n")
	p.mine(a)
	p.opt.Forgotten = func(id string) bool { return id == gone }
	r := p.mine(a)
	if r.Forgotten != 1 {
		t.Errorf("%+v", r)
	}
	for _, e := range p.entries() {
		if e.Text == "lock card" || e.ParentID == gone || len(e.Turns) > 0 && e.Turns[0].Content != "[forgotten]" {
			t.Errorf("%+v", e)
		}
	}
}

// Whatever it is spread over, the frame is what counting in memory gives.
func TestAgainstCountingInMemory(t *testing.T) {
	for seed := range int64(30) {
		rng := rand.New(rand.NewSource(seed))
		var b strings.Builder
		counts, order := map[string]int{}, []string{}
		for range rng.Intn(400) {
			q := fmt.Sprintf("query %c%d", 'a'+rng.Intn(3), rng.Intn(1+rng.Intn(60)))
			if counts[q]++; counts[q] == 1 {
				order = append(order, q)
			}
			b.WriteString(q + "\n")
		}
		var want []string
		for _, q := range order {
			want = append(want, fmt.Sprintf("%s×%d", q, counts[q]))
		}
		p := newPlace(t)
		p.opt.NoGroup, p.opt.partitions = true, 1+rng.Intn(20)
		p.mine(log(t, "a.txt", b.String()))
		if got := p.said(); len(order) > 0 && got != strings.Join(want, " | ") {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
	}
}

// A run that ends early, wherever, leaves the frame and the folder as they were.
func TestStoppedAnywhere(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\nrefund\n"))
	before, err := os.ReadFile(p.opt.New)
	if err != nil {
		t.Fatal(err)
	}
	next := log(t, "b.csv", "user,time,query\nann,2026-03-01 09:00:00,warranty\nann,2026-03-01 09:01:00,and for cards\n")
	stages := map[string]bool{}
	p.opt.Progress = func(stage string, _, _ int64) { stages[stage] = true }
	dry := p.opt
	dry.New = filepath.Join(t.TempDir(), "dry")
	if _, err := Run(context.Background(), []Source{next}, dry); err != nil {
		t.Fatal(err)
	}
	for _, stop := range slices.Sorted(maps.Keys(stages)) {
		ctx, cancel := context.WithCancel(context.Background())
		p.opt.Progress = func(stage string, _, _ int64) {
			if stage == stop {
				cancel()
			}
		}
		_, err := Run(ctx, []Source{next}, p.opt)
		cancel()
		after, _ := os.ReadFile(p.opt.New)
		if err == nil && bytes.Equal(before, after) || err != nil && !bytes.Equal(before, after) {
			t.Errorf("stopped while %s: %v, the frame changed: %v", stop, err, !bytes.Equal(before, after))
		}
		if left, _ := filepath.Glob(filepath.Join(p.dir, ".*")); len(left) > 0 {
			t.Errorf("stopped while %s: left behind %q", stop, left)
		}
		if err := os.WriteFile(p.opt.New, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(stages) < 4 {
		t.Errorf("only %v", stages)
	}
}

func TestFaultsOfFiles(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\n"))
	if _, err := Run(context.Background(), []Source{file("/nowhere/at/all")}, p.opt); err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Error(err)
	}
	opt := p.opt
	opt.Scratch = filepath.Join(p.dir, "missing")
	if _, err := Run(context.Background(), nil, opt); err == nil {
		t.Error("no scratch, no error")
	}
	opt = p.opt
	opt.Rejects = failing{}
	if _, err := Run(context.Background(), []Source{log(t, "b.jsonl", "{\"query\":\"x y\"}\n{\n")}, opt); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Error(err)
	}
	if got := p.said(); got != "lock card×1" {
		t.Error(got)
	}
	p.check(Report{})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestCountsDoNotOverflow(t *testing.T) {
	p := newPlace(t)
	for range 2 {
		p.mine(log(t, "a.csv", "query,count\nlock card,9223372036854775807\nlock card,5\nrefund,9223372036854775807\n"))
		if es := p.entries(); es[0].Count != mostAsked+5 || es[1].Count != mostAsked {
			t.Errorf("%+v", es)
		}
	}
}

// A time that its zone moves out of the calendar is no time, and no reason to lose the row.
func TestTimesAtTheEndsOfTheCalendar(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.jsonl", `{"query":"lock card","timestamp":"9999-12-31T23:59:59-14:00"}
{"query":"refund","timestamp":"0000-01-01T00:00:00+14:00","user":"u"}
{"query":"warranty","timestamp":"2026-03-01T00:00:00Z","user":"u"}
`))
	if got := p.said(); got != "lock card×1 | refund×1 | warranty×1" || r.Read != 3 {
		t.Errorf("%q, %+v", got, r)
	}
}
