package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progress shows long work: a bar with rate and time left on a terminal, a line every few seconds elsewhere.
type progress struct {
	w      io.Writer
	now    func() time.Time
	tty    bool
	what   string
	mu     sync.Mutex
	start  time.Time
	shown  time.Time
	longer bool // something was shown
}

func (a *app) progress(what string) *progress {
	return &progress{w: a.stderr, now: a.now, tty: isTerminal(a.stderr), what: what, start: a.now()}
}

// at reports how many bytes are done of how many; total 0 means unknown. Cheap enough to call for every row.
func (p *progress) at(done, total int64) { p.show(done, total, bytesText) }

// count is at for things that are counted.
func (p *progress) count(done, total int64) {
	p.show(done, total, func(n int64) string { return fmt.Sprint(n) })
}

func (p *progress) show(done, total int64, amount func(int64) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	every := 3 * time.Second
	if p.tty {
		every = 150 * time.Millisecond
	}
	last := p.shown
	if last.IsZero() {
		last = p.start
	}
	if now.Sub(last) < every {
		return
	}
	p.shown, p.longer = now, true
	elapsed := now.Sub(p.start).Seconds()
	rate := float64(done) / elapsed
	line := fmt.Sprintf("%s %s, %s/s", p.what, amount(done), amount(int64(rate)))
	if total > 0 && rate > 0 {
		share := min(1, float64(done)/float64(total))
		left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
		line = fmt.Sprintf("%s %s %3.0f%%  %s/s  %s left", p.what, bar(share, 20), share*100, amount(int64(rate)), max(left, 0))
	}
	if p.tty {
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// done takes the bar away.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tty && p.longer {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func bar(share float64, width int) string {
	full := int(share*float64(width) + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}
