//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// shell runs a command line in a group of its own, so that whatever it starts can be stopped with it.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
