//go:build !linux

package cage

import "fmt"

// Available reports whether processes can be caged here: nil, or why not. Windows and macOS have
// nothing that a program can ask for without a privilege or a signature of its own.
func Available() error {
	return fmt.Errorf("%w: only Linux, from 6.2 on, has what it takes", ErrUnavailable)
}

// KeepsSignals is false.
func KeepsSignals() bool { return false }

// Run is an error, and f does not run.
func (r Rules) Run(f func() error) (release func(), err error) { return func() {}, Available() }

// Hide does nothing on this system.
func Hide() error { return nil }
