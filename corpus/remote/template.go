package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"assay/corpus"
)

var placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// fill puts a query's values where a template has placeholders, in the form that encode gives them.
func fill(template string, q corpus.Query, depth int, encode func(any) string) (string, error) {
	var fault error
	filled := placeholder.ReplaceAllStringFunc(template, func(ref string) string {
		switch name := placeholder.FindStringSubmatch(ref)[1]; name {
		case "query":
			return encode(q.Text)
		case "query_id":
			return encode(q.ID)
		case "k":
			return encode(depth)
		default:
			fault = fmt.Errorf("{{%s}} stands for nothing: there are {{query}}, {{query_id}} and {{k}}", oneLine(name, 60))
			return ""
		}
	})
	return filled, fault
}

// inJSON is a value as JSON, so that no text can leave its string.
func inJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a string or a number always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// inURL is a value that stays within its part of a URL, be that a path or a parameter.
func inURL(v any) string {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
	case int:
		return strconv.Itoa(v)
	}
	return ""
}

// probes are queries that show what a template makes of any.
var probes = []corpus.Query{{ID: "a", Text: "b"}, {ID: "c", Text: "d"}, {ID: `"x", y`, Text: `"/?#@:&= \z`}}

// checkBody refuses a body that would be no JSON, or lines of it, with the values in it. Where a value stands within
// quotes it has its own already, and its text would be outside of both.
func checkBody(template string) error {
	for _, q := range probes {
		body, err := fill(template, q, 1, inJSON)
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		if json.Valid([]byte(body)) {
			continue
		}
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); line != "" && !json.Valid([]byte(line)) {
				return errors.New("body: it is no JSON; {{query}} and {{query_id}} stand for strings with their quotes, so write no others around them")
			}
		}
	}
	return nil
}

var (
	// keyParam and secretParam are names of a URL's parameters in lower case, letters and digits only. Not every key opens
	// something: "sort_key" and "keyword" don't.
	keyParam    = regexp.MustCompile(`^(x|.*(api|app|application|access|account|subscription|secret|private|auth|functions?|host|service|consumer|client|developer|license|master|admin|shared|storage|security|session|user|team|org|project))?key$`)
	secretParam = regexp.MustCompile(`(token|secret|password|passwd|passphrase|pwd|signature|credentials?|authorization|jwt|bearer|sessionid|sessid)$|^(x?auth|pass|sig|session|sid)$`)
	notPlain    = regexp.MustCompile(`[^a-z0-9]+`)
)

// secretIn is the first parameter of a URL that holds a secret by its name, in the query or elsewhere; "" for none.
// What a query fills in is none.
func secretIn(template string) string {
	template = placeholder.ReplaceAllString(template, "")
	for _, part := range strings.FieldsFunc(template, func(r rune) bool { return strings.ContainsRune("?&;#/", r) }) {
		name, value, _ := strings.Cut(part, "=")
		if value == "" {
			continue
		}
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		bare := notPlain.ReplaceAllString(strings.ToLower(name), "")
		if keyParam.MatchString(bare) || secretParam.MatchString(bare) {
			return name
		}
	}
	return ""
}

// checkURL refuses a URL that is not the web's, holds a password or the like, or lets a query choose the host.
func checkURL(template string) (*url.URL, error) {
	if strings.Contains(template, "${") {
		return nil, errors.New("url: ${ } is for headers only: the url is kept in files")
	}
	var first *url.URL
	for i, q := range probes {
		filled, err := fill(template, q, 1+i, inURL)
		if err != nil {
			return nil, fmt.Errorf("url: %w", err)
		}
		u, err := url.Parse(filled)
		var why *url.Error
		switch {
		case errors.As(err, &why):
			return nil, fmt.Errorf("url: %s", oneLine(why.Err.Error(), maxFault))
		case u.Scheme != "http" && u.Scheme != "https":
			return nil, errors.New("url: want one that begins with http:// or https://")
		case u.Host == "" || u.Hostname() == "":
			return nil, errors.New("url: there is no host in it")
		case u.User != nil:
			return nil, errors.New("url: name and password don't belong into it: use a header")
		case first != nil && (u.Host != first.Host || u.Scheme != first.Scheme):
			return nil, errors.New("url: a query can't choose the host")
		}
		first = u
	}
	if name := secretIn(template); name != "" {
		return nil, fmt.Errorf("url: %s looks like a secret, and the url is kept in files: send it in a header, with ${NAME} for a variable of the environment", oneLine(name, 60))
	}
	return first, nil
}
