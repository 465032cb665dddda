package workspace

import (
	"fmt"
	"strings"
	"time"
)

// RetrieverConfig is one [[retriever]] table: a command or a web service that check and compare can ask by its name.
type RetrieverConfig struct {
	Name        string            `toml:"name"`
	Exec        string            `toml:"exec"`
	HTTP        string            `toml:"http"`
	Method      string            `toml:"method"`
	Body        string            `toml:"body"`
	Headers     map[string]string `toml:"headers"` // ${NAME} in a value is the environment's
	Hits        string            `toml:"hits"`    // JSON paths
	ID          string            `toml:"id"`
	Score       string            `toml:"score"`
	Timeout     Duration          `toml:"timeout"`
	Retries     *int              `toml:"retries"`
	Concurrency int               `toml:"concurrency"`
	Depth       int               `toml:"depth"` // how many chunks it is asked for; 0 is what [check] says
}

// Duration is a time span as Go writes it, e.g. "10s".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := time.ParseDuration(string(text))
	if err != nil || span <= 0 {
		return fmt.Errorf("%q is no time span, e.g. \"10s\"", text)
	}
	*d = Duration(span)
	return nil
}

// Retriever is the one of that name.
func (c Config) Retriever(name string) (RetrieverConfig, bool) {
	for _, r := range c.Retrievers {
		if r.Name == name {
			return r, true
		}
	}
	return RetrieverConfig{}, false
}

// checkRetrievers refuses what no command could use.
func checkRetrievers(list []RetrieverConfig) error {
	seen := map[string]bool{}
	for i, r := range list {
		switch {
		case r.Name == "":
			return fmt.Errorf("retriever %d has no name", i+1)
		case !FileName(r.Name):
			return fmt.Errorf("retriever %q: a name becomes a file's name: letters, digits and . _ - only", r.Name)
		case r.Name == "search":
			return fmt.Errorf("retriever %d: \"search\" is what the built-in search is called; give it another name", i+1)
		case seen[r.Name]:
			return fmt.Errorf("retriever %q is there twice", r.Name)
		case (r.Exec == "") == (r.HTTP == ""):
			return fmt.Errorf("retriever %q: give it either exec or http", r.Name)
		case r.Depth < 0 || r.Concurrency < 0 || r.Retries != nil && *r.Retries < 0:
			return fmt.Errorf("retriever %q: depth, concurrency and retries can't be negative", r.Name)
		}
		seen[r.Name] = true
	}
	return nil
}

// FileName reports whether a name can be a file's on every system, and hides nothing.
func FileName(name string) bool {
	return name != "" && len(name) <= 100 && name[0] != '.' && name[0] != '-' && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}) < 0
}
