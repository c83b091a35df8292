// Package cage keeps what a script can reach to what it was given: the files that it may read
// and write, and the network or not.
//
//	err := cage.Rules{Read: cage.System(), Write: []string{dir}}.Do(func() error { … })
//
// The rules hold for what the function itself does and for all processes that it starts, for
// ever: nothing takes them off again, and what such a process starts is under them too.
//
// On Linux the kernel keeps them, by Landlock and seccomp. Other systems have nothing that does
// the same without a privilege; there [Available] says so, and nothing is run.
//
// What the rules do not cover: names, sizes, times and permissions of files can be looked at
// everywhere, and the times and permissions of those of the same user can be changed.
package cage

import "errors"

// Rules say what may be reached. The zero value is next to nothing.
type Rules struct {
	// Read are files and folders, with all below, that may be read and executed. One that is
	// not there is left out.
	Read []string
	// Write are those that may be changed as well; files may be made and removed in the
	// folders. One that is not there is an error.
	Write []string
	// Network allows the internet protocols. Sockets of other kinds are never allowed: those of
	// the machine lead to programs that are not caged, such as a container service.
	Network bool
}

// ErrUnavailable is why nothing can be caged here. Errors of [Available] are that.
var ErrUnavailable = errors.New("this system cannot cage processes")

// Do runs f under the rules and returns its error. If they cannot be kept, f does not run.
func (r Rules) Do(f func() error) error {
	release, err := r.Run(f)
	release()
	return err
}
