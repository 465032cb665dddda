package mine

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus/querylog/clean"
)

// collection is the path of a file in the folder of real collections; the test is skipped where there is none.
func collection(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	for up := ".."; dir == "" && len(up) < 40; up += "/.." {
		found := filepath.Join(up, "shared", "data")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			dir = found
		}
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); dir == "" || err != nil {
		t.Skipf("collections not found: %s", name)
	}
	return path
}

// Of excite's 4501 rows 533 ask nothing and 3968 ask 2092 queries: 2095 different texts, of which a few are the same once
// personal data is out. The two halves of banking77 have seven texts in common.
func TestRealLogs(t *testing.T) {
	for _, c := range []struct {
		name                           string
		read, empty, repeats, distinct int
	}{
		{"log-excite/excite-small.log", 4501, 533, 1876, 2092},
		{"log-banking77/train.csv", 10003, 0, 4, 9999},
		{"log-banking77/test.csv", 3080, 0, 1, 3079},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := collection(t, c.name)
			p := newPlace(t)
			r := p.mine(file(path))
			if r.Read != c.read || r.Accepted != c.read || r.Rejected != 0 || r.Cleaned[clean.Empty] != c.empty || r.Repeats != c.repeats || r.Distinct != c.distinct || r.New != c.distinct {
				t.Errorf("%+v", r)
			}
			p.again(file(path))
		})
	}
	t.Run("both halves of banking77", func(t *testing.T) {
		p := newPlace(t)
		p.mine(file(collection(t, "log-banking77/train.csv")))
		r := p.mine(file(collection(t, "log-banking77/test.csv")))
		if r.Frame != 13071 || r.Gone != 0 || r.New != 13071-9999 {
			t.Errorf("%+v", r)
		}
	})
}

// again mines logs that are in the frame: nothing is new, and not a byte is another.
func (p *place) again(sources ...Source) {
	p.t.Helper()
	before, err := os.ReadFile(p.opt.New)
	if err != nil {
		p.t.Fatal(err)
	}
	r := p.mine(sources...)
	after, err := os.ReadFile(p.opt.New)
	if err != nil {
		p.t.Fatal(err)
	}
	if r.New+r.Gone != 0 || !bytes.Equal(before, after) {
		p.t.Errorf("%s, again: other bytes, %+v", sources[0].Name, r)
	}
}

// Each log that is at hand, broken ones included: all rows are accounted for, and again is the same; or one clear error.
func TestLogsAtHand(t *testing.T) {
	mined := 0
	err := filepath.WalkDir(filepath.Join("..", "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		p := newPlace(t)
		r, err := Run(context.Background(), []Source{file(path)}, p.opt)
		if err != nil {
			if strings.Contains(path, "B024") { // the encoding has to be named
				return nil
			}
			return fmt.Errorf("%s: %w", path, err)
		}
		p.check(r)
		if f := r.Files[0]; f.Accepted+f.Rejected == 0 || r.Accepted != f.Accepted || r.Rejected != f.Rejected {
			t.Errorf("%s: %+v", path, r)
		}
		p.again(file(path))
		mined++
		return nil
	})
	if err != nil || mined < 15 {
		t.Errorf("%d mined, %v", mined, err)
	}
}

// B011: an edited log is one new query and one with another text, whatever was there.
func TestEditedLog(t *testing.T) {
	p := newPlace(t)
	read := func(name string) Source {
		s := file(filepath.Join("..", "testdata", "bugs", "B011", name))
		s.Name = "log.csv"
		return s
	}
	p.mine(read("log.csv"))
	p.again(read("log.csv"))
	r := p.mine(read("log_edited.csv"))
	if got := p.said(); got != "refund time?×1 | cancel order×1 | new one×1" || r.New != 1 || r.Gone != 0 || r.Rejected != 0 || r.Replaced[0].Why != "name" {
		t.Errorf("%q, %+v", got, r)
	}
}

// B003, B004: lines of any length, characters that are none, controls: what can be kept is kept as it is.
func TestOddTexts(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("why does it not work ", 100_000)) // 2 MB
	p := newPlace(t)
	p.opt.NoClean, p.opt.NoRedact = true, true
	r := p.mine(log(t, "a.jsonl", `{"query":"`+long+`"}
{"query":"a\u0000b"}
{"query":"\ud800"}
{"query":"\u202elock\u200b card\u001b[31m"}
{"query":"💳 返金 é é"}
`))
	got := map[string]bool{}
	for _, e := range p.entries() {
		got[e.Text] = true
	}
	if r.Rejected != 2 || len(got) != 3 || !got[long] || !got["\u202elock\u200b card\u001b[31m"] || !got["💳 返金 é é"] {
		t.Errorf("%d rejected, %d texts", r.Rejected, len(got))
	}
	// With the rules on, a paste of that length is no question.
	p = newPlace(t)
	if r := p.mine(log(t, "a.jsonl", `{"query":"`+long+`"}`+"\n")); r.Cleaned[clean.Long] != 1 || r.Frame != 0 {
		t.Errorf("%+v", r)
	}
}

// Whatever a log holds, a run ends with all rows accounted for, or with an error and the frame as it was.
func FuzzMine(f *testing.F) {
	f.Add("query\nlock card\nrefund\n", "query\nlock card\n", uint8(0))
	f.Add("id,user,time,query\n1,ann,2026-03-01 09:00:00,a b\n1,ann,2026-03-01 09:00:01,and for Windows?\n", `{"query":"x","turns":["y"]}`, uint8(1))
	f.Add(`{"id":"q","query":"mail ann.smithee@example.org","count":9223372036854775807}`+"\n{\n", "", uint8(2))
	f.Fuzz(func(t *testing.T, a, b string, how uint8) {
		p := newPlace(t)
		p.opt.NoClean, p.opt.NoRedact, p.opt.NoGroup = how&1 != 0, how&2 != 0, how&4 != 0
		p.opt.partitions, p.opt.piece = 2, 200
		var rejects bytes.Buffer
		p.opt.Rejects = &rejects
		for _, text := range []string{a, b, a} {
			before, _ := os.ReadFile(p.opt.New)
			r, err := Run(context.Background(), []Source{log(t, "log", text)}, p.opt)
			if err != nil {
				if after, _ := os.ReadFile(p.opt.New); !bytes.Equal(before, after) {
					t.Errorf("%v, and the frame changed", err)
				}
				continue
			}
			p.check(r)
			if len(p.entries()) != r.Frame {
				t.Errorf("%+v", r)
			}
		}
	})
}

// The digest of a log is that of its bytes whatever it is packed in, so that a packed log is the same log.
func TestDigestOfAPackedLog(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\nrefund\n"))
	packed := log(t, "b.txt.gz", zipped(t, "lock card\nrefund\n"))
	if r := p.mine(packed); p.said() != "lock card×1 | refund×1" || len(r.Replaced) != 1 || r.Replaced[0].Why != "same" {
		t.Errorf("%q, %+v", p.said(), r)
	}
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
