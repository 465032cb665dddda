// Command assay builds gold sets for retrieval: see "assay guide".
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"assay/cmd/assay/internal/early"
)

// version is what "assay version" prints; a release build sets it with -ldflags.
var version = "0.1.0-dev"

func main() {
	early.Restore()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, process{
		args:   os.Args[1:],
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		now:    time.Now,
	})
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
}
