package tui

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/terminal"
)

// Run shows the program until the annotator leaves. It returns nil after an ordinary end, else ErrNoTerminal,
// *SignalError, ErrHangup, *UnsavedError, *CrashError or the context's error; the terminal is restored in any case.
func Run(ctx context.Context, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	m, err := newModel(o)
	if err != nil {
		return err
	}
	return run(ctx, o, m)
}

// run shows a model over complete options.
func run(ctx context.Context, o Options, m *model) error {
	var p *tea.Program
	options := []tea.ProgramOption{
		tea.WithAltScreen(),
		tea.WithoutSignalHandler(), // its own knows no SIGHUP and saves nothing
		tea.WithOutput(o.Out),
		tea.WithInput(terminal.Source(o.In, o.Now, func(msg tea.Msg) { p.Send(msg) }, func(v any) tea.Msg { return crashed(v) })),
	}
	if o.Mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	p = tea.NewProgram(m, options...)
	defer terminal.Keep(o.In, o.Out)()

	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Add(1)
	go func() {
		defer watching.Done()
		watch(ctx, o.Signals, done, p.Send)
	}()
	_, err := p.Run()
	close(done)
	watching.Wait()
	return m.outcome(err)
}

// watch turns signals and the context's end into messages until done.
func watch(ctx context.Context, signals <-chan os.Signal, done <-chan struct{}, send func(tea.Msg)) {
	defer func() {
		if r := recover(); r != nil {
			send(crashed(r))
		}
	}()
	cancelled := ctx.Done()
	for {
		select {
		case <-done:
			return
		case s, ok := <-signals:
			if !ok {
				signals = nil
				continue
			}
			send(leaveMsg{err: &SignalError{s}})
		case <-cancelled:
			cancelled = nil
			send(leaveMsg{err: ctx.Err()})
		}
	}
}

// complete fills in what was left out, and refuses where there is no terminal.
func (o Options) complete() (Options, error) {
	if o.Desk == nil || o.Finder == nil {
		return o, errors.New("run the terminal program: no desk or no finder was given")
	}
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if !terminal.Is(o.In) || !terminal.Is(o.Out) {
		return o, ErrNoTerminal
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tick == nil {
		o.Tick = tea.Tick
	}
	if o.Theme == "" || o.Theme == "auto" {
		o.Theme = "dark"
	}
	if o.NoColor {
		o.Theme = "none"
	}
	if o.Start == "" {
		o.Start = Label
	}
	return o, nil
}
