package remote

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/corpus"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// waits is a clock that stands still, and remembers how long it was waited for.
type waits struct {
	mu  sync.Mutex
	all []time.Duration
}

func (w *waits) after(d time.Duration) <-chan time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	c := make(chan time.Time, 1)
	c <- noon
	return c
}

// service answers on loopback, and gives the settings that ask it.
func serve(t *testing.T, handle http.HandlerFunc) (HTTP, *waits) {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	w := &waits{}
	return HTTP{
		URL: s.URL, After: w.after, Now: func() time.Time { return noon },
		LookupEnv: func(string) (string, bool) { return "", false },
	}, w
}

func replies(bodies ...string) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, bodies[min(int(n.Add(1)), len(bodies))-1])
	}
}

func statuses(codes ...int) (http.HandlerFunc, *atomic.Int32) {
	n := new(atomic.Int32)
	return func(w http.ResponseWriter, r *http.Request) {
		code := codes[min(int(n.Add(1)), len(codes))-1]
		w.WriteHeader(code)
		if code == 200 {
			io.WriteString(w, `{"hits":["a"]}`)
		}
	}, n
}

func TestHTTPRequests(t *testing.T) {
	var mu sync.Mutex
	got := map[string]string{}
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got[r.Method+" "+r.RequestURI+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("X-Team")] = string(body)
		io.WriteString(w, `{"hits":[]}`)
	})
	base := h.URL
	hostile := corpus.Query{ID: `q"1`, Text: `a", "k": 9} <b> & é/../?x=1#` + "\n"}
	for _, c := range []struct {
		change func(*HTTP)
		line   string
		body   string
	}{
		{func(h *HTTP) {}, "POST / application/json ", `{"query": "a\", \"k\": 9} <b> & é/../?x=1#\n", "k": 5}`},
		{func(h *HTTP) {
			h.Method, h.URL = "get", base+"/s/{{query}}?q={{ query }}&id={{query_id}}&n={{k}}"
			h.Headers = map[string]string{"x-team": "search"}
		},
			"GET /s/a%22%2C%20%22k%22%3A%209%7D%20%3Cb%3E%20%26%20%C3%A9%2F..%2F%3Fx%3D1%23%0A?q=a%22%2C%20%22k%22%3A%209%7D%20%3Cb%3E%20%26%20%C3%A9%2F..%2F%3Fx%3D1%23%0A&id=q%221&n=5  search", ""},
		{func(h *HTTP) {
			h.Method, h.Body = "PUT", "{}\n"+`{"size":{{k}},"query":{"match":{"text":{{query}}}}}`+"\n"
			h.Headers = map[string]string{"content-type": "application/x-ndjson"}
		},
			"PUT / application/x-ndjson ", "{}\n" + `{"size":5,"query":{"match":{"text":"a\", \"k\": 9} <b> & é/../?x=1#\n"}}}` + "\n"},
	} {
		asked := h
		c.change(&asked)
		if answers, err := collect(t, t.Context(), asked, []corpus.Query{hostile}, 5); err != nil || answers[hostile.ID].Err != "" || answers[hostile.ID].Attempts != 1 {
			t.Errorf("%s: %v, %v", c.line, answers, err)
		}
		body, ok := got[c.line]
		if !ok || body != c.body {
			t.Errorf("%s: %q of %q", c.line, body, got)
		}
		clear(got)
	}
}

// B078: a query that was asked again is one answer; the attempts are counted apart.
func TestB078RetriesCountOnce(t *testing.T) {
	for _, c := range []struct {
		codes   []int
		retries int
		calls   int
		want    string
	}{
		{[]int{500, 200}, 2, 2, ""},
		{[]int{408, 425, 429, 502, 503, 504, 200}, 6, 7, ""},
		{[]int{429}, 2, 3, "the service says 429 Too Many Requests (after 3 attempts)"},
		{[]int{503, 404}, 5, 2, "the service says 404 Not Found (after 2 attempts)"},
		{[]int{500, 200}, 0, 1, "the service says 500 Internal Server Error"},
		{[]int{400}, 5, 1, "the service says 400 Bad Request"},
		{[]int{401}, 5, 1, "the service says 401 Unauthorized"},
		{[]int{204}, 5, 1, "the reply is empty"},
		{[]int{304}, 5, 1, "the service says 304 Not Modified"},
		{[]int{599}, 1, 2, "the service says 599 (after 2 attempts)"},
	} {
		handle, calls := statuses(c.codes...)
		h, w := serve(t, handle)
		h.Retries = c.retries
		answers, err := collect(t, t.Context(), h, some(1), 5)
		a := answers["q1"]
		if err != nil || len(answers) != 1 || int(calls.Load()) != c.calls || a.Attempts != c.calls || a.Err != c.want || len(w.all) != c.calls-1 {
			t.Errorf("%v: %d calls, %+v, %v", c, calls.Load(), a, err)
		}
	}
	// One retry among three queries: as many answers as queries.
	handle, calls := statuses(429, 200)
	h, _ := serve(t, handle)
	h.Retries, h.Concurrency = 3, 1
	answers, err := collect(t, t.Context(), h, some(2), 5)
	if err != nil || len(answers) != 2 || calls.Load() != 3 || answers["q1"].Attempts+answers["q2"].Attempts != 3 {
		t.Errorf("%d calls, %v, %v", calls.Load(), answers, err)
	}
}

func TestHTTPWaits(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "600": time.Minute, "99999999999999999999": 0, "-1": 0, "soon": 0, "": 0, "9000000000000000000": time.Minute,
		noon.Add(20 * time.Second).Format(http.TimeFormat): 20 * time.Second, noon.Add(-time.Hour).Format(http.TimeFormat): 0, noon.AddDate(200, 0, 0).Format(http.TimeFormat): time.Minute,
	} {
		var n atomic.Int32
		h, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) == 1 {
				w.Header().Set("Retry-After", header)
				w.WriteHeader(429)
				return
			}
			io.WriteString(w, `["a"]`)
		})
		h.Retries = 1
		if answers, err := collect(t, t.Context(), h, some(1), 5); err != nil || answers["q1"].Err != "" || len(w.all) != 1 {
			t.Fatalf("%q: %v %v, %v", header, answers, w.all, err)
		}
		if d := w.all[0]; want > 0 && d != want || want == 0 && (d < 250*time.Millisecond || d > 500*time.Millisecond) {
			t.Errorf("%q: waited %v", header, d)
		}
	}
	// Without it the waits double up to the longest, never in step with others', the same for the same seed.
	var first []time.Duration
	for _, seed := range []uint64{1, 1, 2} {
		handle, _ := statuses(500)
		h, w := serve(t, handle)
		h.Retries, h.Backoff, h.MaxWait, h.Seed = 6, time.Second, 10*time.Second, seed
		if _, err := collect(t, t.Context(), h, some(1), 5); err != nil {
			t.Fatal(err)
		}
		for i, top := range []time.Duration{1, 2, 4, 8, 10, 10} {
			if d := w.all[i]; d < top*time.Second/2 || d > top*time.Second {
				t.Errorf("wait %d is %v", i+1, d)
			}
		}
		if first == nil {
			first = w.all
		} else if slices.Equal(first, w.all) != (seed == 1) {
			t.Errorf("seed %d: %v and %v", seed, first, w.all)
		}
	}
}

// B080: what never answers costs the attempts that were set and no more.
func TestB080HTTPThatNeverAnswers(t *testing.T) {
	release := make(chan struct{})
	var calls atomic.Int32
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1)%2 == 0 { // half of a reply
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(200)
			io.WriteString(w, `{"hits":`)
			w.(http.Flusher).Flush()
		}
		<-release
	})
	defer close(release)
	h.Timeout, h.Retries, h.Concurrency = 50*time.Millisecond, 2, 3
	answers, err := collect(t, t.Context(), h, some(3), 5)
	if err != nil || len(answers) != 3 || calls.Load() > 9 {
		t.Errorf("%d calls, %v, %v", calls.Load(), answers, err)
	}
	for _, a := range answers {
		if a.Err != "no reply within 50ms (after 3 attempts)" || a.Attempts != 3 {
			t.Errorf("%+v", a)
		}
	}
}

func TestHTTPBrokenReplies(t *testing.T) {
	var n atomic.Int32
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) {
		case 1: // the connection ends within the reply
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"hits":["a"]}`)
		case 2: // and before it
			panic(http.ErrAbortHandler)
		default:
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, `{"hits":["a"]}`)
			z.Close()
		}
	})
	h.Retries = 5
	answers, err := collect(t, t.Context(), h, some(1), 5)
	if a := answers["q1"]; err != nil || a.Err != "" || a.Attempts != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	h, _ = serve(t, func(w http.ResponseWriter, r *http.Request) { // a small reply that is huge
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		space := make([]byte, 1<<20)
		for range MaxReply>>20 + 2 {
			z.Write(space)
		}
		z.Close()
	})
	answers, err = collect(t, t.Context(), h, some(1), 5)
	if a := answers["q1"]; err != nil || a.Err != "the reply is longer than 33554432 bytes" {
		t.Errorf("%+v, %v", a, err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	h.URL = gone.URL
	gone.Close()
	h.Retries = 1
	answers, err = collect(t, t.Context(), h, some(1), 5)
	if a := answers["q1"]; err != nil || !strings.HasPrefix(a.Err, "no reply: dial tcp 127.0.0.1:") || a.Attempts != 2 {
		t.Errorf("%+v, %v", a, err)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func found(r *http.Request) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`["a"]`)), Request: r}
}

func TestHTTPConcurrency(t *testing.T) {
	for set, most := range map[int]int32{0: 4, 1: 1, 3: 3, 100: 10} {
		synctest.Test(t, func(t *testing.T) {
			var busy, handed atomic.Int32
			release := make(chan struct{})
			h := HTTP{URL: "http://127.0.0.1/", Concurrency: set, Timeout: time.Hour}
			h.Client = &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				busy.Add(1)
				defer busy.Add(-1)
				<-release
				return found(r), nil
			})}
			var err error
			go func() {
				err = h.Ask(t.Context(), some(10), 5, func(Answer) error { handed.Add(1); return nil })
			}()
			for n := range int32(10) {
				synctest.Wait() // nothing moves any more
				if got := busy.Load(); got != min(most, 10-n) || handed.Load() != n {
					t.Errorf("%d requests at once after %d answers, %d are set", got, handed.Load(), set)
				}
				release <- struct{}{}
			}
			if synctest.Wait(); err != nil || handed.Load() != 10 {
				t.Errorf("%d answers, %v", handed.Load(), err)
			}
		})
	}
}

// A reply that came just before the end is paid for, so it is handed over.
func TestB077ReplyBeforeTheEnd(t *testing.T) {
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		h := HTTP{URL: "http://127.0.0.1/", Concurrency: 1}
		h.Client = &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			cancel()
			return found(r), nil
		})}
		if answers, err := collect(t, ctx, h, some(3), 5); !errors.Is(err, context.Canceled) || ids(answers["q1"]) != "a" {
			t.Fatalf("%v, %v", answers, err)
		}
	}
}

// B077: what came back before the end is handed over, and the next time only the rest is asked.
func TestB077HTTPCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	asked, calls := map[string]int{}, 0
	blocked, release := make(chan struct{}), make(chan struct{})
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query string }
		json.NewDecoder(r.Body).Decode(&q)
		mu.Lock()
		asked[q.Query]++
		calls++
		n := calls
		mu.Unlock()
		if n == 4 {
			close(blocked)
			<-release
		}
		io.WriteString(w, `["a"]`)
	})
	h.Concurrency = 1
	go func() {
		<-blocked
		cancel()
	}()
	saved, err := collect(t, ctx, h, some(6), 5)
	close(release)
	if !errors.Is(err, context.Canceled) || len(saved) != 3 {
		t.Fatalf("%v, %v", saved, err)
	}
	var rest []corpus.Query
	for _, q := range some(6) {
		if _, ok := saved[q.ID]; !ok {
			rest = append(rest, q)
		}
	}
	if more, err := collect(t, t.Context(), h, rest, 5); err != nil || len(more) != 3 {
		t.Errorf("%v, %v", more, err)
	}
	for i, q := range some(6) {
		if n := asked[q.Text]; n != 1 && i != 3 || i == 3 && n != 2 {
			t.Errorf("%s was asked %d times", q.ID, n)
		}
	}
}

func TestHTTPCancelledWhileItWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	handle, _ := statuses(503)
	h, _ := serve(t, handle)
	h.Retries = 5
	h.After = func(time.Duration) <-chan time.Time {
		cancel()
		return nil // never
	}
	if answers, err := collect(t, ctx, h, some(3), 5); !errors.Is(err, context.Canceled) || len(answers) != 0 {
		t.Errorf("%v, %v", answers, err)
	}
	full := errors.New("the disk is full")
	handle, _ = statuses(200)
	h, _ = serve(t, handle)
	n := 0
	if err := h.Ask(t.Context(), some(50), 5, func(Answer) error { n++; return full }); err != full || n != 1 {
		t.Errorf("%d answers after one was refused, %v", n, err)
	}
}

func TestHTTPCutsAtTheDepth(t *testing.T) {
	for depth, want := range map[int]string{1: "a", 2: "a b", 3: "a b c", 9: "a b c"} {
		h, _ := serve(t, replies(`[{"id":"c","score":1},{"id":"b","score":2},{"id":"a","score":3}]`))
		var warned []string
		h.Warn = func(w string) { warned = append(warned, w) }
		answers, err := collect(t, t.Context(), h, some(3), depth)
		if a := answers["q2"]; err != nil || ids(a) != want || depth < 3 && cap(a.Ranking) > depth {
			t.Errorf("%d: %+v, %v", depth, a, err)
		}
		if depth >= 3 && warned != nil || depth < 3 && (len(warned) != 1 || warned[0] != tooDeep(3, depth)) {
			t.Errorf("%d: %q", depth, warned)
		}
	}
	h, _ := serve(t, replies(`["a","b"]`)) // nobody listens
	if answers, err := collect(t, t.Context(), h, some(1), 1); err != nil || ids(answers["q1"]) != "a" {
		t.Errorf("%v, %v", answers, err)
	}
	if got := tooDeep(1, 5); got != "more chunks came back for 1 query than the 5 that were asked for: the best 5 count" {
		t.Error(got)
	}
}
