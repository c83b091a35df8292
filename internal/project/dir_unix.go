//go:build unix

package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A dir is an open folder. Its entries are opened relative to its descriptor, which saves the
// kernel resolving the path, and without an os.File, which would try to add each file to the
// poller. The first look at a project does little else.
type dir struct {
	path string
	fd   int
	file *os.File // of fd
	stamp
}

func openDir(path string) (*dir, error) {
	d := &dir{path: path}
	err := files.Patient(func() (err error) {
		d.fd, err = openAt(unix.AT_FDCWD, path, unix.O_DIRECTORY)
		return err
	})
	if err != nil {
		if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() {
			err = errNotFolder
		}
		return nil, err
	}
	d.file = os.NewFile(uintptr(d.fd), path)
	var st unix.Stat_t
	if err := uninterrupted(func() error { return unix.Fstat(d.fd, &st) }); err != nil {
		d.file.Close()
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	d.stamp = unixStamp(&st)
	return d, nil
}

func (d *dir) Close() { d.file.Close() }

// entries returns the entries of the folder, in any order.
func (d *dir) entries() ([]fs.DirEntry, error) { return d.file.ReadDir(-1) }

// stat returns the stamp of the file that a name in the folder leads to.
func (d *dir) stat(name string) (stamp, error) {
	var st unix.Stat_t
	if err := uninterrupted(func() error { return unix.Fstatat(d.fd, name, &st, 0) }); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: filepath.Join(d.path, name), Err: err}
	}
	return unixStamp(&st), nil
}

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
			err = errNotRegular
		}
		return nil, was, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := uninterrupted(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return nil, was, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	was = unixStamp(&st)
	switch {
	case !was.mode.IsRegular():
		return nil, was, errNotRegular
	case was.size > limit:
		return nil, was, errTooLarge
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
			return nil, was, errTooLarge
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

func unixStamp(st *unix.Stat_t) stamp {
	regular := st.Mode&unix.S_IFMT == unix.S_IFREG
	return newStamp(st.Size, st.Mtim.Nano(), st.Ctim.Nano(), fileID{uint64(st.Dev), uint64(st.Ino)}, fileMode(uint32(st.Mode)), regular && st.Nlink > 1)
}

// fileMode converts a mode to that of the package os.
func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}
