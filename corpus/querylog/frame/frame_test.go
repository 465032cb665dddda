package frame

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/corpus"

	"github.com/klauspost/compress/zstd"
)

func entry(id, text string, count int) Entry {
	return Entry{Query: corpus.Query{ID: id, Text: text, Kind: corpus.Mined, Count: count, Source: "a.log"}, Asked: []Asked{{0, count}}, Derived: true}
}

// group makes the first stand for the others.
func group(es ...*Entry) {
	es[0].Total = 0
	for _, e := range es {
		e.Group = es[0].ID
		es[0].Total += e.Count
		if e != es[0] {
			es[0].Variants = append(es[0].Variants, corpus.Variant{ID: e.ID, Text: e.Text, Count: e.Count})
		}
	}
}

func headerOf(es []Entry) Header {
	h := Header{Queries: len(es), Sources: []Source{{Name: "a.log", Bytes: 7, SHA256: "x"}}}
	for _, e := range es {
		h.Asked += e.Count
		if e.Total > 0 {
			h.Groups++
		}
	}
	h.Sources[0].Queries, h.Sources[0].Asked = h.Queries, h.Asked
	return h
}

func write(t testing.TB, path string, es ...Entry) {
	t.Helper()
	w, err := Create(path, headerOf(es))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []Entry {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []Entry
	for e, err := range f.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	h := headerOf(out)
	if got := f.Header(); got.Queries != h.Queries || got.Asked != h.Asked || got.Groups != h.Groups {
		t.Errorf("the header says %+v, the entries %+v", got, h)
	}
	return out
}

func alone(t testing.TB, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	a, b := entry("q1", "lock <card> & \u2028 \x01", 3), entry("q2", "Lock card", 2)
	c := entry("q3", strings.Repeat("long ", 300_000), 1)
	c.Turns, c.Tags, c.Proposed = []corpus.Turn{{Role: "user", Content: "before"}}, []string{"x"}, []string{corpus.TagFollowUp}
	group(&a, &b)
	write(t, path, a, b, c)
	if got := read(t, path); !reflect.DeepEqual(got, []Entry{a, b, c}) {
		t.Errorf("%.300v", got)
	}
	first, _ := os.ReadFile(path)
	write(t, path, a, b, c)
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("the same entries make other bytes")
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range f.Groups() {
		if err != nil || !e.Stands() {
			t.Errorf("%+v, %v", e.ID, err)
		}
		if n++; e.ID == "q1" && e.Whole() != 5 {
			t.Errorf("asked %d times", e.Whole())
		}
	}
	if n != 2 {
		t.Errorf("%d stand", n)
	}
	alone(t, filepath.Dir(path))
}

func TestTheOldOneStaysUntilTheNewOneIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	write(t, path, entry("q1", "old", 1))
	w, err := Create(path, headerOf([]Entry{entry("q2", "new", 1)}))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(entry("q2", "new", 1)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got[0].Text != "old" {
		t.Error("the old one is gone before the new one is whole")
	}
	w.Abort()
	alone(t, dir)
	// A header that promises something else is a fault of who wrote it.
	w, err = Create(path, Header{Queries: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(entry("q2", "new", 1)), w.Commit()); err == nil {
		t.Error("a frame that is not what its header says was kept")
	}
	if got := read(t, path); len(got) != 1 || got[0].Text != "old" {
		t.Errorf("%+v", got)
	}
	alone(t, dir)
	if _, err := Create(filepath.Join(dir, "no", Name), Header{}); err == nil {
		t.Error("no folder, no error")
	}
}

// A frame that was never finished holds what is to be forgotten: it goes with the next writing, and with forgetting.
func TestUnfinishedFramesAreSwept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	leave := func() {
		t.Helper()
		for _, name := range []string{"." + Name + ".123", "." + Name + ".9"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	leave()
	write(t, path, entry("q1", "lock card", 1))
	alone(t, dir)
	leave()
	if _, err := Forget(path, func(string) bool { return false }, nil); err != nil {
		t.Fatal(err)
	}
	alone(t, dir)
	for _, other := range []string{"frame.jsonl.zst.123", ".frame.jsonl.zst", "report.json", ".frame.jsonl.zstd.1"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path, entry("q1", "lock card", 1))
	if left, _ := os.ReadDir(dir); len(left) != 5 {
		t.Errorf("others' files are gone: %v", left)
	}
}

// Of two writers the later one wins, and the other says that it failed: nothing is mixed.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	h := headerOf([]Entry{entry("q1", "x", 1)})
	first, err := Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(second.Add(entry("q2", "second", 1)), second.Commit()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Add(entry("q1", "first", 1)), first.Commit()); err == nil {
		t.Error("both were written")
	}
	if got := read(t, path); len(got) != 1 || got[0].Text != "second" {
		t.Errorf("%+v", got)
	}
	alone(t, dir)
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	if _, err := Open(path); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	var es []Entry
	for i := range 2000 {
		es = append(es, entry(fmt.Sprint("q", i), fmt.Sprint("query ", i*i*7919), 1))
	}
	write(t, path, es...)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := func(lines string) []byte {
		z, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return z.EncodeAll([]byte(lines), nil)
	}
	for name, data := range map[string][]byte{
		"empty":                      {},
		"no frame":                   []byte("query\nlock card\n"),
		"cut off":                    whole[:len(whole)/2],
		"cut off at the end":         whole[:len(whole)-1],
		"flipped":                    append(append([]byte{}, whole[:len(whole)/2]...), append([]byte{whole[len(whole)/2] ^ 0xff}, whole[len(whole)/2+1:]...)...),
		"another's":                  packed(`{"assay":"gold","version":1}` + "\n"),
		"newer":                      packed(`{"assay":"frame","version":99}` + "\n"),
		"too few":                    packed(`{"assay":"frame","version":1,"queries":2,"asked":2}` + "\n" + `{"id":"a","text":"b","count":1,"asked":[]}` + "\n"),
		"no line end":                packed(`{"assay":"frame","version":1,"queries":1}` + "\n" + `{"id":"a","text":"b","count":1,"asked":[]}`),
		"a source that is not there": packed(`{"assay":"frame","version":1,"queries":1,"sources":[{}]}` + "\n" + `{"id":"a","text":"b","count":1,"asked":[{"s":-1,"n":1}]}` + "\n"),
		"an empty entry":             packed(`{"assay":"frame","version":1,"queries":1}` + "\n" + `{}` + "\n"),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			for _, e := range f.Entries() {
				err = errors.Join(err, e)
			}
		}
		var fault *Error
		if !errors.As(err, &fault) || fault.Hint() == "" || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if (name == "newer") != (fault != nil && fault.Hint() == "update assay") {
			t.Errorf("%s: hint %q", name, fault.Hint())
		}
	}
}

func TestForget(t *testing.T) {
	a, b, c := entry("q1", "lock card", 5), entry("q2", "Lock my card", 2), entry("q3", "lock crad", 3)
	d, e := entry("q4", "and for Windows?", 1), entry("q5", "refund", 4)
	d.Turns, d.ParentID = []corpus.Turn{{Role: "user", Content: "lock card"}, {Role: "user", Content: "other"}}, "q1"
	group(&a, &b, &c)
	for name, x := range map[string]struct {
		ids, texts string
		want       Removed
		left       string
	}{
		"the one that stands":  {"q1", "lock card", Removed{1, 2}, "q2<q3 q3+5 q4 q5"},
		"a member":             {"q2", "", Removed{1, 0}, "q1+8 q3<q1 q4 q5"},
		"all but one":          {"q1 q3", "", Removed{2, 1}, "q2 q4 q5"},
		"one that stood alone": {"q5", "", Removed{1, 0}, "q1+10 q2<q1 q3<q1 q4"},
		"by its text":          {"", "refund", Removed{1, 0}, "q1+10 q2<q1 q3<q1 q4"},
		"nothing":              {"nosuch", "nor this", Removed{}, "q1+10 q2<q1 q3<q1 q4 q5"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, Name)
		write(t, path, a, b, c, d, e)
		before, _ := os.ReadFile(path)
		var texts []string
		if x.texts != "" {
			texts = []string{x.texts}
		}
		got, err := Forget(path, func(id string) bool { return strings.Contains(" "+x.ids+" ", " "+id+" ") }, texts)
		if err != nil || got != x.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, x.want)
		}
		var left []string
		for _, e := range read(t, path) {
			s := e.ID
			switch {
			case !e.Stands():
				s += "<" + e.Group
			case e.Total > 0:
				s += fmt.Sprintf("+%d", e.Total)
				if len(e.Variants) == 0 || e.Variants[0].ID == e.ID {
					t.Errorf("%s: %+v", name, e.Variants)
				}
			}
			left = append(left, s)
			if x.texts == "lock card" && (e.ParentID == "q1" || len(e.Turns) > 0 && (e.Turns[0].Content != "[forgotten]" || e.Turns[1].Content != "other")) {
				t.Errorf("%s: %+v", name, e)
			}
			for _, v := range e.Variants {
				if strings.Contains(" "+x.ids+" ", " "+v.ID+" ") {
					t.Errorf("%s: variant %+v", name, v)
				}
			}
		}
		if s := strings.Join(left, " "); s != x.left {
			t.Errorf("%s: %s, want %s", name, s, x.left)
		}
		if after, _ := os.ReadFile(path); name == "nothing" && !bytes.Equal(before, after) {
			t.Error("nothing was forgotten, and the frame changed")
		}
		alone(t, dir)
	}
	if _, err := Forget(filepath.Join(t.TempDir(), Name), func(string) bool { return true }, nil); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// Whatever stands in the file: it is read, or one clear error.
func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"assay":"frame","version":1,"queries":1,"asked":1}` + "\n" + `{"id":"a","text":"b","count":1,"asked":[{"s":0,"n":1}],"group":"a","total":3}` + "\n"))
	f.Add([]byte(`{"assay":"frame","version":1,"queries":1,"asked":1,"sources":[{"name":"x"}]}` + "\n" + `{"id":"a","text":"b","count":1,"asked":[{"s":0,"n":1}]}` + "\n"))
	f.Add([]byte(`{"assay":"frame","version":1,"queries":-1}` + "\n"))
	f.Add([]byte("\n\n{}"))
	z, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		path := filepath.Join(t.TempDir(), Name)
		if err := os.WriteFile(path, z.EncodeAll(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		fr, err := Open(path)
		if err != nil {
			return
		}
		n := 0
		for e, err := range fr.Entries() {
			if err != nil {
				return
			}
			if n++; e.ID == "" || e.Text == "" || e.Count < 1 {
				t.Errorf("%+v", e)
			}
		}
		if n != fr.Header().Queries {
			t.Errorf("%d entries, the header says %d", n, fr.Header().Queries)
		}
		if _, err := Forget(path, func(id string) bool { return id == "a" }, []string{"b"}); err != nil {
			return
		}
		fr, err = Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range fr.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if e.ID == "a" || e.Text == "b" {
				t.Errorf("%+v", e)
			}
		}
	})
}
