//go:build unix

package terminal

import "golang.org/x/sys/unix"

// CanSuspend reports whether a shell is there to bring the program back. In the group of a session's leader (started
// by tmux, docker or ssh with a command) the kernel discards the stop signal, and Bubble Tea would wait for ever.
func CanSuspend() bool {
	session, err := unix.Getsid(0)
	return err == nil && unix.Getpgrp() != session
}
