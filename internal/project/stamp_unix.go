//go:build unix

package project

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// executableBits reports whether files have an executable mode.
const executableBits = true

// startable reports whether the system would start the file by itself.
func startable(mode fs.FileMode, _ string) bool { return mode&0o111 != 0 }

// stampAt returns the stamp of the file that a path leads to.
func stampAt(path string) (stamp, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	for err == unix.EINTR {
		err = unix.Stat(path, &st)
	}
	if err != nil {
		return stampFor(err), &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	s := stamp{size: st.Size, modified: st.Mtim.Nano(), changed: st.Ctim.Nano(),
		id: fileID{uint64(st.Dev), uint64(st.Ino)}, mode: fs.FileMode(st.Mode & 0o777)}
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
