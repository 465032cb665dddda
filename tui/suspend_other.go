//go:build !unix

package tui

func canSuspend() bool { return false }
