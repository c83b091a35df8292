// Package fswatch reports what happens to files and folders, and on systems that keep the order
// of events it can say that nothing has happened.
//
// On Linux it reads inotify itself. There the kernel queues an event before the system call that
// caused it returns, so whoever reads the queue until it is empty knows of every change that was
// complete before. A library that reads the queue in a goroutine of its own cannot say that.
// Elsewhere it is fsnotify, whose reports may come after a look at the files.
package fswatch

import "errors"

// An Interest is what is reported of a path.
type Interest uint8

const (
	// Contents of a folder, or of a file: whatever happens to it or to a file in it.
	Contents Interest = 1 << iota
	// Names in a folder: one of them appears or disappears.
	Names
	// Itself is the path alone, a symbolic link and not what it leads to: it is moved, removed,
	// or gets other attributes.
	Itself
)

// An Event is what happened at a path that is watched.
type Event struct {
	Path string   // as it was given to Add; empty where events were lost, so that anything may have happened
	Name string   // of the entry of the folder; empty for the path itself
	What Interest // that was given to Add
}

// ErrFar is the error of Add for a path on a file system whose changes the system may not know of,
// such as one of another machine.
var ErrRemote = errors.New("a file system that does not report all changes")
