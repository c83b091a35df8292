package files

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// A Stamp shows, without reading it, whether a file or folder is unchanged.
//
// Clocks of file systems are coarse: two writes within a tick get the same time. So a stamp counts
// as settled only if the last change was more than a tick ago when it was taken; an unsettled stamp
// equals no other, and its file is read again. The stamp of a missing file is zero.
type Stamp struct {
	Size     int64
	Modified int64 // nanoseconds of the modification time, which anybody can set
	Changed  int64 // nanoseconds of the time of the last change, which only the system sets
	ID       FileID
	Mode     fs.FileMode // whether it is a file or a folder, and its permissions
	Links    bool        // the file has other names
	Settled  bool
}

// FileID distinguishes a file from another that replaced it; zero if the system has no such number.
type FileID struct{ Device, Inode uint64 }

const (
	tick       = 50 * time.Millisecond // longer than a tick of any current file system,
	coarseTick = 2 * time.Second       // except those that count whole seconds, such as FAT
)

// StampOf returns the stamp of the file that a path leads to. If it cannot be looked at, it is the stamp
// of a file that has to be read again.
func StampOf(path string) (Stamp, error) {
	s, err := stampOf(path)
	switch {
	case IsMissing(err):
		return Stamp{}, err
	case err != nil:
		return Stamp{Mode: fs.ModeIrregular}, err
	}
	wait := tick
	if s.Changed%int64(time.Second) == 0 {
		wait = coarseTick
	}
	s.Settled = time.Since(time.Unix(0, s.Changed)) > wait
	return s, nil
}

// IsMissing reports whether err says that a file does not exist: itself, or because a part of its path is a file.
func IsMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Same reports whether nothing changed between the stamp s and the later one t.
func (s Stamp) Same(t Stamp) bool {
	t.Settled = true
	return s == t // never for an s that is not settled
}
