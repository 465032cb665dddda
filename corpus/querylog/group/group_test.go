package group

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// queries are texts to group, in memory.
type queries []struct {
	text  string
	count int
	fixed bool
}

func (q queries) Len() int                 { return len(q) }
func (q queries) At(i int) (string, error) { return q[i].text, nil }
func (q queries) Fixed(i int) bool         { return q[i].fixed }
func (q queries) Count(i int) int          { return max(1, q[i].count) }
func (q queries) Settled(int) int          { return -1 }

// settled are queries that were grouped before.
type settled struct {
	queries
	reps []int32
}

func (s settled) Settled(i int) int {
	if i < len(s.reps) {
		return int(s.reps[i])
	}
	return -1
}

// What was grouped stays as it is, whoever stands by himself by now; what is new comes to it.
func TestSettledGroupsStay(t *testing.T) {
	q := generated(2, 2000)
	first := near(t, q)
	for i, r := range first {
		q[i].fixed = int(r) == i
	}
	if again := near(t, settled{q, first}); !slices.Equal(first, again) {
		t.Error("grouping again changed groups")
	}
	more := append(slices.Clone(q), generated(2, 2500)...)
	for i, r := range near(t, settled{more, first})[:len(first)] {
		if r != first[i] {
			t.Errorf("%q moved from %q to %q", more[i].text, more[first[i]].text, more[r].text)
		}
	}
	i := slices.IndexFunc(first, func(r int32) bool { return first[r] == r && !q[r].fixed })
	for k, r := range first {
		if int(r) != k {
			i = k
		}
	}
	q[i].fixed = true // somebody split it off
	if again := near(t, settled{q, first}); again[i] != int32(i) {
		t.Error("one that stands by itself is still in a group")
	}
}

func near(t testing.TB, q Texts) []int32 {
	t.Helper()
	dir := t.TempDir()
	reps, err := Near(context.Background(), q, Options{Scratch: dir})
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for i, r := range reps {
		if reps[r] != r {
			t.Fatalf("%d stands for %d, and %d for it", r, i, reps[r])
		}
		if int(r) == i {
			continue
		}
		a, _ := q.At(i)
		b, _ := q.At(int(r))
		if !same(a, b) || q.Fixed(i) {
			t.Errorf("%q is in the group of %q", a, b)
		}
	}
	return reps
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"how do I lock my card?", "How do I lock my card", true},
		{"how do I lock my card?", "Lock card", true},
		{"hello, please lock my card", "lock card", true},
		{"lock my card", "lock my crad", true},
		{"lock my card", "lock my cards", true},
		{"cancelled transfer", "cancel transfers", true},
		{"top up", "topup", true},
		{"wifi password", "password wifi", true},
		{"what's the fee?", "whats the fee", true},
		{"rotate signing key", "rotating signing keys", true},
		{"reference library", "referene library", true},
		{"返金はいつ届きますか", "返金はいつ届きますか？", true},
		{"返金はいつごろ届きますか教えて", "返金はいつごろ届きますか教えてね", true},

		{"lock my card", "unlock my card", false},
		{"error 404", "error 405", false},
		{"what is ERR_CONN_1", "what is ERR_CONN_2", false},
		{"upgrade to v2.1.0", "upgrade to v2.1.1", false},
		{"transfer to my bank", "transfer from my bank", false},
		{"flights from rome to paris", "flights from paris to rome", false},
		{"backup before upgrade", "backup after upgrade", false},
		{"I can use my card", "I can't use my card", false},
		{"card is working", "card is not working", false},
		{"why was my card declined", "when was my card declined", false},
		{"card declined", "card declined abroad", false},
		{"credit card", "debit card", false},
		{"a $1 charge", "a €1 charge", false},
		{"do you accept US cards", "do you accept cards", false},
		{"hotels in rome", "hotels in bern", false},
		{"northwestern university", "northeastern university", false},
		{"where is my card", "how do I locate my card", false},
		{"I need to change a transfer", "what is the charge of a transfer", false},
		{"i would like a card please", "how will I get my card?", false},
		{"返金はいつ届きますか", "注文をキャンセルしたい", false},
		{"返金", "返品", false},
		{"???", "!!!", false},
		{"", "?", false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
		if got := same(c.b, c.a); got != c.want {
			t.Errorf("%q and %q: %v, the other way round", c.b, c.a, got)
		}
	}
}

func TestWhoStandsForWhom(t *testing.T) {
	q := queries{{text: "lock my card", count: 2}, {text: "how to lock the card?", count: 9}, {text: "refund"}, {text: "Lock card!", count: 9}}
	if got := near(t, q); !slices.Equal(got, []int32{1, 1, 2, 1}) {
		t.Errorf("the most asked, then the first: %v", got)
	}
	q[3].fixed = true
	if got := near(t, q); !slices.Equal(got, []int32{3, 3, 2, 3}) {
		t.Errorf("the fixed one: %v", got)
	}
	q[0].fixed = true
	if got := near(t, q); got[0] != 0 || got[3] != 3 {
		t.Errorf("two that are fixed stay apart: %v", got)
	}
	if got := near(t, queries{}); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := near(t, queries{{text: "a"}}); !slices.Equal(got, []int32{0}) {
		t.Errorf("%v", got)
	}
}

// generated are queries in groups of near-duplicates, in a random order.
func generated(seed int64, n int) queries {
	rng := rand.New(rand.NewSource(seed))
	verbs := strings.Fields("rotate restore cancel verify export migrate schedule monitor configure replace archive duplicate")
	things := strings.Fields("certificate passport invoice gateway cluster statement dashboard webhook subscription database password beneficiary")
	places := strings.Fields("germany portugal kubernetes windows android frankfurt terraform grafana postgres salesforce")
	var q queries
	for len(q) < n {
		base := fmt.Sprintf("%s %s %s %s", verbs[rng.Intn(len(verbs))], things[rng.Intn(len(things))], places[rng.Intn(len(places))], fmt.Sprintf("x%d", rng.Intn(n)))
		for range 1 + rng.Intn(3) {
			s := base
			switch rng.Intn(4) {
			case 0:
				s = "how do I " + s + "?"
			case 1:
				k := 2 + rng.Intn(3) // a slip in the verb
				s = s[:k] + s[k+1:]
			case 2:
				s = strings.ToUpper(s[:1]) + s[1:]
			}
			q = append(q, struct {
				text  string
				count int
				fixed bool
			}{s, 1 + rng.Intn(5), false})
		}
	}
	rng.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] })
	return q[:n]
}

func TestDeterministicAndIndependentOfOthers(t *testing.T) {
	q := generated(1, 3000)
	first := near(t, q)
	if !slices.Equal(first, near(t, q)) {
		t.Fatal("two runs differ")
	}
	grouped := 0
	for i, r := range first {
		if int(r) != i {
			grouped++
		}
	}
	if grouped < 800 {
		t.Errorf("only %d of %d are grouped", grouped, len(q))
	}
}

func TestBucketsThatAreAlike(t *testing.T) {
	var q queries
	for i := range 5000 { // all but the number is equal: candidates for each other, near to none
		q = append(q, struct {
			text  string
			count int
			fixed bool
		}{fmt.Sprintf("cancel my order number %d please", i), 1, false})
	}
	for i, r := range near(t, q) {
		if int(r) != i {
			t.Fatalf("%q is in the group of %q", q[i].text, q[r].text)
		}
	}
}

type broken struct{ queries }

func (broken) At(int) (string, error) { return "", errors.New("disk on fire") }

func TestFaults(t *testing.T) {
	q := generated(1, 50)
	if _, err := Near(context.Background(), broken{q}, Options{Scratch: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Error(err)
	}
	if _, err := Near(context.Background(), q, Options{Scratch: filepath.Join(t.TempDir(), "nowhere")}); err == nil {
		t.Error("no scratch, no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Near(ctx, q, Options{Scratch: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// pair is two queries of a real log with what a person says of them.
type pair struct {
	ID   int    `json:"id"`
	Log  string `json:"log"`
	A    string `json:"a"`
	B    string `json:"b"`
	Near bool   `json:"near"`
}

// The verdicts were made by hand, before and apart from the rules: see testdata/README.md.
func TestHandCheckedPairs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var right, wrong, missed, n int
	for line := range strings.Lines(string(data)) {
		var p pair
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		n++
		// As in a log: the candidates have to be found too.
		reps := near(t, queries{{text: p.A}, {text: p.B}})
		switch together := reps[0] == reps[1]; {
		case together && p.Near:
			right++
		case together:
			wrong++
			t.Logf("%d: together: %q and %q", p.ID, p.A, p.B)
		case p.Near:
			missed++
			t.Logf("%d: apart: %q and %q", p.ID, p.A, p.B)
		}
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
	t.Logf("%d pairs: precision %.3f, recall %.3f", n, precision, recall)
	if n != 200 || precision < 0.95 || recall < 0.8 {
		t.Errorf("%d pairs: precision %.3f, want 0.95; recall %.3f, want 0.8", n, precision, recall)
	}
}

func TestRealQuestions(t *testing.T) {
	folder := os.Getenv("ASSAY_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(folder, "log-banking77", "train.csv"))
	if err != nil {
		t.Skipf("the collection is not here: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var q queries
	intent := map[string]string{}
	for _, r := range rows[1:] {
		q = append(q, struct {
			text  string
			count int
			fixed bool
		}{r[0], 1, false})
		intent[r[0]] = r[1]
	}
	grouped, same := 0, 0
	for i, r := range near(t, q) {
		if int(r) == i {
			continue
		}
		grouped++
		if intent[q[i].text] == intent[q[r].text] {
			same++
		}
	}
	// Near-duplicates have one intent, but for what the collection itself labels now so, now otherwise ("How do I top up?").
	if grouped < 1000 || float64(same) < 0.9*float64(grouped) {
		t.Errorf("%d questions are grouped, %d of them with one of their own intent", grouped, same)
	}
}

func FuzzSame(f *testing.F) {
	f.Add("how do I lock my card?", "lock crad")
	f.Add("\xff", "'")
	f.Add("返金", "返品")
	f.Add("US dollars", "$5")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !same(a, a) || same(a, b) != same(b, a) {
			t.Errorf("%q and %q", a, b)
		}
	})
}

// BenchmarkNear shows that the time a query does not grow with their number.
func BenchmarkNear(b *testing.B) {
	for _, n := range []int{50_000, 100_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q := generated(1, n)
			for b.Loop() {
				near(b, q)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/query")
		})
	}
}
