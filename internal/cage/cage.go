// Package cage restricts what a script can reach: the files that it may read and write, and the
// network.
//
//	err := cage.Rules{Read: cage.System(), Write: []string{dir}}.Do(func() error { … })
//
// The rules apply to the function itself and to all processes that it starts, and their
// descendants. They cannot be lifted.
//
// On Linux the kernel enforces them, with Landlock and seccomp. Other systems have nothing
// equivalent that needs no privilege; there [Available] returns an error, and nothing is run.
//
// The rules do not keep names, sizes, times and permissions of files from being read.
package cage

import "errors"

// Rules list what may be reached. The zero value allows next to nothing.
type Rules struct {
	// Read lists files, and folders with everything below, that may be read and executed. Paths
	// that do not exist are ignored.
	Read []string
	// Write lists those that may be changed as well; files may be created and removed in
	// the folders. A path that does not exist is an error.
	Write []string
	// Network allows the internet protocols. Other kinds of sockets are never allowed: Unix
	// sockets lead to programs that are not caged, such as a container service.
	Network bool
	// Attributes allows to change permissions, owners, times and extended attributes of all files of the
	// user, which the kernel cannot restrict to some folders. Without it, changes of permissions, owners and
	// times have no effect, and those of others fail.
	Attributes bool
}

// ErrUnavailable is wrapped by the errors of [Available]: processes cannot be caged on this system.
var ErrUnavailable = errors.New("this system cannot cage processes")

// Do runs f under the rules and returns its error. If the rules cannot be enforced, f does not run.
func (r Rules) Do(f func() error) error {
	release, err := r.Run(f)
	release()
	return err
}
