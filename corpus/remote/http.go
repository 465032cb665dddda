package remote

import (
	"context"
	"net/http"
	"time"

	"assay/corpus"
)

// DefaultBody is what is sent where no body is set.
const DefaultBody = `{"query": {{query}}, "k": {{k}}}`

// NoScore as the score's path says that the order of the hits counts, whatever scores they have.
const NoScore = "-"

// HTTP asks a web service, one request a query.
//
// {{query}}, {{query_id}} and {{k}} stand for the query's values: in the body as JSON (a string with its quotes, a
// number), in the URL percent-encoded. In the values of headers ${NAME} stands for the environment's variable NAME.
type HTTP struct {
	URL     string
	Method  string            // GET, POST or PUT; "" for POST
	Body    string            // "" for DefaultBody, or for none where the method is GET
	Headers map[string]string // their values appear in no error
	Hits    string            // JSON path of the hits; "" to look where they usually are
	ID      string            // JSON path within a hit; "" to look where it usually is
	Score   string            // JSON path within a hit; "" to look where it usually is, NoScore for none

	Timeout     time.Duration // of an attempt, the reading of the reply included; 0 for DefaultTimeout
	Retries     int           // how often a query is asked again at most where that may help; 0 for never
	Backoff     time.Duration // before the first retry, doubled with each; 0 for half a second
	MaxWait     time.Duration // the longest wait before a retry, whatever the service asks for; 0 for a minute
	Concurrency int           // requests at once; 0 for 4
	Seed        uint64        // of the jitter

	Client    *http.Client                         // its transport is used; nil for one of its own
	LookupEnv func(name string) (string, bool)     // nil for os.LookupEnv
	Now       func() time.Time                     // nil for time.Now
	After     func(time.Duration) <-chan time.Time // nil for time.After
}

// Check says what is wrong with the settings, unset variables included, without asking anything.
func (h HTTP) Check() error { return nil }

// Ask sends the requests. See Retriever.
func (h HTTP) Ask(ctx context.Context, queries []corpus.Query, depth int, answered func(Answer) error) error {
	return nil
}
