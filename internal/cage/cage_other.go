//go:build !linux

package cage

import "fmt"

// Available returns an error: Windows and macOS offer nothing that a program can use without a
// privilege or a signature of its own.
func Available() error {
	return fmt.Errorf("%w: only Linux, from 6.2 on, has what it takes", ErrUnavailable)
}

// KeepsSignals returns false on this system.
func KeepsSignals() bool { return false }

// Run returns an error without running f.
func (r Rules) Run(f func() error) (release func(), err error) { return func() {}, Available() }

// Hide does nothing on this system.
func Hide() error { return nil }
