package project

import (
	"fmt"
	"io/fs"
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
	mode     fs.FileMode // whether it is a file or a folder, and its permissions
	links    bool        // the file has other names
	settled  bool
}

// fileID distinguishes a file from another that replaced it; zero if the system has no such number.
type fileID struct{ device, inode uint64 }

const (
	tick       = 50 * time.Millisecond // longer than a tick of any current file system,
	coarseTick = 2 * time.Second       // except those that count whole seconds, such as FAT
)

// now returns the stamp as it is taken now.
func (s stamp) now() stamp {
	wait := tick
	if s.changed%int64(time.Second) == 0 {
		wait = coarseTick
	}
	s.settled = time.Since(time.Unix(0, s.changed)) > wait
	return s
}

// same reports whether nothing changed between the stamp s and the later one t.
func (s stamp) same(t stamp) bool {
	t.settled = true
	return s == t // never for an s that is not settled
}

// unsure is the stamp of a file that has to be read again; it is not settled.
var unsure = stamp{mode: fs.ModeIrregular}

// stampFor returns the stamp of a file that cannot be looked at.
func stampFor(err error) stamp {
	if isMissing(err) {
		return stamp{}
	}
	return unsure
}

// A dep is a file that an entry was built from, with its stamp at that time. The stamp of a missing
// file is zero.
type dep struct {
	path  string
	stamp stamp
}

// depOf returns a file with its stamp now.
func depOf(path string) dep {
	was, _ := stampAt(path)
	return dep{path, was}
}

// current reports whether the file is unchanged.
func (d dep) current() bool {
	now, err := stampAt(d.path)
	if err != nil {
		return d.stamp == stamp{} && isMissing(err)
	}
	return d.stamp.same(now)
}

// readFile reads a file of up to limit bytes. The stamp is from before, so that a change while it is
// read shows the next time.
func readFile(path string, limit int64) ([]byte, stamp, error) {
	was, _ := stampAt(path)
	data, err := files.Read(path, limit)
	return data, was, err
}

// Stamp returns a value that differs when the file at path has changed; "" if only reading it can
// tell.
func Stamp(path string) string {
	s, err := stampAt(path)
	if err != nil || !s.mode.IsRegular() || !s.settled {
		return ""
	}
	return fmt.Sprint(s.size, s.modified, s.changed, s.id)
}
