package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// secrets are the values that must not be seen, in the forms in which a service may give them back.
type secrets struct {
	forms   []string // the longest first
	redact  *strings.Replacer
	longest int
}

const redacted = "[secret]"

func newSecrets(values []string) secrets {
	var s secrets
	for _, v := range values {
		quoted, _ := json.Marshal(v) // a string always can be
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
		for _, form := range []string{v, url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]), plain[1 : len(plain)-1]} {
			if form != "" && !slices.Contains(s.forms, form) {
				s.forms = append(s.forms, form)
			}
		}
	}
	slices.SortFunc(s.forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range s.forms {
		pairs = append(pairs, form, redacted)
		s.longest = max(s.longest, len(form))
	}
	s.redact = strings.NewReplacer(pairs...)
	return s
}

// hide takes the secrets out of a text. Where the text is the beginning of a longer one, its end goes too: it may be
// the beginning of a secret.
func (s secrets) hide(text string, cut bool) string {
	text = s.redact.Replace(text)
	if cut {
		text = text[:max(0, len(text)-s.longest)]
	}
	return text
}

// within reports whether a text holds a secret that is too long to be there by chance.
func (s secrets) within(text string) bool {
	const telling = 8
	return slices.ContainsFunc(s.forms, func(form string) bool { return len(form) >= telling && strings.Contains(text, form) })
}

var (
	variable   = regexp.MustCompile(`\$\{([^}]*)\}?`)
	varName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	secretName = regexp.MustCompile(`(?i)auth|cookie|key|token|secret|passw|session|credential`)
)

// ownHeaders are those that the transport sets as it needs them.
var ownHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Expect", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// expandHeaders puts the environment into the headers' values. No error holds a value.
func expandHeaders(headers map[string]string, lookup func(string) (string, bool)) (http.Header, secrets, error) {
	expanded := http.Header{}
	var hidden []string
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names) // so that it is always the same error
	for _, name := range names {
		key := http.CanonicalHeaderKey(name)
		if !headerName.MatchString(name) {
			return nil, secrets{}, fmt.Errorf("header %s: that is no header's name", oneLine(name, 60))
		}
		if slices.Contains(ownHeaders, key) {
			return nil, secrets{}, fmt.Errorf("header %s can't be set", key)
		}
		if expanded[key] != nil {
			return nil, secrets{}, fmt.Errorf("header %s is set twice", key)
		}
		value, found, err := expand(headers[name], lookup)
		if err != nil {
			return nil, secrets{}, fmt.Errorf("header %s: %w", key, err)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, secrets{}, fmt.Errorf("header %s: its value has a line end or another control character in it", key)
		}
		hidden = append(hidden, found...)
		if secretName.MatchString(key) { // typed where it should have been a variable
			hidden = append(hidden, value)
			for _, word := range strings.Fields(value) {
				if len(word) > 6 { // more than "Bearer"
					hidden = append(hidden, word)
				}
			}
		}
		expanded[key] = []string{value}
	}
	return expanded, newSecrets(hidden), nil
}

func expand(value string, lookup func(string) (string, bool)) (expanded string, found []string, err error) {
	expanded = variable.ReplaceAllStringFunc(value, func(ref string) string {
		name := strings.TrimSuffix(ref[2:], "}")
		if !strings.HasSuffix(ref, "}") || !varName.MatchString(name) {
			err = errors.New("${ begins no ${NAME}")
			return ""
		}
		v, set := lookup(name)
		if !set || v == "" {
			err = fmt.Errorf("the environment variable %s is not set", name)
		}
		found = append(found, v)
		return v
	})
	return expanded, found, err
}
