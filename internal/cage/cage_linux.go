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

// oldest is the oldest version of Landlock that can be used. Before it, files that may not be written could
// still be truncated.
const oldest = 3

// scopes is the first version of Landlock that restricts signals and abstract sockets.
const scopes = 6

// Available returns nil if processes can be caged on this system, or an error with the reason and what to do.
func Available() error {
	_, err := version()
	return err
}

// KeepsSignals reports whether caged processes cannot send signals to others or connect to abstract
// sockets. It takes Linux 6.12 or newer.
func KeepsSignals() bool {
	v, err := version()
	return err == nil && v >= scopes
}

// version returns the kernel's version of Landlock.
func version() (int, error) {
	if !filters {
		return 0, fmt.Errorf("%w: not on this kind of processor", ErrUnavailable)
	}
	v, err := landlock.LandlockGetABIVersion()
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return 0, fmt.Errorf("%w: Landlock is switched off; add landlock to lsm= on the kernel's command line",
			ErrUnavailable)
	case err != nil:
		return 0, fmt.Errorf("%w: the kernel has no Landlock, or a container forbids it; Linux 6.2 or newer has it",
			ErrUnavailable)
	case v < oldest:
		return 0, fmt.Errorf("%w: the kernel's Landlock has version %d, and %d is needed; Linux 6.2 or newer has it",
			ErrUnavailable, v, oldest)
	}
	return v, nil
}

// Run runs f under the rules, on a thread of its own, and returns its error. If the rules cannot be
// enforced, f does not run. The thread is kept until release, which must be called once: a process
// that asked to be killed with its parent (PR_SET_PDEATHSIG) dies with the thread that started it. f
// must not pass its work to other goroutines, which are not under the rules.
func (r Rules) Run(f func() error) (release func(), err error) {
	set, err := r.ruleset()
	if err != nil {
		return func() {}, err
	}
	defer unix.Close(set)
	// The os package probes once what the kernel can do with processes: let it do so outside of the rules.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	done, over := make(chan error, 1), make(chan struct{})
	onOwnThread(func() {
		err := r.restrict(set)
		if err == nil {
			err = f()
		}
		done <- err
		<-over
	})
	return func() { close(over) }, <-done
}

// onOwnThread runs f in a goroutine whose thread ends with it, so that no other goroutine ever
// runs on that thread. The runtime starts no new threads from a locked one. The first thread of a
// process cannot end, so f never runs there: that thread is held until another is taken.
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
func (r Rules) restrict(set int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := landlock.LandlockRestrictSelf(set, 0); err != nil {
		return fmt.Errorf("landlock_restrict_self: %w", err)
	}
	return filter(r)
}

const (
	reading = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSReadDir
	// fileRights are the rights that apply to anything but a folder.
	fileRights = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSWriteFile |
		landlock.AccessFSTruncate
	// Devices can be neither created nor controlled.
	forbidden = landlock.AccessFSMakeChar | landlock.AccessFSMakeBlock | landlock.AccessFSIoctlDev
)

// ruleset creates the kernel's ruleset, a descriptor that the caller closes.
func (r Rules) ruleset() (fd int, err error) {
	v, err := version()
	if err != nil {
		return -1, err
	}
	attr := landlock.RulesetAttr{HandledAccessFS: 1<<15 - 1} // all rights of version 3
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
			err = nil // nothing there to allow
		}
		if err != nil {
			break
		}
	}
	for _, path := range r.Write {
		if err == nil {
			err = allow(fd, path, attr.HandledAccessFS&^forbidden)
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// allow adds rights on path, and everything below it, to a ruleset.
func allow(set int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	err = landlock.LandlockAddPathBeneathRule(set, &landlock.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0)
	if err != nil {
		return &fs.PathError{Op: "landlock_add_rule", Path: path, Err: err}
	}
	return nil
}

// Hide hides the memory, environment and open files of this process, which /proc shows, from other
// processes of the same user. It has no effect on root, and does not extend to processes that this
// one starts.
func Hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
