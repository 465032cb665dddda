package remote

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

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
		hidden = append(hidden, loginIn(value)...)
		expanded[key] = []string{value}
	}
	return expanded, newSecrets(hidden), nil
}

// loginIn are the name with the password, and the password, of Basic credentials.
func loginIn(value string) []string {
	scheme, code, _ := strings.Cut(strings.TrimSpace(value), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return nil
	}
	login, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(code), "="))
	if err != nil || len(login) == 0 {
		return nil
	}
	_, password, _ := strings.Cut(string(login), ":")
	return []string{string(login), password}
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
