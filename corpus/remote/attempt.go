package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"assay/corpus"
)

// failure is why an attempt gave no ranking.
type failure struct {
	why   string
	again bool          // whether another attempt may help
	wait  time.Duration // what the service asks for; 0 where it doesn't
}

// ask asks one query, again where that may help. It is false where ctx ended first.
func (s *service) ask(ctx context.Context, q corpus.Query, depth int) (Answer, bool) {
	a := Answer{QueryID: q.ID}
	jitter := rand.New(rand.NewPCG(s.Seed, seedOf(q.ID)))
	for {
		began := s.Now()
		ranking, fail := s.attempt(ctx, q, depth)
		a.Attempts++
		if fail == nil {
			a.Latency = max(s.Now().Sub(began), 1)
			if a.Ranking = cut(ranking, depth); len(ranking) > depth {
				s.deeper.Add(1)
			}
			return a, true
		}
		if ctx.Err() != nil {
			return a, false
		}
		if !fail.again || a.Attempts > s.Retries {
			a.Err = fail.why
			if a.Attempts > 1 {
				a.Err += fmt.Sprintf(" (after %d attempts)", a.Attempts)
			}
			return a, true
		}
		select {
		case <-s.After(s.pause(a.Attempts, fail.wait, jitter.Float64())):
		case <-ctx.Done():
			return a, false
		}
	}
}

func seedOf(id string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, id)
	return h.Sum64()
}

// pause is the wait after the nth attempt: between half of the backoff and all of it, doubled with each attempt, but
// not less than the service asks for, and not more than MaxWait.
func (s *service) pause(n int, asked time.Duration, jitter float64) time.Duration {
	wait := s.MaxWait
	if shift := n - 1; shift < 30 && s.Backoff < s.MaxWait>>shift {
		wait = s.Backoff << shift
	}
	wait = wait/2 + time.Duration(jitter*float64(wait/2))
	return min(max(wait, asked), s.MaxWait)
}

// attempt sends one request and reads the reply, within the timeout.
func (s *service) attempt(ctx context.Context, q corpus.Query, depth int) (corpus.Ranking, *failure) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := s.request(ctx, q, depth)
	if err != nil {
		return nil, &failure{why: s.line(err.Error())}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, s.broken(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, s.refused(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxReply+1))
	switch {
	case err != nil:
		return nil, s.broken(ctx, err)
	case len(body) > MaxReply:
		return nil, &failure{why: fmt.Sprintf("the reply is longer than %d bytes", MaxReply)}
	}
	ranking, err := s.paths.ranking(body)
	if err != nil {
		why := s.line(err.Error())
		if unread := new(notJSON); errors.As(err, &unread) {
			why += s.excerpt(body[:min(len(body), excerptLen)], len(body) > excerptLen)
		}
		return nil, &failure{why: why}
	}
	for _, hit := range ranking {
		if s.secrets.within(hit.ChunkID) { // it would end up in files
			return nil, &failure{why: "the reply has a secret of ours as the id of a hit"}
		}
	}
	return ranking, nil
}

func (s *service) request(ctx context.Context, q corpus.Query, depth int) (*http.Request, error) {
	to, err := fill(s.URL, q, depth, inURL)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if s.Body != "" {
		text, err := fill(s.Body, q, depth, inJSON)
		if err != nil {
			return nil, err
		}
		body = strings.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, to, body)
	if err != nil {
		return nil, err
	}
	req.Header = s.headers.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	return req, nil
}

// broken is the failure of a request that got no whole reply.
func (s *service) broken(ctx context.Context, err error) *failure {
	var turned *redirectError
	if errors.As(err, &turned) {
		return &failure{why: s.line(turned.Error())}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &failure{why: fmt.Sprintf("no reply within %v", s.Timeout), again: true}
	}
	var where *url.Error
	if errors.As(err, &where) {
		err = where.Err // without the URL, which is known
	}
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	settled := errors.As(err, &name) && name.IsNotFound || errors.As(err, &certificate)
	return &failure{why: s.line("no reply: " + err.Error()), again: !settled}
}

// refused is the failure that a status says.
func (s *service) refused(resp *http.Response) *failure {
	code := resp.StatusCode
	f := &failure{why: strings.TrimSpace(fmt.Sprintf("the service says %d %s", code, http.StatusText(code)))}
	switch code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		f.again = true
	default:
		f.again = code >= 500
	}
	if f.again {
		f.wait = retryAfter(resp.Header.Get("Retry-After"), s.Now())
	}
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return f // what it says is about our credentials, and may repeat them
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, excerptLen))
	f.why += s.excerpt(said, err != nil || len(said) == excerptLen)
	return f
}

// retryAfter is how long to wait, which is said in seconds or as a date; 0 where it is not.
func retryAfter(value string, now time.Time) time.Duration {
	const long = 365 * 24 * time.Hour
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 63); err == nil {
		return time.Duration(min(seconds, uint64(long/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), long)
	}
	return 0
}

const (
	excerptLen  = 4 << 10
	excerptShow = 200
)

// unsaid stands for a text that holds a secret in another guise than ours.
const unsaid = "what it says is not shown: it holds a secret of ours"

// line is a message without secrets, safe to show.
func (s *service) line(text string) string {
	text, cut := beginning(text)
	shown, ok := s.secrets.hide(text, cut)
	if !ok {
		return "no ranking came back, and " + unsaid
	}
	return oneLine(shown, maxFault)
}

// excerpt is ": " and the beginning of a reply, as far as it may be shown.
func (s *service) excerpt(body []byte, cut bool) string {
	shown, ok := s.secrets.hide(strings.ToValidUTF8(string(body), "\ufffd"), cut)
	if !ok {
		return "; " + unsaid
	}
	if shown = oneLine(shown, excerptShow); shown == "" {
		return ""
	}
	return ": " + shown
}

// beginning is as much of a text as is looked at.
func beginning(text string) (string, bool) {
	if len(text) <= excerptLen {
		return text, false
	}
	return strings.ToValidUTF8(text[:excerptLen], ""), true
}

// redirectError refuses a redirect.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

// redirect follows where the same request can be made again, without our headers where that is elsewhere.
func (s *service) redirect(req *http.Request, via []*http.Request) error {
	const most = 5
	first := via[0]
	to := req.URL.Redacted()
	switch {
	case len(via) > most:
		return &redirectError{fmt.Sprintf("the service redirects more than %d times, last to %s", most, to)}
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return &redirectError{fmt.Sprintf("the service redirects to %s", to)}
	case req.Method != first.Method:
		return &redirectError{fmt.Sprintf("the service redirects to %s in a way that loses the request: give that url", to)}
	}
	if !sameOrigin(first.URL, req.URL) {
		for name := range s.headers {
			req.Header.Del(name)
		}
		req.Header.Del("Referer")
		req.Host = ""
		req.Header.Set("Accept", "application/json")
		if s.Body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
	}
	return nil
}

// sameOrigin reports whether two URLs are of the same server; the step from its http to its https is none elsewhere.
func sameOrigin(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	if a.Scheme == "http" && b.Scheme == "https" && (a.Port() == "" || a.Port() == "80") {
		return b.Port() == "" || b.Port() == "443"
	}
	return a.Scheme == b.Scheme && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
