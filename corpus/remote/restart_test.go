package remote

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// One query that hangs, or brings the command down, costs its own answer and no other.
func TestExecGoesOnAfterAStop(t *testing.T) {
	for _, c := range []struct{ env, bad, err, warning string }{
		{"DIE", "q3 q7", "the command ended (exit status 3) before it answered: no memory for ", "the command ended (exit status 3) before it answered query q3; it is started again"},
		{"HANG", "q3 q4", "the command did not answer within 2s and was stopped", "the command did not answer query q3 within 2s and was stopped; it is started again"},
	} {
		for _, window := range []int{1, 3} {
			bad := strings.Fields(c.bad)
			var warned []string
			e := command("stumbles", c.env+"="+c.bad)
			e.Window, e.Timeout = window, 2*time.Second
			e.Warn = func(w string) { warned = append(warned, w) }
			answers, err := collect(t, t.Context(), e, some(8), 3)
			if err != nil || len(answers) != 8 {
				t.Fatalf("%s %d: %v, %v", c.env, window, answers, err)
			}
			for id, a := range answers {
				failed := slices.Contains(bad, id)
				if (a.Err != "") != failed || a.Attempts != 1 || failed && strings.TrimSuffix(a.Err, id) != c.err {
					t.Errorf("%s %d: %+v", c.env, window, a)
				}
			}
			if len(warned) < len(bad) || warned[0] != c.warning {
				t.Errorf("%s %d: %q", c.env, window, warned)
			}
		}
	}
}

// With several queries in flight nobody knows at which the command ended: after it they come one by one.
func TestExecSuspects(t *testing.T) {
	w := &talk{queries: some(6), window: 4, waiting: []int{4, 5}, flying: []int{0, 1, 2, 3}, asked: make([]asked, 6), timedOut: true}
	var got []Answer
	w.answered = func(a Answer) error { got = append(got, a); return nil }
	for i := range 4 {
		w.asked[i].written = true
	}
	if err := w.blame(&process{}); err != nil || len(got) != 1 || got[0].QueryID != "q1" || got[0].Attempts != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if fmt.Sprint(w.waiting, w.flying, w.suspects, w.inFlight(), w.asked[1].written) != "[1 2 3 4 5] [] 3 1 false" {
		t.Errorf("%+v", w)
	}
	w.flying, w.waiting = w.waiting[:1], w.waiting[1:]
	if err := w.blame(&process{cmd: shell("")}); err != nil || w.suspects != 2 || len(got) != 2 {
		t.Errorf("%+v, %v", w, err)
	}
	if w.suspects = 0; w.inFlight() != 4 {
		t.Error("the window stays shut")
	}
	w.waiting, w.flying = []int{4, 5}, nil // it ended between two queries
	if err := w.blame(&process{cmd: shell("")}); err != nil || len(got) != 2 || len(w.waiting) != 2 || w.suspects != 0 {
		t.Errorf("%+v, %v", w, err)
	}
}

// Restarts without an answer in between are bounded, and so is what is said about them.
func TestExecStopsInTheEnd(t *testing.T) {
	var warned []string
	e := command("stumbles", "DIE=q2 q3 q4 q5 q6 q7 q8")
	e.Warn = func(w string) { warned = append(warned, w) }
	answers, err := collect(t, t.Context(), e, some(9), 3)
	if err != nil || len(answers) != 9 || answers["q1"].Err != "" {
		t.Fatalf("%v, %v", answers, err)
	}
	if len(warned) != maxSilent || answers["q5"].Attempts != 1 || answers["q6"].Attempts != 0 || answers["q9"].Err != answers["q5"].Err {
		t.Errorf("%q %+v", warned, answers)
	}
	warned = nil
	e.Env = command("stumbles", "DIE=q2 q4 q6 q8 q10 q12 q14 q16").Env
	answers, err = collect(t, t.Context(), e, some(17), 3)
	failed := 0
	for _, a := range answers {
		if a.Err != "" {
			failed++
		}
	}
	if err != nil || failed != 8 || len(warned) != maxSaid+1 || warned[maxSaid] != "the command was started again 3 more times" {
		t.Errorf("%d failed, %q, %v", failed, warned, err)
	}
}

func TestExecCutsAtTheDepth(t *testing.T) {
	for depth, want := range map[int]string{1: "a", 2: "a b", 3: "a b c", 9: "a b c"} {
		var warned []string
		e := command("deep")
		e.Warn = func(w string) { warned = append(warned, w) }
		answers, err := collect(t, t.Context(), e, some(2), depth)
		if a := answers["q2"]; err != nil || ids(a) != want || cap(a.Ranking) > 3 || depth < 3 && cap(a.Ranking) > depth {
			t.Errorf("%d: %+v, %v", depth, a, err)
		}
		if said := fmt.Sprint(warned); said != "[]" && depth >= 3 || depth < 3 && said != fmt.Sprintf("[more chunks came back for 2 queries than the %d that were asked for: the best %d count]", depth, depth) {
			t.Errorf("%d: %q", depth, warned)
		}
	}
}

// A byte order mark before the first line costs no answer.
func TestExecByteOrderMark(t *testing.T) {
	e := command("marks order")
	e.Warn = func(w string) { t.Errorf("warns: %s", w) }
	if answers, err := collect(t, t.Context(), e, some(3), 3); err != nil || ids(answers["q1"]) != "q1-1 q1-3" {
		t.Errorf("%v, %v", answers, err)
	}
}

func TestExecComplaintsAreBounded(t *testing.T) {
	var stderr bytes.Buffer
	e := command("complains")
	e.Stderr = &stderr
	if _, err := collect(t, t.Context(), e, some(3), 3); err != nil {
		t.Fatal(err)
	}
	if got := stderr.String(); strings.Count(got, "\n") != maxComplaints+1 || !strings.HasSuffix(got, "warning: slow\n… 250 more lines\n") {
		t.Errorf("%d lines, the last %q", strings.Count(got, "\n"), got[max(0, len(got)-60):])
	}
	for n, want := range map[int]string{maxComplaints: "", maxComplaints + 1: "… 1 more line\n"} {
		stderr.Reset()
		c := complaints{to: &stderr, n: n}
		if c.end(); stderr.String() != want {
			t.Errorf("%d lines: %q", n, stderr.String())
		}
	}
}
