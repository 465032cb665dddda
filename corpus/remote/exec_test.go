package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

func command(name string, env ...string) Exec {
	return Exec{Command: `exec "` + os.Args[0] + `"`, Env: append(append(os.Environ(), behaviour+"="+name, "GORACE=atexit_sleep_ms=0"), env...)}
}

func some(n int) []corpus.Query {
	qs := make([]corpus.Query, n)
	for i := range qs {
		qs[i] = corpus.Query{ID: fmt.Sprintf("q%d", i+1), Text: fmt.Sprintf("what is %d?", i+1)}
	}
	return qs
}

// collect asks, and gives the answers by query.
func collect(t *testing.T, ctx context.Context, r Retriever, queries []corpus.Query, depth int) (map[string]Answer, error) {
	t.Helper()
	answers := map[string]Answer{}
	busy := make(chan struct{}, 1)
	err := r.Ask(ctx, queries, depth, func(a Answer) error {
		select {
		case busy <- struct{}{}:
			defer func() { <-busy }()
		default:
			t.Error("two answers at a time")
		}
		if _, again := answers[a.QueryID]; again {
			t.Errorf("%s is answered twice", a.QueryID)
		}
		if (a.Err == "") != (a.Ranking != nil) || strings.ContainsAny(a.Err, "\n\r\x1b") {
			t.Errorf("%+v", a)
		}
		if !slices.IsSortedFunc(a.Ranking, corpus.CompareHits) {
			t.Errorf("not in order: %v", a.Ranking)
		}
		answers[a.QueryID] = a
		return nil
	})
	return answers, err
}

func ids(a Answer) string {
	var s []string
	for _, h := range a.Ranking {
		s = append(s, h.ChunkID)
	}
	return strings.Join(s, " ")
}

func TestExecAsks(t *testing.T) {
	for _, window := range []int{0, 1, 7, 1000} {
		e := command("echo")
		e.Window = window
		e.Warn = func(w string) { t.Errorf("warns: %s", w) }
		answers, err := collect(t, t.Context(), e, some(50), 10)
		if err != nil || len(answers) != 50 {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		for id, a := range answers {
			if ids(a) != id+"-1 "+id+"-10" || a.Latency <= 0 || a.Attempts != 1 || a.Err != "" {
				t.Errorf("%+v", a)
			}
		}
	}
	if answers, err := collect(t, t.Context(), command("echo"), nil, 10); err != nil || len(answers) != 0 {
		t.Errorf("nothing asked: %v, %v", answers, err)
	}
}

// What a command gets is one line of JSON whatever the query says, and its own words for the query do.
func TestExecQuestions(t *testing.T) {
	queries := []corpus.Query{
		{ID: "q\"1", Text: "two\nlines \u2028 <b> & \x1b[31m"},
		{ID: "9007199254740993", Text: "Wie?", Language: "de", Turns: []corpus.Turn{{Role: "user", Content: "Hallo"}}},
	}
	answers, err := collect(t, t.Context(), command("repeats the question"), queries, 7)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"q\"1":             `{"query_id":"q\"1","query":"two\nlines \u2028 <b> & \u001b[31m","k":7}` + "\n",
		"9007199254740993": `{"query_id":"9007199254740993","query":"Wie?","k":7,"turns":[{"role":"user","content":"Hallo"}],"language":"de"}` + "\n",
	} {
		if got := ids(answers[id]); got != want {
			t.Errorf("%s", got)
		}
	}
	queries = append(some(3), corpus.Query{ID: "twin", Text: "what is 2?"})
	e := command("by text")
	answers, err = collect(t, t.Context(), e, queries, 7)
	if err != nil || len(answers) != 4 || ids(answers["q2"]) != "b 7" || ids(answers["twin"]) != "b 7" {
		t.Errorf("%v, %v", answers, err)
	}
}

// A command that answers only when it has everything, or does not flush, gets everything; its latencies are not made up.
func TestExecReadsAhead(t *testing.T) {
	e := command("batch")
	e.Timeout = 20 * time.Second / 5
	var warned []string
	e.Warn = func(w string) { warned = append(warned, w) }
	answers, err := collect(t, t.Context(), e, some(2000), 3)
	if err != nil || len(answers) != 2000 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for id, a := range answers {
		if a.Err != "" || ids(a) != id+"-1 "+id+"-3" || a.Latency != 0 {
			t.Fatalf("%+v", a)
		}
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "answered nothing for 1s, so it got all queries at once") {
		t.Errorf("%q", warned)
	}
}

func TestExecInAnyOrder(t *testing.T) {
	e := command("pairs")
	e.Window = 2
	answers, err := collect(t, t.Context(), e, some(20), 3)
	if err != nil || len(answers) != 20 || answers["q20"].Err != "" || ids(answers["q7"]) != "q7-1 q7-3" {
		t.Errorf("%v, %v", answers, err)
	}
}

func TestExecThatEnds(t *testing.T) {
	for name, want := range map[string]string{
		"die":  "the command ended (exit status 3) before it answered: out of ␛[31mmemory",
		"late": "the command ended (exit status 4) before it answered",
	} {
		e := command(name)
		e.Window = 5 // so that it gets everything
		var stderr bytes.Buffer
		e.Stderr = &stderr
		answers, err := collect(t, t.Context(), e, some(2), 3)
		if err != nil || len(answers) != 2 || answers["q1"].Err != "" {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
		if a := answers["q2"]; a.Err != want || a.Ranking != nil || a.Attempts != 1 {
			t.Errorf("%s: %+v", name, a)
		}
		if name == "die" && stderr.String() != "loading\nloaded\nout of ␛[31mmemory\n" {
			t.Errorf("stderr: %q", stderr.String())
		}
	}
	for command, want := range map[string]string{"exit 7": "exit status 7", "no-such-command-here": "(exit status 127) before it answered: ", "kill -9 $$": "signal: killed"} {
		answers, err := collect(t, t.Context(), Exec{Command: command}, some(3), 3)
		if err != nil || len(answers) != 3 || !strings.Contains(answers["q1"].Err, want) || answers["q3"].Attempts != 0 {
			t.Errorf("%s: %v, %v", command, answers, err)
		}
	}
	var warned []string
	e := command("unhappy")
	e.Warn = func(w string) { warned = append(warned, w) }
	if answers, err := collect(t, t.Context(), e, some(3), 3); err != nil || answers["q3"].Err != "" || fmt.Sprint(warned) != "[the command answered everything, then ended (exit status 5)]" {
		t.Errorf("%v %q, %v", answers, warned, err)
	}
}

// B080: what never answers is stopped, and says so once for the query and once for the rest.
func TestB080ExecThatNeverAnswers(t *testing.T) {
	big := some(6)
	big[2].Text = strings.Repeat("more than a pipe holds ", 10_000)
	for _, name := range []string{"deaf", "flood"} {
		var warned []string
		e := command(name)
		e.Warn = func(w string) { warned = append(warned, w) }
		e.Timeout = 400 * time.Millisecond
		answers, err := collect(t, t.Context(), e, big, 3)
		if err != nil || len(answers) != 6 {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
		for i, q := range big {
			want, attempts := "the command did not answer within 400ms and was stopped", 1
			if i > maxSilent {
				want, attempts = "not asked: the command was stopped, for it did not answer query q4 within 400ms", 0
			}
			if a := answers[q.ID]; a.Err != want || a.Attempts != attempts {
				t.Errorf("%s: %+v", name, a)
			}
		}
		if len(warned) != maxSilent || warned[2] != "the command did not answer query q3 within 400ms and was stopped; it is started again" {
			t.Errorf("%s: %q", name, warned)
		}
	}
}

// Nothing fills up and blocks the other side.
func TestExecDoesNotDeadlock(t *testing.T) {
	big := some(6)
	for i := range big {
		big[i].Text = strings.Repeat(fmt.Sprintf("%d is more than a pipe holds ", i), 4_000)
	}
	for _, name := range []string{"loud", "talks first", "lingers"} {
		e := command(name)
		e.Window = 3
		if name == "lingers" {
			e.grace = 100 * time.Millisecond
		}
		answers, err := collect(t, t.Context(), e, big, 3)
		if err != nil || len(answers) != 6 || answers["q6"].Err != "" {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
	}
	e := command("closes")
	e.grace = 100 * time.Millisecond
	answers, err := collect(t, t.Context(), e, big, 3)
	closed := 0
	for _, a := range answers {
		if a.Err == "the command ended (it closed its output) before it answered" {
			closed++
		}
	}
	if err != nil || answers["q1"].Err != "" || len(answers) != 6 || closed == 0 {
		t.Errorf("%v, %v", answers, err)
	}
}

func TestExecJunk(t *testing.T) {
	var warned []string
	e := command("junk")
	e.Warn = func(w string) { warned = append(warned, w) }
	answers, err := collect(t, t.Context(), e, some(3), 3)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%v, %v", answers, err)
	}
	for id, a := range answers {
		if ids(a) != id+"-1 "+id+"-3" {
			t.Errorf("%+v", a)
		}
	}
	want := []string{
		"5 lines of the command are no answers, the first in line 1: not JSON at byte 1: invalid character '\\x1b' looking for beginning of value: ␛[2Jhello",
		"4 lines of the command are about queries that were not asked, the first in line 3: q2",
		"3 lines of the command answer a query again and are left out, the first in line ",
	}
	if len(warned) != len(want) {
		t.Fatalf("%q", warned)
	}
	for i := range want {
		if !strings.HasPrefix(warned[i], want[i]) {
			t.Errorf("%q", warned[i])
		}
	}
}

func TestExecFaults(t *testing.T) {
	answers, err := collect(t, t.Context(), command("faulty"), some(11), 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"no ␛[31mindex␤here", `{"code":7}`, "the command says that it failed, and not why", "chunks: want a list, not a string", `chunks: hit 1: score "nan" can't be ordered`,
		`chunks: hit 1: score "1e400" is beyond what a float64 holds`, "a score is infinite", "chunks: hit 1: the id is empty", "there are no chunks", "",
		strings.Repeat("é", maxFault/2) + "…",
	} {
		if a := answers[fmt.Sprintf("q%d", i+1)]; a.Err != want || a.Attempts != 1 {
			t.Errorf("%d: %+v", i+1, a)
		}
	}
}

func TestExecCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var came []string
	err := command("mute").Ask(ctx, some(5), 3, func(a Answer) error {
		came = append(came, a.QueryID+a.Err)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || fmt.Sprint(came) != "[q1]" {
		t.Errorf("%v, %v", came, err)
	}
	if answers, err := collect(t, ctx, command("echo"), some(5), 3); !errors.Is(err, context.Canceled) || len(answers) != 0 {
		t.Errorf("%v, %v", answers, err)
	}
	full := errors.New("the disk is full")
	n := 0
	if err := command("echo").Ask(t.Context(), some(5), 3, func(Answer) error { n++; return full }); err != full || n != 1 {
		t.Errorf("%d answers after one was refused, %v", n, err)
	}
}

// All that a command starts ends with it, whether it is stopped or leaves by itself.
func TestExecLeavesNothingRunning(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, leave := range []string{"", "1"} {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				gone <- err
				return
			}
			defer conn.Close()
			io.ReadFull(conn, make([]byte, 1))
			cancel() // it runs
			_, err = conn.Read(make([]byte, 1))
			gone <- err
		}()
		answers, err := collect(t, ctx, command("child", "CALL="+l.Addr().String(), "LEAVE="+leave), some(2), 3)
		if leave == "" {
			if !errors.Is(err, context.Canceled) || len(answers) != 0 {
				t.Errorf("%v, %v", answers, err)
			}
			if err := <-gone; err == nil {
				t.Error("the child still talks")
			}
		} else if err == nil && !strings.Contains(answers["q2"].Err, "exit status 6") {
			t.Errorf("%v", answers)
		}
		cancel()
		if leave != "" {
			l.Close() // the child may have ended before it called
			<-gone
		}
	}
}

func TestExecSettings(t *testing.T) {
	for _, e := range []Exec{{}, {Command: " \n"}, {Command: "a\x00b"}, {Command: "a", Timeout: -1}, {Command: "a", Window: -1}} {
		if e.Check() == nil || e.Ask(t.Context(), some(1), 1, nil) == nil {
			t.Errorf("%+v is fine", e)
		}
	}
	for _, qs := range [][]corpus.Query{{{Text: "no id"}}, {{ID: "q1"}, {ID: "q1"}}, {{ID: "\xff"}}} {
		if err := command("echo").Ask(t.Context(), qs, 1, nil); err == nil {
			t.Errorf("%v are asked", qs)
		}
	}
	if err := command("echo").Ask(t.Context(), some(1), 0, nil); err == nil {
		t.Error("no chunks are asked for")
	}
	e := command("echo")
	e.Dir = t.TempDir() + "/missing"
	if err := e.Ask(t.Context(), some(1), 1, nil); err == nil || !strings.Contains(err.Error(), "start the command") {
		t.Error(err)
	}
	e.Dir = t.TempDir()
	e.Command = `test "$PWD" = '` + e.Dir + `' && ` + e.Command
	if answers, err := collect(t, t.Context(), e, some(1), 1); err != nil || answers["q1"].Err != "" {
		t.Errorf("%v, %v", answers, err)
	}
}

// A line is about a query or it is refused; its ranking is in order, its words are safe to show.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"query_id":"q1","chunks":["a","b"]}`, `{"query":"q","chunks":[{"id":1,"score":2}]}`, `{"qid":7,"error":"x\u001b"}`, `{"query":"q","chunks":[{"id":"a","score":"inf"}]}`,
		`[`, `{"query":"q","chunks":` + strings.Repeat("[", 100), "{\"query\":\"\xff\"}", `{"query":"q","hits":[{"id":"a","score":1e999}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseLine(line)
		if err != nil {
			if r.query != "" || r.ranking != nil {
				t.Errorf("%+v, %v", r, err)
			}
			return
		}
		checkFuzzed(t, r.ranking, r.fault)
	})
}

func checkFuzzed(t *testing.T, ranking corpus.Ranking, fault string) {
	t.Helper()
	if (fault == "") != (ranking != nil) || len(fault) > 4*maxFault || fault != oneLine(fault, len(fault)) {
		t.Errorf("%v %q", ranking, fault)
	}
	for _, h := range ranking {
		if corpus.CheckID(h.ChunkID) != nil || h.Score-h.Score != 0 {
			t.Errorf("%+v", h)
		}
	}
	if !slices.IsSortedFunc(ranking, corpus.CompareHits) {
		t.Errorf("not in order: %v", ranking)
	}
}
