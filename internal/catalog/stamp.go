package catalog

import (
	"fmt"
	"io/fs"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// unsure is the stamp of a file that has to be read again; it is not settled.
var unsure = files.Stamp{Mode: fs.ModeIrregular}

// A dep is a file that an entry was built from, with its stamp at that time. The stamp of a missing
// file is zero.
type dep struct {
	path  string
	stamp files.Stamp
}

// depOf returns a file with its stamp now.
func depOf(path string) dep {
	was, _ := files.StampOf(path)
	return dep{path, was}
}

// current reports whether the file is unchanged.
func (d dep) current() bool {
	now, err := files.StampOf(d.path)
	if err != nil {
		return d.stamp == files.Stamp{} && isMissing(err)
	}
	return d.stamp.Same(now)
}

// readFile reads a file of up to limit bytes. The stamp is from before, so that a change while it is
// read shows the next time.
func readFile(path string, limit int64) ([]byte, files.Stamp, error) {
	was, _ := files.StampOf(path)
	data, err := files.Read(path, limit)
	return data, was, err
}

// Stamp returns a value that differs when the file at path has changed; "" if only reading it can
// tell.
func Stamp(path string) string {
	s, err := files.StampOf(path)
	if err != nil || !s.Mode.IsRegular() || !s.Settled {
		return ""
	}
	return fmt.Sprint(s.Size, s.Modified, s.Changed, s.ID)
}
