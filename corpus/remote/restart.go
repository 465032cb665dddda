package remote

import (
	"context"
	"fmt"
	"slices"
)

const (
	// maxSilent is how often a command is started again without any answer in between.
	maxSilent = 3
	// maxSaid is how many restarts are said when they happen; the others are counted.
	maxSaid = 5
)

// askAll runs the command, again where it stops in the middle. The error is the context's, the receiver's, or why the
// command can't be started.
func (t *talk) askAll(ctx context.Context, e Exec) error {
	errs := &complaints{to: e.Stderr}
	defer errs.end()
	for {
		p, err := start(e, errs)
		if err != nil {
			return err
		}
		heard := t.heard
		err = t.run(ctx, p)
		if err != nil {
			p.stop()
		}
		p.finish()
		if err != nil {
			return err
		}
		if t.done == len(t.queries) {
			if !p.stoppedByUs() && !p.cmd.ProcessState.Success() {
				t.unhappy = fmt.Sprintf("the command answered everything, then ended (%s)", p.how())
			}
			return nil
		}
		if t.heard > heard {
			t.silent = 0
		}
		if t.silent == maxSilent || t.heard == 0 && !t.timedOut {
			return t.failRest(p)
		}
		t.silent++
		said := t.stopped(p)
		if err := t.blame(p); err != nil || t.done == len(t.queries) {
			return err
		}
		if t.restarts++; t.restarts <= maxSaid && e.Warn != nil {
			e.Warn(said + "; it is started again")
		}
	}
}

// oldest is the query that waits the longest.
func (t *talk) oldest() int {
	if len(t.flying) > 0 {
		return t.flying[0]
	}
	return t.waiting[0]
}

// blame fails the query that waited the longest when the command stopped, and makes all others wait for the next start.
func (t *talk) blame(p *process) error {
	why, flew := t.why(p), len(t.flying)
	left := slices.Concat(t.flying, t.waiting)
	failed := left[:min(flew, 1)]
	left = left[len(failed):]
	for _, i := range left {
		t.asked[i] = asked{}
	}
	t.suspects = max(0, min(max(t.suspects, flew), t.window)-1)
	t.waiting, t.flying, t.ahead, t.timedOut = left, nil, false, false
	for _, i := range failed {
		if err := t.answer(i, Answer{QueryID: t.queries[i].ID, Err: why, Attempts: 1}); err != nil {
			return err
		}
	}
	return nil
}

// stopped says at which query the command stopped.
func (t *talk) stopped(p *process) string {
	id := oneLine(t.queries[t.oldest()].ID, 60)
	if t.timedOut {
		return fmt.Sprintf("the command did not answer query %s within %v and was stopped", id, t.timeout)
	}
	return fmt.Sprintf("the command ended (%s) before it answered query %s", p.how(), id)
}

// why says why the command gave no answer to a query that it got.
func (t *talk) why(p *process) string {
	if t.timedOut {
		return fmt.Sprintf("the command did not answer within %v and was stopped", t.timeout) + complaint(p)
	}
	return fmt.Sprintf("the command ended (%s) before it answered", p.how()) + complaint(p)
}

// complaint is ": " and the last that the command wrote to standard error.
func complaint(p *process) string {
	if last := p.lastComplaint(); last != "" {
		return ": " + oneLine(last, maxFault)
	}
	return ""
}

// failRest answers for the command that ended or was stopped. Of the queries that it got, only the one that waited the
// longest counts as asked: the others may never have been looked at.
func (t *talk) failRest(p *process) error {
	blamed := t.oldest()
	why := t.why(p)
	rest := why
	if t.timedOut {
		rest = fmt.Sprintf("not asked: the command was stopped, for it did not answer query %s within %v", oneLine(t.queries[blamed].ID, 60), t.timeout) + complaint(p)
	}
	for i := range t.queries {
		if t.asked[i].answered {
			continue
		}
		a := Answer{QueryID: t.queries[i].ID, Err: rest}
		if i == blamed && t.asked[i].written {
			a.Err, a.Attempts = why, 1
		}
		if err := t.answer(i, a); err != nil {
			return err
		}
	}
	return nil
}
