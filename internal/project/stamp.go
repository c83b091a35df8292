package project

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A stamp shows, without reading it, whether a file or folder is unchanged.
//
// Clocks of file systems are coarse: two writes within a tick get the same time. So a stamp counts
// as settled only if the last change was more than a tick ago when it was taken; an unsettled stamp
// equals no other, and its file is read again.
type stamp struct {
	size     int64
	modified int64 // nanoseconds of the modification time, which anybody can set
	changed  int64 // nanoseconds of the time of the last change, which only the system sets
	id       fileID
	mode     fs.FileMode
	links    bool // the file has other names
	settled  bool
}

// fileID distinguishes a file from another that replaced it; zero if the system has no such number.
type fileID struct{ device, inode uint64 }

const (
	tick       = 50 * time.Millisecond // longer than a tick of any current file system,
	coarseTick = 2 * time.Second       // except those that count whole seconds, such as FAT
)

func stampOf(info fs.FileInfo) stamp {
	id, changed, links := systemStamp(info)
	return newStamp(info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), id, info.Mode(), links)
}

func newStamp(size, modified, changed int64, id fileID, mode fs.FileMode, links bool) stamp {
	wait := tick
	if changed%int64(time.Second) == 0 {
		wait = coarseTick
	}
	return stamp{
		size: size, modified: modified, changed: changed, id: id, mode: mode, links: links,
		settled: time.Since(time.Unix(0, changed)) > wait,
	}
}

// same reports whether nothing changed between the stamp s and the later one t.
func (s stamp) same(t stamp) bool {
	t.settled = true
	return s == t // never for an s that is not settled
}

// A dep is a file that an entry was built from, with its stamp at that time. The stamp of a missing
// file is zero.
type dep struct {
	path  string
	stamp stamp
}

// depOf returns a file with its stamp now.
func depOf(path string) dep {
	info, err := os.Stat(path)
	if err != nil {
		return dep{path: path}
	}
	return dep{path, stampOf(info)}
}

// current reports whether the file is unchanged.
func (d dep) current() bool {
	info, err := os.Stat(d.path)
	if err != nil {
		return d.stamp == stamp{} && isMissing(err)
	}
	return d.stamp.same(stampOf(info))
}

var (
	errTooLarge   = errors.New("is too large")
	errNotRegular = errors.New("is not a regular file")
)

// readFile reads a file of up to limit bytes. The stamp is from before, so that a change while
// it is read shows the next time. A pipe is refused without waiting for its other end.
func readFile(path string, limit int64) ([]byte, stamp, error) {
	data, info, err := files.ReadStat(path, limit)
	var was stamp
	if info != nil {
		was = stampOf(info)
	} else {
		was = depOf(path).stamp // of what cannot be opened
	}
	switch {
	case errors.Is(err, files.ErrNotRegular):
		err = errNotRegular
	case errors.Is(err, files.ErrTooLarge):
		err = errTooLarge
	}
	return data, was, err
}

// readHead reads the first bytes of a file, up to limit.
func readHead(path string, limit int64) ([]byte, error) { return files.Head(path, limit) }
