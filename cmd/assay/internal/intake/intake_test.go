package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/frame"
	"assay/corpus/querylog/sample"
	"assay/store"
)

// place is a workspace without an index, with a clock that moves by a second at every look.
type place struct {
	Place
	t     *testing.T
	dir   string
	clock time.Time
	n     int
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	p.Now = func() time.Time { p.clock = p.clock.Add(time.Second); return p.clock }
	p.Batch = func() string { p.n++; return fmt.Sprintf("queries-%d", p.n) }
	p.Logs = filepath.Join(p.dir, "logs")
	var err error
	p.DB, err = store.Open(filepath.Join(p.dir, "labels.db"), store.Options{Create: true, Now: p.Now, Process: strings.Repeat("ab", 16)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.DB.Close() })
	if _, err := p.DB.Write(context.Background(), store.Author{Role: "setup"}, store.SetScale(corpus.DefaultScale())); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) log(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) run(opt Options, files ...string) Report {
	p.t.Helper()
	opt.Files = files
	if opt.Annotator == nil {
		opt.Annotator = func() (string, error) { return "ann", nil }
	}
	r, err := Run(context.Background(), p.Place, opt)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// queries are what is in labels.db, in order, as text×count.
func (p *place) queries() string {
	p.t.Helper()
	var out []string
	for _, q := range p.all() {
		out = append(out, fmt.Sprintf("%s×%d", q.Text, q.Count))
	}
	return strings.Join(out, " | ")
}

func (p *place) all() []corpus.Query {
	p.t.Helper()
	all, err := p.DB.Queries()
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

func TestASmallLogComesInWhole(t *testing.T) {
	p := newPlace(t)
	a := p.log("a.csv", "query,count,tags\nhow do I lock my card?,3,urgent\nLock card,2,\nmail ann@example.org,1,\n,1,\n")
	r := p.run(Options{}, a)
	if got := p.queries(); got != "how do I lock my card?×5 | mail [email-1]×1" {
		t.Error(got)
	}
	if r.Added != 2 || r.Read != 4 || r.Cleaned[clean.Empty] != 1 || r.Grouped != 1 || r.Redacted["email"].Places != 1 || r.Batch != "queries-1" {
		t.Errorf("%+v", r)
	}
	q := p.all()[0]
	if len(q.Variants) != 1 || q.Variants[0].Text != "Lock card" || q.Group != q.ID || q.Source != "a.csv" || !slices.Contains(q.Proposed, corpus.TagQuestion) || q.Weight != nil {
		t.Errorf("%+v", q)
	}
	said, err := p.DB.Said(q.ID)
	if err != nil || len(said) != 1 || said[0].Value != "urgent" || said[0].Annotator != "ann" {
		t.Errorf("%+v, %v", said, err)
	}
	// Again: nothing, and no event.
	before, _ := p.DB.Counts()
	r = p.run(Options{}, a)
	after, _ := p.DB.Counts()
	if r.Added+r.Updated+len(r.Changed) != 0 || r.Same != 2 || r.Batch != "" || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("again: %+v", r)
	}
}

func TestALongerLogTouchesNoLabel(t *testing.T) {
	p := newPlace(t)
	text := "id,query\nq1,refund time\nq2,cancel order\n"
	p.run(Options{}, p.log("a.csv", text))
	label := corpus.Label{QueryID: "q1", ChunkID: "c1", Annotator: "ann", Grade: 2}
	if _, err := p.DB.Write(context.Background(), store.Author{Annotator: "ann"}, store.PutLabel(label, corpus.Found{}, "")); err != nil {
		t.Fatal(err)
	}
	before, err := p.DB.Labels("q1")
	if err != nil {
		t.Fatal(err)
	}
	r := p.run(Options{}, p.log("a.csv", text+"q1,refund time\nq3,warranty\nq2,cancel my order\n"))
	if got := p.queries(); got != "refund time×2 | cancel order×1 | warranty×1" || r.Added != 1 || r.Updated != 1 || r.Rejected != 1 {
		t.Errorf("%q, %+v", got, r)
	}
	r = p.run(Options{}, p.log("a.csv", "id,query\nq1,refund times\n"))
	if len(r.Changed) != 1 || r.Changed[0].Labels != 1 || r.Changed[0].New != "refund times" {
		t.Errorf("%+v", r.Changed)
	}
	after, err := p.DB.Labels("q1")
	if err != nil || len(after) != 1 || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v, then %v, %v", before, after, err)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	p := newPlace(t)
	a := p.log("a.txt", "lock card\nrefund\nwarranty\n")
	r := p.run(Options{DryRun: true, Draw: &sample.Design{By: sample.Random, N: 2}}, a)
	if r.Added != 2 || r.Sampled.Drawn != 2 || p.queries() != "" || r.Batch != "" || r.KeptIn != "" {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(p.Logs); err == nil {
		t.Error("it made a folder")
	}
}

// letters makes n different queries, the first asked most.
func letters(n int) string {
	var b strings.Builder
	b.WriteString("query,count\n")
	for i := range n {
		fmt.Fprintf(&b, "about thing x%d,%d\n", i, 1+200/(i+1))
	}
	return b.String()
}

func TestSamplesAddUpWithoutRepeats(t *testing.T) {
	p := newPlace(t)
	a := p.log("a.csv", letters(300))
	r := p.run(Options{Draw: &sample.Design{By: sample.Stratified, N: 40}}, a)
	if r.Added != 40 || r.Sampled.Drawn != 40 || r.Frame != 300 {
		t.Fatalf("%+v", r)
	}
	r = p.run(Options{Draw: &sample.Design{By: sample.Proportional, N: 25}})
	if r.Added != 25 || len(p.all()) != 65 || len(r.Files) != 0 {
		t.Fatalf("%+v", r)
	}
	before := 0
	for _, s := range r.Sampled.Table {
		before += s.Before
	}
	stands, asked := 0.0, 0
	for _, q := range p.all() {
		if q.Inclusion == nil || q.Weight == nil || *q.Inclusion <= 0 || *q.Inclusion > 1 || *q.Weight < float64(q.Count) || q.Stratum == "" {
			t.Errorf("%+v", q)
		}
		stands += *q.Weight
	}
	for i := range 300 {
		asked += 1 + 200/(i+1)
	}
	if before != 40 || stands < 0.6*float64(asked) || stands > 1.6*float64(asked) {
		t.Errorf("%d before; the sample stands for %.0f of %d asked", before, stands, asked)
	}
	// Another seed can't be weighed together with the first.
	seed := uint64(7)
	_, err := Run(context.Background(), p.Place, Options{Draw: &sample.Design{By: sample.Random, N: 5}, Seed: &seed})
	var kept *SeedError
	if !errors.As(err, &kept) || kept.Kept != DefaultSeed {
		t.Error(err)
	}
	// Brought in whole, nothing is left to chance.
	r = p.run(Options{}, a)
	if len(p.all()) != 300 || r.Added != 235 {
		t.Errorf("%+v", r)
	}
	for _, q := range p.all() {
		if *q.Inclusion != 1 || *q.Weight != float64(q.Count) {
			t.Errorf("%+v", q)
		}
	}
}

func TestTheSameSeedDrawsTheSame(t *testing.T) {
	var drawn [2]string
	for i := range drawn {
		p := newPlace(t)
		seed := uint64(5)
		p.run(Options{Draw: &sample.Design{By: sample.Random, N: 10}, Seed: &seed}, p.log("a.csv", letters(100)))
		drawn[i] = p.queries()
	}
	if drawn[0] != drawn[1] {
		t.Errorf("%q and %q", drawn[0], drawn[1])
	}
}

func TestALargeLogStaysInTheFrame(t *testing.T) {
	p := newPlace(t)
	var b strings.Builder
	for i := range WholeLog + 1 {
		fmt.Fprintf(&b, "thing number %d\n", i)
	}
	a := p.log("a.txt", b.String())
	r := p.run(Options{NoGroup: true}, a)
	if r.LeftInFrame != WholeLog+1 || r.Added != 0 || p.queries() != "" || !slices.ContainsFunc(r.Notes(), func(s string) bool { return strings.Contains(s, "--sample 200") }) {
		t.Errorf("%d left, %d added", r.LeftInFrame, r.Added)
	}
	if r := p.run(Options{Draw: &sample.Design{By: sample.Top, N: 3}}); r.Added != 3 {
		t.Errorf("%+v", r)
	}
}

func TestNothingToDrawFrom(t *testing.T) {
	p := newPlace(t)
	_, err := Run(context.Background(), p.Place, Options{Draw: &sample.Design{By: sample.Random, N: 5}})
	if !errors.Is(err, frame.ErrNone) {
		t.Error(err)
	}
}

func TestWrittenQueriesHaveNoFrame(t *testing.T) {
	p := newPlace(t)
	var opt Options
	opt.Read.Kind = corpus.Written
	r := p.run(opt, p.log("mine.txt", "lock card\nLock card!\nrefund\n"))
	if got := p.queries(); got != "lock card×1 | Lock card!×1 | refund×1" || r.Added != 3 {
		t.Errorf("%q, %+v", got, r)
	}
	if _, err := frame.Open(filepath.Join(p.Logs, frame.Name)); !errors.Is(err, frame.ErrNone) {
		t.Errorf("%v", err)
	}
}

func TestReportsAreKeptWithoutTexts(t *testing.T) {
	p := newPlace(t)
	r := p.run(Options{}, p.log("a.csv", "id,query\nq1,a very private matter\nq1,another matter\n"))
	b, err := os.ReadFile(r.KeptIn)
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]any
	if err := json.Unmarshal(b, &kept); err != nil || kept["read"] != 2.0 || kept["rejected"] != 1.0 {
		t.Errorf("%s, %v", b, err)
	}
	if bytes.Contains(b, []byte("matter")) {
		t.Errorf("the report holds what was asked: %s", b)
	}
}

func TestForget(t *testing.T) {
	p := newPlace(t)
	a := p.log("a.csv", "session,query\ns1,lock my card\ns1,and for Windows?\ns2,refund\n")
	p.run(Options{}, a)
	id := p.all()[0].ID
	texts, known, err := TextsOf(p.DB, p.Logs, []string{id, "nosuch"})
	if err != nil || !known[id] || known["nosuch"] || !slices.Equal(texts, []string{"lock my card"}) {
		t.Fatalf("%q, %v, %v", texts, known, err)
	}
	for _, name := range []string{"backups", "exports", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(p.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.dir, name, "copy.jsonl"), []byte(`{"query":"lock my card"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := Forget(context.Background(), p.DB, p.Logs, store.Author{Annotator: "ann"}, []string{id}, texts)
	if err != nil || out.Queries != 1 || out.Frame != 1 || out.Mentions+out.FrameMentions < 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	held, err := StillHeld(context.Background(), p.dir, []string{id}, texts)
	if err != nil || !slices.Equal(held, []string{"backups/copy.jsonl", "exports/copy.jsonl"}) {
		t.Errorf("%q, %v", held, err)
	}
	// The log still asks it: it stays away.
	r := p.run(Options{}, a)
	if r.Forgotten != 1 || strings.Contains(p.queries(), "lock my card") {
		t.Errorf("%q, %+v", p.queries(), r)
	}
	for _, q := range p.all() {
		for _, turn := range q.Turns {
			if turn.Content == "lock my card" {
				t.Errorf("%+v", q)
			}
		}
	}
}

// What was left in the frame only is forgotten for good too.
func TestForgetWhatWasNeverDrawn(t *testing.T) {
	p := newPlace(t)
	a := p.log("a.txt", "lock my card\nrefund\nwarranty\n")
	p.run(Options{Draw: &sample.Design{By: sample.Top, N: 1}}, a)
	f, err := frame.Open(filepath.Join(p.Logs, frame.Name))
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	for e, err := range f.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.ID != p.all()[0].ID {
			id = e.ID
		}
	}
	texts, _, err := TextsOf(p.DB, p.Logs, []string{id})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Forget(context.Background(), p.DB, p.Logs, store.Author{}, []string{id}, texts); err != nil {
		t.Fatal(err)
	}
	if r := p.run(Options{}, a); r.Forgotten != 1 || len(p.all()) != 2 {
		t.Errorf("%q, %+v", p.queries(), r)
	}
}

func TestWhatWasJoinedByHandStaysJoined(t *testing.T) {
	p := newPlace(t)
	text := "id,query,count\nq1,lock my card,3\nq2,block my card,2\n"
	p.run(Options{}, p.log("a.csv", text))
	a, b := p.all()[0], p.all()[1]
	if !a.TakeIn(&b) {
		t.Fatal("not joined")
	}
	if _, err := p.DB.Write(context.Background(), store.Author{Annotator: "ann"}, store.PutQuery(a), store.PutQuery(b)); err != nil {
		t.Fatal(err)
	}
	if r := p.run(Options{}, p.log("a.csv", text)); r.Updated != 0 || p.queries() != "lock my card×5 | block my card×2" {
		t.Errorf("%q, %+v", p.queries(), r)
	}
	r := p.run(Options{}, p.log("a.csv", text+"q2,block my card,4\n"))
	if got := p.queries(); got != "lock my card×9 | block my card×6" || r.Updated != 2 {
		t.Errorf("%q, %+v", got, r)
	}
}
