//go:build !unix

package terminal

import "io"

// Keep does nothing here.
func Keep(io.Reader, io.Writer) (release func()) { return func() {} }
