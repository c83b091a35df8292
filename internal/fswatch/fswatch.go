// Package fswatch reports what happens to files and folders, and on systems that keep the order of
// events it can guarantee that nothing has happened.
//
// On Linux it reads inotify directly: the kernel queues an event before the system call that caused
// it returns, so a caller that reads the queue until it is empty has seen every change that was
// complete before. A library that reads the queue in its own goroutine cannot guarantee that. On
// other systems it uses fsnotify, whose events may arrive after the files have been read.
package fswatch

import "errors"

// An Interest is a set of the changes of a path that are reported.
type Interest uint8

const (
	// Contents of a folder or a file: any change of it, or of a file in it.
	Contents Interest = 1 << iota
	// Names in a folder: an entry appears or disappears.
	Names
	// Itself is the path alone, a symbolic link and not its target: it is moved or removed.
	Itself
	// Mode is about the path alone too: its permissions or its other names change. The system has to
	// mark every file in a folder for it.
	Mode
)

// Inside reports whether changes in a folder are reported, and not only those of the path alone.
func (what Interest) Inside() bool { return what&(Contents|Names) != 0 }

// An Event is a change at a watched path.
type Event struct {
	Path string   // as it was passed to Add; empty if events were lost, so that anything may have happened
	Name string   // of the entry of the folder; empty for the path itself
	What Interest // that was passed to Add
}

// ErrRemote is the error of CheckLocal for a path on a file system that may change without the system's
// knowledge, such as a network file system.
var ErrRemote = errors.New("a file system that does not report all changes")
