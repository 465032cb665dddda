package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// holdsChunk is how many bytes Holds looks at in one go.
const holdsChunk = 1 << 20

// Holds reports whether a file of any kind holds the id of a query or one of the texts, each whole: as a value of its
// own, not within a longer one, or the id at the start of a line with spaces between its fields. It reads the bytes from end to end, free pages of a labels file included, so that it
// finds what was deleted and not overwritten. Text counts as it is, in all ways in which JSON may write it, and with the
// quotes doubled as in CSV. What gzip or zstd compressed is looked at as it was before. An empty id or text is not
// looked for.
func Holds(path string, id string, texts []string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("look through file: %w", err)
	}
	defer f.Close()
	found, err := holds(f, newWanted(id, texts), holdsChunk)
	if err != nil {
		return false, fmt.Errorf("look through %s: %w", path, err)
	}
	return found, nil
}

// wanted are the byte strings to look for.
type wanted struct {
	forms   []form
	longest int
}

type form struct {
	bytes []byte
	id    bool
}

func newWanted(id string, texts []string) wanted {
	var w wanted
	add := func(s string, id bool) {
		seen := map[string]bool{}
		for _, written := range writtenForms(s) {
			if !seen[written] {
				seen[written] = true
				w.forms = append(w.forms, form{[]byte(written), id})
				w.longest = max(w.longest, len(written))
			}
		}
	}
	if id != "" {
		add(id, true)
	}
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			add(text, false)
		}
	}
	return w
}

// writtenForms are the ways in which s may stand in a file.
func writtenForms(s string) []string {
	forms := []string{s, strings.ReplaceAll(s, `"`, `""`)}
	for _, once := range jsonForms(s) {
		forms = append(forms, once, asciiJSON(once, "%04x"), asciiJSON(once, "%04X"))
		forms = append(forms, jsonForms(once)...) // JSON in JSON, as drafts of forms are
	}
	for _, form := range forms[2:] {
		forms = append(forms, strings.ReplaceAll(form, "/", `\/`))
	}
	return forms
}

// jsonForms are what JSON has between the quotes, as it is and made for HTML.
func jsonForms(s string) []string {
	var forms []string
	for _, encode := range []func(any) ([]byte, error){encodeJSON, json.Marshal} {
		if b, err := encode(s); err == nil {
			forms = append(forms, string(b[1:len(b)-1]))
		}
	}
	return forms
}

// asciiJSON writes all that is not ASCII as \u and digits in the given format.
func asciiJSON(s, digits string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u`+digits, unit)
		}
	}
	return b.String()
}

// holds looks through what r reads, chunk by chunk, and takes as much of the last chunk along as a form may need.
func holds(r io.Reader, w wanted, chunk int) (bool, error) {
	if len(w.forms) == 0 {
		return false, nil
	}
	r, done, err := decompressed(r)
	if err != nil {
		return false, err
	}
	defer done()
	keep := w.longest + 2 // the byte before and the one after
	buf := make([]byte, 0, chunk+keep)
	for first, last := true, false; ; {
		for limit := min(len(buf)+chunk, cap(buf)); len(buf) < limit && !last; {
			n, err := r.Read(buf[len(buf):limit])
			buf = buf[:len(buf)+n]
			if last = errors.Is(err, io.EOF); err != nil && !last {
				return false, err
			}
		}
		if w.in(buf, first, last) {
			return true, nil
		}
		if last {
			return false, nil
		}
		if drop := len(buf) - keep; drop > 0 {
			buf, first = buf[:copy(buf, buf[drop:])], false
		}
	}
}

// in reports whether a form stands in b as a value of its own. Where b is not the file's first or last part, what
// touches that end waits for the next look.
func (w wanted) in(b []byte, first, last bool) bool {
	for _, form := range w.forms {
		for from := 0; ; {
			i := bytes.Index(b[from:], form.bytes)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(form.bytes)
			before := start == 0 && first || start > 0 && endsValue(b[start-1])
			after := end == len(b) && last || end < len(b) && endsValue(b[end]) || bytes.HasPrefix(b[end:], []byte(`\"`))
			begins := start == 0 && first || start > 0 && b[start-1] == '\n'
			if before && after || form.id && begins && end < len(b) && b[end] == ' ' {
				return true
			}
			from = start + 1
		}
	}
	return false
}

// endsValue reports whether a value may end or begin at this byte: what formats put around it, and sep.
func endsValue(c byte) bool {
	return c < ' ' || c == sep[0] || strings.IndexByte("\"',;|<>{}", c) >= 0
}

// decompressed reads what is in gzip or zstd, by its first bytes, and all else as it is.
func decompressed(r io.Reader) (io.Reader, func(), error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { z.Close() }, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return in, func() {}, nil
}
