package remote

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// grace is how long a command may take to end once nothing is expected of it, and its pipes to close once it ended.
const grace = 2 * time.Second

// process is a running command with its pipes. Everything that waits for it ends when it is stopped.
type process struct {
	cmd   *exec.Cmd
	feed  chan []byte   // lines for its input; closed where there are no more
	lines chan outLine  // of its output; closed at the end
	ended chan struct{} // closed when it has ended, and all that it started

	grace   time.Duration
	stopped chan struct{}
	stop    func() // kills all of it; again does nothing
	endFeed func() // closes feed; again does nothing
	pipes   sync.WaitGroup

	mu     sync.Mutex
	reaped bool   // its process id may be another's by now
	last   string // line on standard error
}

// outLine is a line of a command's output.
type outLine struct {
	number int
	text   []byte // nil where it is longer than MaxReply
	at     time.Time
}

// start runs the command. What it writes to standard error goes to errs. The caller must call finish.
func start(e Exec, errs *complaints) (*process, error) {
	p := &process{
		cmd:  shell(e.Command),
		feed: make(chan []byte), lines: make(chan outLine), ended: make(chan struct{}), stopped: make(chan struct{}),
		grace: e.grace,
	}
	setDefault(&p.grace, grace)
	p.cmd.Dir, p.cmd.Env = e.Dir, e.Env
	ours, theirs, err := openPipes()
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
		if err = p.cmd.Start(); err != nil {
			closeAll(ours)
		}
		closeAll(theirs)
	}
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	p.endFeed = sync.OnceFunc(func() { close(p.feed) })
	p.stop = sync.OnceFunc(func() {
		close(p.stopped)
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.reaped {
			killGroup(p.cmd)
		}
	})
	in, out, stderr := ours[0], ours[1], ours[2]
	var readers sync.WaitGroup
	readers.Go(func() { p.read(out) })
	readers.Go(func() { p.listen(stderr, errs) })
	p.pipes.Go(func() { p.write(in) })
	p.pipes.Go(func() {
		_ = p.cmd.Wait() // its state says as much
		p.mu.Lock()
		killGroup(p.cmd) // what it left running may hold the pipes
		p.reaped = true
		p.mu.Unlock()
		read := make(chan struct{})
		go func() { readers.Wait(); close(read) }()
		select {
		case <-read:
		case <-time.After(p.grace): // something got away with them
			closeAll(ours)
			<-read
		}
		closeAll(ours)
		close(p.ended)
	})
	return p, nil
}

// openPipes are our ends and the command's of its input, output and standard error.
func openPipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return ours, theirs, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	return ours, theirs, nil
}

func closeAll(files [3]*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// write hands the fed lines to the command. One that does not read them any more ends or is stopped: that is seen elsewhere.
func (p *process) write(in *os.File) {
	defer in.Close()
	for line := range p.feed {
		if _, err := in.Write(line); err != nil {
			break
		}
	}
	for range p.feed {
	}
}

// read takes the command's output apart. Lines nobody waits for any more are dropped, so that it can end.
func (p *process) read(out io.Reader) {
	defer close(p.lines)
	in := bufio.NewReaderSize(out, 64<<10)
	for n := 1; ; n++ {
		text, long, err := nextLine(in)
		if len(text) > 0 || long {
			l := outLine{n, text, time.Now()}
			if long {
				l.text = nil
			}
			select {
			case p.lines <- l:
			case <-p.stopped:
			}
		}
		if err != nil {
			return
		}
	}
}

// nextLine is the next line without its end and without space around it.
func nextLine(in *bufio.Reader) (text []byte, long bool, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || len(text)+len(piece) > MaxReply; !long {
			text = append(text, piece...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(text), long, err
		}
	}
}

// listen passes on what the command writes to standard error, and remembers the last line.
func (p *process) listen(stderr io.Reader, errs *complaints) {
	s := bufio.NewScanner(stderr)
	s.Split(splitLoosely)
	for s.Scan() {
		line := oneLine(s.Text(), maxComplaint)
		if line == "" {
			continue
		}
		p.mu.Lock()
		p.last = line
		p.mu.Unlock()
		errs.pass(line)
	}
	io.Copy(io.Discard, stderr)
}

// complaints passes on what a command writes to standard error, the first maxComplaints lines however often it is
// started, and counts the rest: a loop that complains would fill the log of a build. It is for one process at a time.
type complaints struct {
	to io.Writer // may be nil
	n  int
}

const maxComplaints = 200

func (c *complaints) pass(line string) {
	if c.n++; c.to != nil && c.n <= maxComplaints {
		fmt.Fprintln(c.to, line)
	}
}

// end says how much was not passed on.
func (c *complaints) end() {
	switch more := c.n - maxComplaints; {
	case c.to == nil || more < 1:
	case more == 1:
		fmt.Fprintln(c.to, "… 1 more line")
	default:
		fmt.Fprintf(c.to, "… %d more lines\n", more)
	}
}

const maxComplaint = 4 << 10

// splitLoosely splits at line ends of any kind, which progress bars use, and where a line gets too long.
func splitLoosely(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 && i <= maxComplaint {
		return i + 1, data[:i], nil
	}
	if len(data) > maxComplaint {
		return maxComplaint, data[:maxComplaint], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func (p *process) lastComplaint() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// finish waits for the command to end by itself for a while, then stops it. No goroutine is left after it.
func (p *process) finish() {
	p.endFeed()
	select {
	case <-p.ended:
	case <-p.stopped:
	case <-time.After(p.grace):
		p.stop()
	}
	<-p.ended
	p.pipes.Wait()
}

// stoppedByUs reports whether the command did not end by itself.
func (p *process) stoppedByUs() bool {
	select {
	case <-p.stopped:
		return true
	default:
		return false
	}
}

// how says how the command ended, after finish: "exit status 1".
func (p *process) how() string {
	if p.stoppedByUs() {
		return "it closed its output"
	}
	return p.cmd.ProcessState.String()
}
