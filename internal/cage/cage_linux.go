package cage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// oldest is the version of Landlock without which files could be emptied that may not be written.
const oldest = 3

// scopes is the version from which on signals and abstract sockets are kept in.
const scopes = 6

// Available reports whether processes can be caged here: nil, or why not and what to do.
func Available() error {
	_, err := version()
	return err
}

// KeepsSignals reports whether what is caged can send signals to nothing else, and reach no socket
// with an abstract name: Linux 6.12 or newer sees to that.
func KeepsSignals() bool {
	v, err := version()
	return err == nil && v >= scopes
}

// version asks the kernel for its version of Landlock.
func version() (int, error) {
	if !filters {
		return 0, fmt.Errorf("%w: not on this kind of processor", ErrUnavailable)
	}
	v, err := landlock.LandlockGetABIVersion()
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return 0, fmt.Errorf("%w: Landlock is switched off; add landlock to lsm= on the kernel's command line", ErrUnavailable)
	case err != nil:
		return 0, fmt.Errorf("%w: the kernel has no Landlock, or a container forbids it; Linux 6.2 or newer has it", ErrUnavailable)
	case v < oldest:
		return 0, fmt.Errorf("%w: the kernel's Landlock has version %d, and %d is needed; Linux 6.2 or newer has it", ErrUnavailable, v, oldest)
	}
	return v, nil
}

// Run runs f under the rules, on a thread of its own, and returns its error. If they cannot be
// kept, f does not run. The thread stays until release is called, once: a process that asks to be
// ended with its parent is ended with the thread that started it. f must not hand its work to
// other goroutines, which are not under the rules.
func (r Rules) Run(f func() error) (release func(), err error) {
	set, err := r.ruleset()
	if err != nil {
		return func() {}, err
	}
	defer unix.Close(set)
	// The os package tries once what the kernel can do with processes: not under rules.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	done, over := make(chan error, 1), make(chan struct{})
	onOwnThread(func() {
		err := restrict(set, r.Network)
		if err == nil {
			err = f()
		}
		done <- err
		<-over
	})
	return func() { close(over) }, <-done
}

// onOwnThread runs f in a goroutine whose thread ends with it, so nothing else ever runs under
// what f has done to it. The runtime makes no new threads from one that is locked. The first
// thread of a process cannot end; it is held while another one is taken.
func onOwnThread(f func()) {
	go func() {
		runtime.LockOSThread() // for good
		if unix.Gettid() != unix.Getpid() {
			f()
			return
		}
		taken := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(taken)
			f()
		}()
		<-taken
		runtime.UnlockOSThread()
	}()
}

// restrict puts the calling thread under the rules.
func restrict(set int, network bool) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := landlock.LandlockRestrictSelf(set, 0); err != nil {
		return fmt.Errorf("landlock_restrict_self: %w", err)
	}
	return filter(network)
}

const (
	reading = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSReadDir
	// ofFiles are the rights that make sense for what is not a folder.
	ofFiles = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate
	// Devices can be made nowhere, nor told to do something.
	never = landlock.AccessFSMakeChar | landlock.AccessFSMakeBlock | landlock.AccessFSIoctlDev
)

// ruleset makes the kernel's form of the rules, a descriptor to close.
func (r Rules) ruleset() (fd int, err error) {
	v, err := version()
	if err != nil {
		return -1, err
	}
	attr := landlock.RulesetAttr{HandledAccessFS: 1<<15 - 1} // all that version 3 knows
	if v >= 5 {
		attr.HandledAccessFS |= landlock.AccessFSIoctlDev
	}
	if v >= 4 && !r.Network {
		attr.HandledAccessNet = landlock.AccessNetBindTCP | landlock.AccessNetConnectTCP
	}
	if v >= scopes {
		attr.Scoped = landlock.ScopeAbstractUnixSocket | landlock.ScopeSignal
	}
	if fd, err = landlock.LandlockCreateRuleset(&attr, 0); err != nil {
		return -1, fmt.Errorf("landlock_create_ruleset: %w", err)
	}
	for _, path := range r.Read {
		if err = allow(fd, path, reading); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			err = nil // there is nothing to reach
		}
		if err != nil {
			break
		}
	}
	for _, path := range r.Write {
		if err == nil {
			err = allow(fd, path, attr.HandledAccessFS&^never)
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// allow adds what is at path and below to a ruleset.
func allow(set int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var is unix.Stat_t
	if err := unix.Fstat(fd, &is); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if is.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	err = landlock.LandlockAddPathBeneathRule(set, &landlock.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0)
	if err != nil {
		return &fs.PathError{Op: "landlock_add_rule", Path: path, Err: err}
	}
	return nil
}

// Hide keeps other processes of the same user out of this one: its memory, its environment and
// its open files, which /proc shows to them. It has no effect on root, nor on processes that this
// one starts.
func Hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
