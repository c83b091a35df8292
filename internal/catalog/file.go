package catalog

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A file describes a file without its content.
type file struct {
	name       string
	stamp      files.Stamp
	executable bool // the system would start it by itself
	script     bool
}

// executableBits reports whether files have an executable mode. Elsewhere their names decide, and any script counts.
const executableBits = runtime.GOOS != "windows"

// startable reports whether the system would start the file by itself.
func startable(mode fs.FileMode, name string) bool {
	if executableBits {
		return mode&0o111 != 0
	}
	return slices.Contains([]string{".exe", ".com", ".bat", ".cmd"}, strings.ToLower(filepath.Ext(name)))
}

func isShell(name string) bool {
	return strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")
}

// fileOf describes a file by its stamp, its name and, if it sniffs, its first bytes.
func fileOf(path string, was files.Stamp, sniffs bool) file {
	f := file{name: filepath.Base(path), stamp: was}
	f.executable = startable(was.Mode, f.name)
	f.script = f.executable || isShell(f.name) || sniffs && beginsLikeScript(path)
	f.executable = f.executable || !executableBits && f.script
	return f
}

// same reports whether nothing changed between the file f and the later one g.
func (f file) same(g file) bool { return f.name == g.name && f.stamp.Same(g.stamp) }

// isNamed reports whether two files have the same name; both may be nil for none.
func (f *file) isNamed(other *file) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.name == other.name
}

func beginsLikeScript(path string) bool {
	head, _ := files.Head(path, 8) // a file that cannot be read is not a script
	return bytes.HasPrefix(document.TrimBOM(head), []byte("#!"))
}

// isProgram reports whether a file that may also be a text is a script or, on systems that go by
// names, a program: by its name, or because it begins like a script. The mode does not count: on
// some file systems every text is executable, and scripts lose the mode in archives.
func (f file) isProgram(path string) bool {
	return !isDocument(f.name) &&
		(isShell(f.name) || !executableBits && startable(0, f.name) || beginsLikeScript(path))
}

// fileAt describes a single file. A link is followed.
func fileAt(path string) (file, error) {
	was, err := files.StampOf(path)
	switch {
	case err != nil:
		return file{}, err
	case !was.Mode.IsRegular():
		return file{}, files.ErrNotRegular
	}
	return fileOf(path, was, true), nil
}

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

// isFile reports whether it was a regular file.
func (d dep) isFile() bool { return d.stamp != files.Stamp{} && d.stamp.Mode.IsRegular() }

// current reports whether the file is unchanged.
func (d dep) current() bool {
	now, err := files.StampOf(d.path)
	if err != nil {
		return d.stamp == files.Stamp{} && files.IsMissing(err)
	}
	return d.stamp.Same(now)
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
