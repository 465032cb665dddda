package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// object cleans an object's fields by the rules, and those that are none of the known ones as anything is.
func (m *mention) object(raw json.RawMessage, known []string, r rules) (json.RawMessage, int, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, 0, fmt.Errorf("clean %.20q: %w", raw, err)
	}
	sum := 0
	for name, value := range fields {
		clean := r[strings.ToLower(name)] // names are read in any case, as encoding/json does
		switch {
		case clean != nil:
		case slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }):
			continue
		default:
			clean = m.anything
		}
		out, n, err := clean(value)
		if err != nil {
			return nil, 0, err
		}
		if sum += n; n == 0 {
			continue
		}
		if fields[name] = out; out == nil {
			delete(fields, name)
		}
	}
	if sum == 0 {
		return raw, 0, nil
	}
	out, err := assemble(fields, known)
	return out, sum, err
}

// list cleans each element of a list; nil leaves it out.
func (m *mention) list(clean rule) rule {
	return func(raw json.RawMessage) (json.RawMessage, int, error) {
		var all []json.RawMessage
		if json.Unmarshal(raw, &all) != nil {
			return m.anything(raw)
		}
		kept, sum := []json.RawMessage{}, 0
		for _, one := range all {
			out, n, err := clean(one)
			if err != nil {
				return nil, 0, err
			}
			sum += n
			if n == 0 || out != nil {
				kept = append(kept, out)
			}
		}
		if sum == 0 {
			return raw, 0, nil
		}
		out, err := encodeJSON(kept)
		return out, sum, err
	}
}

// anything cleans JSON of which no more is known: each string that is an id or a text, as a field's name too.
func (m *mention) anything(raw json.RawMessage) (json.RawMessage, int, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, 0, fmt.Errorf("clean %.20q: %w", raw, err)
	}
	v, n := m.tree(v)
	if n == 0 {
		return raw, 0, nil
	}
	out, err := encodeJSON(v)
	return out, n, err
}

func (m *mention) tree(v any) (any, int) {
	switch v := v.(type) {
	case string:
		if m.ids[v] {
			return forgottenMark, 1
		}
		s, n := m.unquoted(v)
		return s, n
	case []any:
		sum := 0
		for i, one := range v {
			out, n := m.tree(one)
			v[i] = out
			sum += n
		}
		return v, sum
	case map[string]any:
		sum := 0
		for name, one := range v {
			out, n := m.tree(one)
			if m.ids[name] || m.asked(name) {
				delete(v, name)
				sum++
				continue
			}
			v[name] = out
			sum += n
		}
		return v, sum
	}
	return v, 0
}
