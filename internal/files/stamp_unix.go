//go:build unix

package files

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

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
