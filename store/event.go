package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// eventVersion is the V of the events that this program writes.
const eventVersion = 1

// encodeJSON is json.Marshal that leaves <, > and & as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// jsonNames lists the keys of a struct's fields in their order.
func jsonNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// encodeEvent writes an event as JSON, the fields that this program does not know last.
func encodeEvent(e corpus.Event) ([]byte, error) {
	b, err := encodeJSON(e)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	if len(e.Extra) == 0 {
		return b, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	maps.Copy(fields, e.Extra)
	return assemble(fields, jsonNames(reflect.TypeFor[corpus.Event]()))
}

// assemble writes an object: the named fields first, in their order, then the others by name.
func assemble(fields map[string]json.RawMessage, first []string) ([]byte, error) {
	names := make([]string, 0, len(fields))
	for _, name := range first {
		if _, ok := fields[name]; ok {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(first, name) {
			names = append(names, name)
		}
	}
	var out bytes.Buffer
	for i, name := range names {
		key, err := encodeJSON(name)
		if err != nil {
			return nil, err
		}
		out.WriteByte("{,"[min(i, 1)])
		out.Write(key)
		out.WriteByte(':')
		if err := json.Compact(&out, fields[name]); err != nil {
			return nil, fmt.Errorf("encode field %q: %w", name, err)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// decodeEvent reads an event and keeps the fields that this program does not know. Where the subject or the way it
// was found has such fields within, the whole object is kept too, and written back in its place.
func decodeEvent(b []byte) (corpus.Event, error) {
	var e corpus.Event
	if strictJSON(b, &e) != nil {
		e = corpus.Event{}
		if err := json.Unmarshal(b, &e); err != nil {
			return e, fmt.Errorf("decode event: %w", err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(b, &fields); err != nil {
			return e, fmt.Errorf("decode event: %w", err)
		}
		known := jsonNames(reflect.TypeFor[corpus.Event]())
		for name, raw := range fields {
			// Names are read in any case, as encoding/json does.
			unknown := !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
			switch name {
			case "subject":
				unknown = strictJSON(raw, new(corpus.Subject)) != nil
			case "found":
				unknown = strictJSON(raw, new(corpus.Found)) != nil
			}
			if unknown {
				if e.Extra == nil {
					e.Extra = map[string]json.RawMessage{}
				}
				e.Extra[name] = raw
			}
		}
	}
	e.Before, e.After = orNil(e.Before), orNil(e.After)
	return e, nil
}

// orNil reads a JSON null as nothing.
func orNil(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" || len(raw) == 0 {
		return nil
	}
	return raw
}

func strictJSON(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// eventAt reads the event with a local sequence number.
func eventAt(tx *bolt.Tx, seq uint64) (corpus.Event, error) {
	b := tx.Bucket([]byte(bucketEvents)).Get(seqKey(seq))
	if b == nil {
		return corpus.Event{}, fmt.Errorf("event %d: %w", seq, ErrNoEvent)
	}
	e, err := decodeEvent(b)
	if err != nil {
		return e, fmt.Errorf("event %d: %w", seq, err)
	}
	return e, nil
}

// seqOf finds an event's local sequence number; 0 where there is no such event.
func seqOf(tx *bolt.Tx, id corpus.EventID) uint64 {
	if id == "" {
		return 0
	}
	return seqOfKey(tx.Bucket([]byte(bucketEventIDs)).Get([]byte(id)))
}

func eventByID(tx *bolt.Tx, id corpus.EventID) (corpus.Event, error) {
	seq := seqOf(tx, id)
	if seq == 0 {
		return corpus.Event{}, fmt.Errorf("event %q: %w", id, ErrNoEvent)
	}
	return eventAt(tx, seq)
}

// nextHLC is the clock's next reading: the wall clock's milliseconds or, where that stands still or has stepped back,
// one tick more than the last reading.
func nextHLC(last corpus.HLC, wall time.Time) (corpus.HLC, error) {
	ms := max(wall.UnixMilli(), 0)
	now := corpus.HLC(min(uint64(ms), 1<<48-1) << 16)
	if now > last {
		return now, nil
	}
	if last+1 == 0 {
		return 0, errors.New("the logical clock is at its end")
	}
	return last + 1, nil
}

// wallTime is the wall clock's part of a logical time.
func wallTime(h corpus.HLC) time.Time { return time.UnixMilli(int64(h >> 16)).UTC() }
