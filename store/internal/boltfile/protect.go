package boltfile

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic or a memory fault that was caught on the way: the file, or what holds it, changed under us.
type PanicError struct{ Value any }

func (e *PanicError) Error() string { return fmt.Sprintf("it can't be read: %v", e.Value) }

// Protect runs fn and turns panics into *PanicError, and so too the faults (SIGBUS, SIGSEGV) that reading a mapped
// file raises where it was cut meanwhile. It covers the calling goroutine only.
func Protect(fn func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if v := recover(); v != nil {
			err = &PanicError{v}
		}
	}()
	return fn()
}
