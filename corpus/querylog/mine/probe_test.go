package mine

import (
	"fmt"
	"strings"
	"testing"
	"bytes"
	"os"
	"path/filepath"
	"io"
	"assay/corpus/querylog"
)

func TestProbeConflictOutOfOrder(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.csv", "id,session,query\n1,s1,first text\n1,,second text\n1,,second text\n1,,second text\n"))
	t.Log(p.said(), r.Accepted, r.Rejected, r.Kept, r.Distinct, r.Repeats, r.Rejects)
}

func TestProbeOverflow(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.csv", "query,count\nlock card,9223372036854775807\nrefund order,9223372036854775807\n"))
	t.Log(p.opt)
}

func TestProbeTwiceThreads(t *testing.T) {
	s := "user,time,query\nann,2026-03-01 09:00:00,rotate the signing key\nann,2026-03-01 09:01:00,and for Windows?\nann,2026-03-01 09:02:00,and for Linux?\n"
	p := newPlace(t)
	r := p.mine(log(t, "a.csv", s))
	one := fmt.Sprintf("%+v", p.entries())
	q := newPlace(t)
	r2 := q.mine(log(t, "a.csv", s), log(t, "b.csv", s))
	two := fmt.Sprintf("%+v", q.entries())
	t.Log(one == two, r.FollowUps, r2.FollowUps, r.Conversations, r2.Conversations)
	t.Log(one); t.Log(two)
}

func TestProbeLongerAtOnce(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\nrefund\n"), log(t, "b.txt", "lock card\nrefund\nlock card\n"))
	t.Log(p.said())
}

func TestProbeStale(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.csv", "query,time,tags\nlock card,2020-03-01 09:00:00,old\n"))
	p.mine(log(t, "a.csv", "query,time,tags\nlock card,2026-03-01 09:00:00,new\n"))
	e := p.entries()[0]
	t.Log(e.FirstSeen, e.LastSeen, e.Tags)
}

func TestProbeRawOnDisk(t *testing.T) {
	p := newPlace(t)
	var rej bytes.Buffer
	p.opt.Rejects = &rej
	src := log(t, "a.csv", "id,session,query\n1,s1,mail bob.smith@example.com about my card\n2,s1,refund please\n")
	open := src.Open
	found := false
	p.opt.Progress = func(stage string, _, _ int64) {
		filepath.Walk(p.dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() { b, _ := os.ReadFile(path); if bytes.Contains(b, []byte("bob.smith@example")) { found = true; t.Log(stage, path) } }
			return nil
		})
	}
	src.Open = func(d io.Writer, w bool) (*querylog.Log, error) { return open(d, w) }
	p.mine(src)
	t.Log("raw on disk:", found, strings.Contains(p.said(), "bob"))
}

func TestProbeNul(t *testing.T) {
	p := newPlace(t)
	p.opt.NoClean = true
	r := p.mine(log(t, "a.jsonl", `{"query":"a\u0000b"}`+"\n"+`{"query":"`+strings.Repeat("long text ", 1<<20)+`"}`+"\n"+`{"query":"\ud800 lone"}`+"\n"+`{"query":"x","first_seen":"9999-12-31T23:59:59-18:00"}`+"\n"+`{"query":"y","time":"0000-01-01T00:00:00+18:00"}`+"\n"))
	t.Log(r.Accepted, r.Rejected, len(p.entries()), r.Unread)
}
