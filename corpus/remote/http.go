package remote

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/corpus"
)

// DefaultBody is what is sent where no body is set.
const DefaultBody = `{"query": {{query}}, "k": {{k}}}`

// NoScore as the score's path says that the order of the hits counts, whatever scores they have.
const NoScore = "-"

// HTTP asks a web service, one request a query.
//
// {{query}}, {{query_id}} and {{k}} stand for the query's values: in the body as JSON (strings with their quotes, a
// number), in the URL percent-encoded. In the values of headers ${NAME} stands for the environment's variable NAME.
//
// Paths are RFC 9535's; "a.b" is short for "$.a.b". Those of the id and the score begin at a hit, which may also be the
// id itself. Where no hit has a score their order counts.
//
// A query is asked again after a network error, no reply in time, and the statuses 408, 425, 429 and 5xx; any other
// failure, and a reply that can't be read, is final. Other hosts that a reply redirects to get no header of ours.
type HTTP struct {
	URL     string
	Method  string            // GET, POST or PUT; "" for POST
	Body    string            // "" for DefaultBody, or for none where the method is GET
	Headers map[string]string // their values appear in no error
	Hits    string            // path of the hits; "" to look where they usually are
	ID      string            // path within a hit; "" to look where it usually is
	Score   string            // path within a hit; "" to look where it usually is, NoScore for none

	Timeout     time.Duration // of an attempt, the reading of the reply included; 0 for DefaultTimeout
	Retries     int           // how often a query is asked again at most; 0 for never
	Backoff     time.Duration // before the first retry, doubled with each; 0 for half a second
	MaxWait     time.Duration // the longest wait before a retry, whatever the service asks for; 0 for a minute
	Concurrency int           // requests at once; 0 for 4
	Seed        uint64        // of the jitter
	Warn        func(string)  // gets what is odd but costs no query its answer, one line each, at the end; may be nil

	Client    *http.Client                         // for its transport, cookies and timeout; nil for one of our own
	LookupEnv func(name string) (string, bool)     // nil for os.LookupEnv
	Now       func() time.Time                     // nil for time.Now
	After     func(time.Duration) <-chan time.Time // nil for time.After
}

// Check says what is wrong with the settings, unset variables included, without asking anything.
func (h HTTP) Check() error {
	_, err := h.prepare()
	return err
}

// Ask sends the requests. See Retriever.
func (h HTTP) Ask(ctx context.Context, queries []corpus.Query, depth int, answered func(Answer) error) error {
	s, err := h.prepare()
	if err != nil {
		return err
	}
	if err := checkQueries(queries, depth); err != nil {
		return err
	}
	if h.Client == nil {
		defer s.client.CloseIdleConnections()
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	next, answers := make(chan corpus.Query), make(chan Answer)
	var workers sync.WaitGroup
	for range min(s.Concurrency, len(queries)) {
		workers.Go(func() {
			for q := range next {
				if a, ok := s.ask(asking, q, depth); ok {
					answers <- a // what came back is handed over, whatever ended meanwhile
				}
			}
		})
	}
	go func() {
		defer close(answers)
		defer workers.Wait()
		defer close(next)
		for i := range queries {
			select {
			case next <- queries[i]:
			case <-asking.Done():
				return
			}
		}
	}()
	var refused error
	for a := range answers {
		if refused == nil {
			if refused = answered(a); refused != nil {
				stop()
			}
		}
	}
	if n := s.deeper.Load(); n > 0 && h.Warn != nil {
		h.Warn(tooDeep(int(n), depth))
	}
	if refused != nil {
		return refused
	}
	return ctx.Err()
}

// service is what HTTP's settings come to.
type service struct {
	HTTP    // with the defaults
	client  *http.Client
	headers http.Header
	secrets secrets
	paths   paths
	deeper  atomic.Int64 // replies with more hits than were asked for
}

func (h HTTP) prepare() (*service, error) {
	if h.Timeout < 0 || h.Retries < 0 || h.Backoff < 0 || h.MaxWait < 0 || h.Concurrency < 0 {
		return nil, errors.New("timeout, retries, waits and concurrency can't be negative")
	}
	h.setDefaults()
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut}, h.Method) {
		return nil, errors.New("method: want GET, POST or PUT")
	}
	if _, err := checkURL(h.URL); err != nil {
		return nil, err
	}
	if h.Body != "" {
		if err := checkBody(h.Body); err != nil {
			return nil, err
		}
	}
	s := &service{HTTP: h}
	var err error
	if s.paths, err = newPaths(h.Hits, h.ID, h.Score); err != nil {
		return nil, err
	}
	if s.headers, s.secrets, err = expandHeaders(h.Headers, h.LookupEnv); err != nil {
		return nil, err
	}
	s.setHeader("User-Agent", "assay")
	s.setHeader("Accept", "application/json")
	if h.Body != "" {
		s.setHeader("Content-Type", "application/json")
	}
	s.client = s.newClient()
	return s, nil
}

func (h *HTTP) setDefaults() {
	if h.Method = strings.ToUpper(h.Method); h.Method == "" {
		h.Method = http.MethodPost
	}
	if h.Body == "" && h.Method != http.MethodGet {
		h.Body = DefaultBody
	}
	setDefault(&h.Timeout, DefaultTimeout)
	setDefault(&h.Backoff, 500*time.Millisecond)
	setDefault(&h.MaxWait, time.Minute)
	setDefault(&h.Concurrency, 4)
	if h.LookupEnv == nil {
		h.LookupEnv = os.LookupEnv
	}
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.After == nil {
		h.After = time.After
	}
}

func setDefault[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}

func (s *service) setHeader(name, value string) {
	if s.headers[name] == nil {
		s.headers[name] = []string{value}
	}
}

// newClient follows redirects our way.
func (s *service) newClient() *http.Client {
	c := &http.Client{}
	if s.Client != nil {
		*c = *s.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok { // with the environment's proxy
		t = t.Clone()
		t.MaxIdleConnsPerHost = s.Concurrency
		c.Transport = t
	}
	c.CheckRedirect = s.redirect
	return c
}
