//go:build unix

package project

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// executableBits reports whether files have an executable mode.
const executableBits = true

// startable reports whether the system would start the file by itself.
func startable(mode fs.FileMode, _ string) bool { return mode&0o111 != 0 }

// A dir is an open folder. Its entries are opened relative to its descriptor, which saves the
// kernel resolving the path, and without an os.File, which would try to add each file to the
// poller. The first look at a project does little else.
type dir struct {
	path string
	fd   int
	stamp
}

func openDir(path string) (*dir, error) {
	d := &dir{path: path}
	err := files.Patient(func() (err error) {
		d.fd, err = openAt(unix.AT_FDCWD, path, unix.O_DIRECTORY)
		return err
	})
	if err != nil {
		if was, statErr := stampAt(path); statErr == nil && !was.mode.IsDir() {
			err = errNotFolder
		}
		return nil, err
	}
	if d.stamp, err = stampOf(d.fd, path); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *dir) Close() { unix.Close(d.fd) }

// stat returns the stamp of the file that a name in the folder leads to.
func (d *dir) stat(name string) (stamp, error) {
	var st unix.Stat_t
	err := uninterrupted(func() error { return unix.Fstatat(d.fd, name, &st, 0) })
	return newStamp(name, &st, err)
}

// stampAt returns the stamp of the file that a path leads to.
func stampAt(path string) (stamp, error) { return anywhere.stat(path) }

// readFile reads a file of up to limit bytes. The stamp is from before, so that a change while
// it is read shows the next time. A pipe is refused without waiting for its other end.
func readFile(path string, limit int64) ([]byte, stamp, error) { return anywhere.read(path, limit) }

// anywhere is the folder in which absolute paths are found.
var anywhere = &dir{fd: unix.AT_FDCWD}

// read reads a file in the folder, as readFile does.
func (d *dir) read(name string, limit int64) (data []byte, was stamp, err error) {
	fd := -1
	err = files.Patient(func() (err error) {
		fd, err = openAt(d.fd, name, unix.O_NONBLOCK)
		return err
	})
	if err != nil {
		was, _ = d.stat(name)           // of what cannot be opened
		if errors.Is(err, unix.ENXIO) { // a socket
			err = files.ErrNotRegular
		}
		return nil, was, err
	}
	defer unix.Close(fd)
	was, err = stampOf(fd, name)
	switch {
	case err != nil:
		return nil, was, err
	case !was.mode.IsRegular():
		return nil, was, files.ErrNotRegular
	case was.size > limit:
		return nil, was, files.ErrTooLarge
	}
	data = make([]byte, 0, was.size+1) // a read that leaves room is at the end
	for {
		var n int
		err := uninterrupted(func() (err error) { n, err = unix.Read(fd, data[len(data):cap(data)]); return err })
		if err != nil {
			return nil, was, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		data = data[:len(data)+max(n, 0)]
		switch {
		case int64(len(data)) > limit:
			return nil, was, files.ErrTooLarge
		case n <= 0 || int64(len(data)) == was.size:
			return data, was, nil
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func openAt(fd int, path string, flags int) (opened int, err error) {
	err = uninterrupted(func() error {
		opened, err = unix.Openat(fd, path, unix.O_RDONLY|unix.O_CLOEXEC|flags, 0)
		return err
	})
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return opened, nil
}

// uninterrupted calls do until no signal interrupts it.
func uninterrupted(do func() error) error {
	for {
		if err := do(); err != unix.EINTR {
			return err
		}
	}
}

// stampOf returns the stamp of an open file.
func stampOf(fd int, path string) (stamp, error) {
	var st unix.Stat_t
	err := uninterrupted(func() error { return unix.Fstat(fd, &st) })
	return newStamp(path, &st, err)
}

// newStamp returns the stamp for the result of a system call.
func newStamp(path string, st *unix.Stat_t, err error) (stamp, error) {
	if err != nil {
		return stampFor(err), &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	s := stamp{size: st.Size, modified: st.Mtim.Nano(), changed: st.Ctim.Nano(), id: fileID{uint64(st.Dev), uint64(st.Ino)}, mode: fs.FileMode(st.Mode & 0o777)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.links = st.Nlink > 1
	case unix.S_IFDIR:
		s.mode |= fs.ModeDir
	default:
		s.mode |= fs.ModeIrregular
	}
	return s.now(), nil
}
