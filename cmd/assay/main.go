// Command assay builds gold sets for retrieval: see "assay guide".
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"assay/cmd/assay/internal/early"
)

// version is what "assay version" prints; a release build sets it with -ldflags.
var version = "0.1.0-dev"

// grace is how long a command may take to end after a signal. Most look at their context; a read from a pipe or a prompt
// that nobody answers does not, and what is on disk is whole at any moment.
const grace = time.Second

func main() {
	early.Restore()
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP) // what a command started must not outlive the terminal
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	var screens atomic.Bool
	disarm := context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.Sleep(grace)
		if !screens.Load() {
			report(os.Stderr, ctx.Err())
			os.Exit(exitInterrupted)
		}
	})
	code := run(ctx, process{
		args:   os.Args[1:],
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		now:    time.Now,

		screens: &screens,
	})
	disarm() // stop ends ctx too, and the way out may take longer than the grace
	stop()
	os.Exit(code)
}

// process is what a command sees of the process it runs in.
type process struct {
	args   []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	now    func() time.Time

	screens *atomic.Bool // set while screens are open: they end by themselves, once drafts are saved
}
