//go:build linux

package fswatch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/leave"
)

// A Watcher watches paths. Its methods may be called from several goroutines.
type Watcher struct {
	notify func(Event)
	file   *os.File        // of the queue of events
	queue  syscall.RawConn // of file
	mounts *os.File        // nil if the system does not show them
	exits  bool            // the process ends soon after Close

	closeOnce func() error

	// adding is held for reading while a new path is added, so that these run in parallel, and for
	// writing by everything that reads the queue or forgets a path: it finds each watch descriptor
	// with its path.
	adding sync.RWMutex
	buffer []byte

	mu     sync.Mutex // guards what follows while adding is held for reading
	points map[string]point
	paths  map[int32]string   // by watch descriptor: one path of its inode
	others map[int32][]string // further paths of the same inode, which few have
	local  map[uint64]bool    // whether only this kernel changes the file system of a device
}

// A point is a watched path. The descriptors belong to inodes, which may have other paths as well.
type point struct {
	wd   int32 // of what the path leads to; if only the path itself is watched, of that
	link int32 // of the path itself where that is a link and both are watched; else wd
	what Interest
}

// inodes returns the descriptors, none for the zero value: they begin at 1.
func (p point) inodes() []int32 {
	switch p.link {
	case 0:
		return nil
	case p.wd:
		return []int32{p.wd}
	}
	return []int32{p.wd, p.link}
}

// IN_ATTRIB is reported for the files in a folder as well, which the system then has to mark.
const (
	itself   = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	names    = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	contents = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | names // a mapped file is reported when it is closed
)

// New returns a watcher that calls notify for each event, one call at a time. notify must not block
// or call the watcher.
func New(notify func(Event)) (*Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := &Watcher{
		notify: notify,
		file:   os.NewFile(uintptr(fd), "inotify"),
		points: make(map[string]point),
		paths:  make(map[int32]string),
		others: make(map[int32][]string),
		local:  make(map[uint64]bool),
		buffer: make([]byte, 16<<10),
	}
	if w.queue, err = w.file.SyscallConn(); err != nil {
		w.file.Close()
		return nil, err
	}
	w.closeOnce = sync.OnceValue(w.close)
	w.openMounts()
	return w, nil
}

// openMounts opens the mount table. Mounting over a folder puts another folder in its place without
// an event.
func (w *Watcher) openMounts() {
	fd, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	w.mounts = os.NewFile(uintptr(fd), "mountinfo")
}

// Exits tells the watcher that the process ends soon after [Watcher.Close], which is fast then: closing
// an inotify instance takes ten times as long as everything else at the end of a process. Call it
// before the watcher is used.
func (w *Watcher) Exits() { w.exits = true }

// Close stops the watcher. It may be called more than once.
func (w *Watcher) Close() error { return w.closeOnce() }

func (w *Watcher) close() error {
	w.adding.Lock()
	if w.mounts != nil {
		w.mounts.Close()
	}
	w.adding.Unlock()
	if w.exits {
		leave.Open(w.file)
	}
	return w.file.Close() // not under the lock: it waits for Run, which may wait for the lock
}

// Add starts reporting events of a path. A path that is already watched is resolved again, as it
// may be another file by now; changed reports whether it is, or was not watched before. The error
// wraps fs.ErrNotExist or fs.ErrPermission, or reports that the system cannot watch more paths.
// Whether everything that happens at the path is reported, [Watcher.CheckLocal] tells.
func (w *Watcher) Add(path string, what Interest) (changed bool, err error) {
	if added, err := w.addNew(path, what); added || err != nil {
		return added, err
	}
	w.adding.Lock()
	defer w.adding.Unlock()
	before, known := w.points[path]
	what |= before.what
	now, err := w.watch(path, what)
	if err != nil {
		w.remove(path)
		return known, err
	}
	w.register(path, now)
	return before != now, nil
}

// addNew adds a path unless it is watched already.
func (w *Watcher) addNew(path string, what Interest) (added bool, err error) {
	w.adding.RLock()
	defer w.adding.RUnlock()
	if w.knows(path) {
		return false, nil
	}
	p, err := w.watch(path, what)
	if err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.points[path]; known { // added by another caller meanwhile
		return false, nil
	}
	w.register(path, p)
	return true, nil
}

func (w *Watcher) knows(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.points[path]
	return known
}

// register puts a path under the descriptors of its inodes, in place of previous ones.
func (w *Watcher) register(path string, p point) {
	before := w.points[path].inodes()
	w.points[path] = p
	now := p.inodes()
	for _, wd := range now {
		if !slices.Contains(before, wd) {
			w.registerInode(path, wd)
		}
	}
	for _, wd := range before {
		if !slices.Contains(now, wd) {
			w.removeInode(path, wd)
		}
	}
}

func (w *Watcher) registerInode(path string, wd int32) {
	if _, known := w.paths[wd]; known {
		w.others[wd] = append(w.others[wd], path)
	} else {
		w.paths[wd] = path
	}
}

// watch makes the system report events of a path.
func (w *Watcher) watch(path string, what Interest) (p point, err error) {
	p.what = what
	if p.wd, err = w.watchInode(path, what); err != nil {
		return p, err
	}
	p.link = p.wd
	if what.Inside() && what&Itself != 0 {
		p.link, err = w.watchInode(path, what&^(Contents|Names))
	}
	return p, err
}

func (w *Watcher) watchInode(path string, what Interest) (int32, error) {
	mask := uint32(unix.IN_MASK_ADD | itself) // the same file may have other paths
	if what&Contents != 0 {
		mask |= contents
	}
	if what&Names != 0 {
		mask |= names
	}
	if what&Mode != 0 {
		mask |= unix.IN_ATTRIB
	}
	if !what.Inside() {
		mask |= unix.IN_DONT_FOLLOW
	}
	var wd int
	if err := w.withQueue(func(fd int) (err error) { wd, err = unix.InotifyAddWatch(fd, path, mask); return err }); err != nil {
		return 0, &fs.PathError{Op: "watch", Path: path, Err: err}
	}
	return int32(wd), nil
}

// CheckLocal returns an error that wraps [ErrRemote] for a path on a file system that others may
// change as well. The device is that of the path, if the caller knows it, or 0.
func (w *Watcher) CheckLocal(path string, device uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	local, known := w.local[device]
	if !known {
		var err error
		if device, local, err = deviceOf(path); err != nil {
			return &fs.PathError{Op: "watch", Path: path, Err: err}
		}
		w.local[device] = local
	}
	if !local {
		return &fs.PathError{Op: "watch", Path: path, Err: ErrRemote}
	}
	return nil
}

// deviceOf returns the device of a path, and whether its file system is local. Both are asked of an
// open file, as the path may lead elsewhere in between.
func deviceOf(path string) (device uint64, local bool, err error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false, err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	var system unix.Statfs_t
	if err := errors.Join(unix.Fstat(fd, &info), unix.Fstatfs(fd, &system)); err != nil {
		return 0, false, err
	}
	return info.Dev, isLocal(uint32(system.Type)), nil
}

// isLocal reports whether all changes of a file system are made by this kernel. An unknown one may
// be on another machine, or be served by a program.
func isLocal(kind uint32) bool {
	switch kind {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.RAMFS_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.SQUASHFS_MAGIC, unix.EROFS_SUPER_MAGIC_V1,
		unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, unix.ISOFS_SUPER_MAGIC, unix.REISERFS_SUPER_MAGIC,
		unix.ECRYPTFS_SUPER_MAGIC, unix.NILFS_SUPER_MAGIC,
		zfs, bcachefs, ntfs3, jfs:
		return true
	}
	return false
}

// Numbers of file systems that the package unix does not define.
const (
	zfs      = 0x2fc12fc1
	bcachefs = 0xca451a4e
	ntfs3    = 0x7366746e
	jfs      = 0x3153464a
)

// Remove stops reporting events of a path.
func (w *Watcher) Remove(path string) {
	w.adding.Lock()
	defer w.adding.Unlock()
	w.remove(path)
}

// remove forgets a path, and stops watching its inodes that have no other path.
func (w *Watcher) remove(path string) {
	p, known := w.points[path]
	if !known {
		return
	}
	delete(w.points, path)
	for _, wd := range p.inodes() {
		w.removeInode(path, wd)
	}
}

func (w *Watcher) removeInode(path string, wd int32) {
	others := slices.DeleteFunc(w.pathsOf(wd), func(other string) bool { return other == path })
	delete(w.paths, wd)
	delete(w.others, wd)
	if len(others) > 0 {
		w.paths[wd] = others[0]
		if len(others) > 1 {
			w.others[wd] = others[1:]
		}
		return
	}
	w.withQueue(func(fd int) error { _, err := unix.InotifyRmWatch(fd, uint32(wd)); return err })
}

// pathsOf returns the watched paths of an inode.
func (w *Watcher) pathsOf(wd int32) []string {
	path, known := w.paths[wd]
	if !known {
		return nil
	}
	return append([]string{path}, w.others[wd]...)
}

func (w *Watcher) withQueue(do func(fd int) error) (err error) {
	if closed := w.queue.Control(func(fd uintptr) { err = do(int(fd)) }); closed != nil {
		return closed
	}
	return err
}

// Paths returns the watched paths.
func (w *Watcher) Paths() []string {
	w.adding.Lock()
	defer w.adding.Unlock()
	return slices.AppendSeq(make([]string, 0, len(w.points)), maps.Keys(w.points))
}

// Drain returns when notify was called for everything that happened before Drain was called. It
// reports whether it can guarantee that.
func (w *Watcher) Drain() bool {
	w.adding.Lock()
	defer w.adding.Unlock()
	w.remounted()
	return w.withQueue(w.read) == nil
}

// Run reports events as they happen, until ctx ends or the watcher is closed.
func (w *Watcher) Run(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { w.Close() })()
	w.queue.Read(func(fd uintptr) bool {
		w.adding.Lock()
		defer w.adding.Unlock()
		return w.read(int(fd)) != nil // not yet done: to be called again when there is more
	})
}

// remounted reports the loss of events if something was mounted or unmounted since the last call.
func (w *Watcher) remounted() {
	if w.mounts == nil {
		return
	}
	poll := []unix.PollFd{{Fd: int32(w.mounts.Fd()), Events: unix.POLLPRI}}
	if n, err := unix.Poll(poll, 0); err == nil && n > 0 && poll[0].Revents&(unix.POLLPRI|unix.POLLERR) != 0 {
		w.notify(Event{})
	}
}

// read reports what is in the queue.
func (w *Watcher) read(fd int) error {
	for {
		n, err := unix.Read(fd, w.buffer)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return nil
		case err != nil:
			return err
		}
		for events := w.buffer[:n]; len(events) >= unix.SizeofInotifyEvent; {
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
			if size > len(events) {
				return fmt.Errorf("inotify: an event of %d bytes in %d", size, len(events))
			}
			w.event(int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[4:]), events[unix.SizeofInotifyEvent:size])
			events = events[size:]
		}
	}
}

// event reports one event for each watched path of its inode.
func (w *Watcher) event(wd int32, mask uint32, name []byte) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		w.notify(Event{})
		return
	}
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	paths := w.pathsOf(wd)
	for _, path := range paths {
		w.notify(Event{path, string(name), w.points[path].what})
	}
	if mask&(unix.IN_IGNORED|unix.IN_MOVE_SELF|unix.IN_UNMOUNT) != 0 { // it is no longer at these paths
		for _, path := range paths {
			w.remove(path)
		}
	}
}
