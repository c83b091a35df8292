//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	noFollow = syscall.O_NOFOLLOW
	nonBlock = syscall.O_NONBLOCK
)

// inUse is false: on Unix, files in use can be opened.
func inUse(error) bool { return false }

func rename(in folder, old, path string) error { return in.Rename(old, path) }

// renameNew gives a file its name, which must not exist yet. It may keep the old name too.
func renameNew(old, path string) error {
	err := os.Link(old, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := os.Lstat(path); there == nil {
		return &fs.PathError{Op: "link", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(old, path)
}

// giveTo gives a file the owner and group of another. Only root can give a file to another user. A
// group that cannot be kept is not an error: the owner can use the file nevertheless.
func giveTo(f *os.File, as fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	own, ok := info.Sys().(*syscall.Stat_t)
	want, known := as.Sys().(*syscall.Stat_t)
	if !ok || !known || own.Uid == want.Uid && own.Gid == want.Gid {
		return nil
	}
	err = f.Chown(int(want.Uid), int(want.Gid))
	if own.Uid == want.Uid {
		return nil
	}
	var fault *fs.PathError
	if errors.As(err, &fault) { // the path is that of a temporary file
		return fault.Err
	}
	return err
}

// sharing reports whether a file belongs to this user or root, and whether its mode gives others
// access.
func sharing(info fs.FileInfo) (own, others bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	own = ok && (int(s.Uid) == os.Geteuid() || s.Uid == 0)
	return own, info.Mode().Perm()&0o077 != 0
}

func stampOf(path string) (Stamp, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	for err == unix.EINTR {
		err = unix.Stat(path, &st)
	}
	if err != nil {
		return Stamp{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	s := Stamp{Size: st.Size, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(),
		ID: FileID{uint64(st.Dev), uint64(st.Ino)}, Mode: fs.FileMode(st.Mode & 0o777)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.Links = st.Nlink > 1
	case unix.S_IFDIR:
		s.Mode |= fs.ModeDir
	default:
		s.Mode |= fs.ModeIrregular
	}
	return s, nil
}
