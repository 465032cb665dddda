//go:build !unix

package terminal

// CanSuspend is false here.
func CanSuspend() bool { return false }
