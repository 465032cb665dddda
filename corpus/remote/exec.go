package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/corpus"
)

// Exec asks a command: one process answers all queries. It is started through the shell, reads a query a line from its
// standard input,
//
//	{"query_id", "query", "k"}, and "turns" and "language" where the query has them
//
// and writes a ranking a line to its standard output, in any order, flushed:
//
//	{"query_id", "chunks": [ids, best first]} or {"query_id", "chunks": [{"id", "score"}]} or {"query_id", "error"}
//
// The query's text as "query" does instead of its id. A query is written when the one before was answered, so that the
// latency is its own. A command that answers nothing for a quarter of the timeout is taken for one that reads ahead or
// does not flush: everything is written to it and its input is closed. Such answers count; their latency is not known.
//
// Where no answer comes for the timeout, the query that waits the longest fails, the command is stopped, and started
// again for the others. So it is where it ends before it answered everything, unless it never answered at all: it can't
// be run then. After maxSilent starts without an answer all that is left fails.
type Exec struct {
	Command string
	Dir     string        // "" for the current one
	Env     []string      // "NAME=value"; nil for this process's own
	Timeout time.Duration // for the next answer to come; 0 for DefaultTimeout
	Window  int           // how many queries are in flight at once; 0 for 1. Latencies then hold their waiting
	Stderr  io.Writer     // gets what the command writes there, line by line, made safe to show; may be nil
	Warn    func(string)  // gets what is odd but costs no query its answer, one line each; may be nil

	grace time.Duration // 0 for the constant of that name
}

// maxFault is how much is kept of what a retriever says about its failure, in bytes.
const maxFault = 300

// Check says what is wrong with the settings.
func (e Exec) Check() error {
	switch {
	case strings.TrimSpace(e.Command) == "":
		return errors.New("the command is empty")
	case strings.IndexByte(e.Command, 0) >= 0:
		return errors.New("the command has a NUL in it")
	case e.Timeout < 0 || e.Window < 0:
		return errors.New("timeout and window can't be negative")
	}
	return nil
}

// Ask runs the command. See Retriever.
func (e Exec) Ask(ctx context.Context, queries []corpus.Query, depth int, answered func(Answer) error) error {
	if err := e.Check(); err != nil {
		return err
	}
	if err := checkQueries(queries, depth); err != nil {
		return err
	}
	if len(queries) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if e.Timeout == 0 {
		e.Timeout = DefaultTimeout
	}
	t := &talk{queries: queries, depth: depth, answered: answered, window: max(e.Window, 1), timeout: e.Timeout, byID: map[string]int{}, byText: map[string][]int{}}
	t.asked = make([]asked, len(queries))
	for i := range queries {
		t.byID[queries[i].ID] = i
		t.byText[queries[i].Text] = append(t.byText[queries[i].Text], i)
		t.waiting = append(t.waiting, i)
	}
	err := t.askAll(ctx, e)
	if e.Warn != nil {
		for _, w := range t.warnings() {
			e.Warn(w)
		}
	}
	return err
}

// talk is what was said between a command, however often it was started, and us.
type talk struct {
	queries  []corpus.Query
	depth    int
	answered func(Answer) error
	window   int
	timeout  time.Duration

	byID   map[string]int
	byText map[string][]int
	asked  []asked
	done   int // queries that have an answer, or failed
	heard  int // answers that the command gave
	late   int // of these, how many came when everything was written at once

	// Of the process at hand:
	waiting  []int // queries that were not written, in their order
	flying   []int // queries that were written and have no answer, the oldest first
	ahead    bool  // everything is written at once
	timedOut bool

	suspects int // of those waiting, the first: one of them may have ended the process before, so they are asked one by one
	silent   int // starts in a row without an answer
	restarts int

	junk, strange, repeated oddity
	deeper                  int    // answers with more chunks than were asked for
	unhappy                 string // what went wrong after the last answer
}

type asked struct {
	at       time.Time
	written  bool // to the process at hand
	answered bool
	untimed  bool
}

// oddity counts lines that are no answers, and keeps the first.
type oddity struct {
	n     int
	first string
}

func (o *oddity) add(format string, args ...any) {
	if o.n++; o.n == 1 {
		o.first = fmt.Sprintf(format, args...)
	}
}

// run asks until each query has its answer, the command ends or is stopped because nothing comes. The error is the
// context's or the receiver's.
func (t *talk) run(ctx context.Context, p *process) error {
	pause := t.timeout / 4
	quiet := time.NewTimer(pause)
	defer quiet.Stop()
	var line []byte
	for t.done < len(t.queries) {
		var feed chan<- []byte
		if len(t.waiting) > 0 && (t.ahead || len(t.flying) < t.inFlight()) {
			if line == nil {
				var err error
				if line, err = questionLine(t.queries[t.waiting[0]], t.depth); err != nil {
					return err
				}
			}
			feed = p.feed
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case feed <- line:
			line = nil
			i := t.waiting[0]
			t.asked[i] = asked{at: time.Now(), written: true, untimed: t.ahead}
			t.flying = append(t.flying, i)
			if t.waiting = t.waiting[1:]; len(t.waiting) == 0 {
				p.endFeed()
			}
		case l, open := <-p.lines:
			if !open {
				return nil
			}
			before := t.done
			if err := t.hear(l); err != nil {
				return err
			}
			if t.done > before {
				quiet.Reset(t.untilQuiet(pause))
			}
		case <-quiet.C:
			if t.ahead {
				t.timedOut = true
				p.stop()
				return nil
			}
			t.readAhead()
			quiet.Reset(t.timeout - pause)
		}
	}
	return t.hearOut(ctx, p)
}

// inFlight is how many queries may be at once.
func (t *talk) inFlight() int {
	if t.suspects > 0 {
		return 1
	}
	return t.window
}

func (t *talk) untilQuiet(pause time.Duration) time.Duration {
	if t.ahead {
		return t.timeout
	}
	return pause
}

// readAhead stops waiting for one answer before the next query.
func (t *talk) readAhead() {
	t.ahead = true
	for _, i := range t.flying {
		t.asked[i].untimed = true
	}
}

// hearOut reads what a command says that has said all it was asked, until it ends, or stops it after a while.
func (t *talk) hearOut(ctx context.Context, p *process) error {
	p.endFeed()
	enough := time.After(p.grace)
	for {
		select {
		case <-ctx.Done():
			return nil // every answer is there
		case <-enough:
			p.stop()
			return nil
		case l, open := <-p.lines:
			if !open {
				return nil
			}
			if err := t.hear(l); err != nil {
				return err
			}
		}
	}
}

// hear takes a line of the command's output.
func (t *talk) hear(l outLine) error {
	if l.text == nil {
		t.junk.add("line %d: longer than %d bytes", l.number, MaxReply)
		return nil
	}
	r, err := parseLine(l.text)
	if err != nil {
		t.junk.add("line %d: %s: %s", l.number, oneLine(err.Error(), maxFault), oneLine(string(l.text), 80))
		return nil
	}
	i, known := t.find(r.query)
	switch {
	case known && t.asked[i].answered:
		t.repeated.add("line %d: %s", l.number, oneLine(r.query, 80))
		return nil
	case !known || !t.asked[i].written:
		t.strange.add("line %d: %s", l.number, oneLine(r.query, 80))
		return nil
	}
	a := Answer{QueryID: t.queries[i].ID, Ranking: cut(r.ranking, t.depth), Err: r.fault, Attempts: 1}
	if len(r.ranking) > t.depth {
		t.deeper++
	}
	if t.heard++; t.asked[i].untimed {
		t.late++
	} else {
		a.Latency = max(l.at.Sub(t.asked[i].at), 1)
	}
	t.suspects = max(0, t.suspects-1)
	t.flying = slices.DeleteFunc(t.flying, func(j int) bool { return j == i })
	return t.answer(i, a)
}

func (t *talk) answer(i int, a Answer) error {
	t.asked[i].answered = true
	t.done++
	return t.answered(a)
}

// find is the query that a line names by its id, or by its text: of several with the same, the first in flight.
func (t *talk) find(name string) (int, bool) {
	if i, ok := t.byID[name]; ok {
		return i, true
	}
	same := t.byText[name]
	for _, i := range same {
		if !t.asked[i].answered {
			return i, true
		}
	}
	if len(same) > 0 {
		return same[0], true // the line repeats an answer
	}
	return 0, false
}

// warnings are the oddities of the talk.
func (t *talk) warnings() []string {
	var all []string
	add := func(o oddity, one, many string) {
		if o.n == 1 {
			all = append(all, fmt.Sprintf("1 line of the command %s, %s", one, o.first))
		} else if o.n > 1 {
			all = append(all, fmt.Sprintf("%d lines of the command %s, the first in %s", o.n, many, o.first))
		}
	}
	add(t.junk, "is no answer", "are no answers")
	add(t.strange, "is about a query that was not asked", "are about queries that were not asked")
	add(t.repeated, "answers a query again and is left out", "answer a query again and are left out")
	if more := t.restarts - maxSaid; more > 0 {
		all = append(all, fmt.Sprintf("the command was started again %d more times", more))
	}
	if t.deeper > 0 {
		all = append(all, tooDeep(t.deeper, t.depth))
	}
	if t.unhappy != "" {
		all = append(all, t.unhappy)
	}
	if t.late > 0 {
		all = append(all, fmt.Sprintf("the command answered nothing for %v, so it got all queries at once: their latency is not known; let it flush each line", t.timeout/4))
	}
	return all
}
