//go:build unix

package terminal

import (
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
)

// keeperScript waits for a line. "bye" is an ordinary end. Anything else is the beginning of the runtime's last words,
// and no line at all a process that was killed: the terminal is then put back, and the last words are shown where they
// can be read, without what could drive the terminal.
const keeperScript = `trap '' HUP INT QUIT TERM TSTP TTIN TTOU
IFS= read -r first
[ "$first" = bye ] && exit 0
stty "$1" <&1
printf '\033[?1049l\033[?25h\033[?2004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[0m\r\n'
{ printf '%s\n' "$first"; cat; } | LC_ALL=C tr -d '\000-\010\013-\037\177'`

// Keep makes a small shell wait beside the program, to restore the terminal where the program itself can't any more:
// when a goroutine of a library panics, which no recover elsewhere catches, and on SIGKILL. Without a shell there is
// none, which is no reason not to run. The function that it returns says goodbye.
func Keep(in io.Reader, out io.Writer) (release func()) {
	nothing := func() {}
	tty, inFile := in.(*os.File)
	screen, outFile := out.(*os.File)
	if !inFile || !outFile {
		return nothing
	}
	stty := exec.Command("stty", "-g")
	stty.Stdin = tty
	modes, err := stty.Output()
	if err != nil {
		return nothing
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nothing
	}
	defer r.Close()
	keeper := exec.Command("/bin/sh", "-c", keeperScript, "assay-keeper", strings.TrimSpace(string(modes)))
	keeper.Stdin, keeper.Stdout = r, screen
	if err := keeper.Start(); err != nil {
		w.Close()
		return nothing
	}
	// Should this fail, the end of the pipe still tells that the process is gone.
	_ = debug.SetCrashOutput(w, debug.CrashOptions{})
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_, _ = io.WriteString(w, "bye\n")
		_ = w.Close()
		_ = keeper.Wait()
	}
}
