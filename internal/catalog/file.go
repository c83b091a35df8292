package catalog

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A file describes a file without its content.
type file struct {
	name       string
	stamp      files.Stamp
	executable bool // the system would start it by itself
	script     bool
}

func fileOf(name string, was files.Stamp) file {
	f := file{name: name, stamp: was, executable: startable(was.Mode, name)}
	f.script = f.executable || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")
	f.executable = f.executable || !executableBits && f.script
	return f
}

// isNamed reports whether two files have the same name; both may be nil for none.
func (f *file) isNamed(other *file) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.name == other.name
}

// sniff reads the first bytes of a file that is not known to be a script.
func (f *file) sniff(path string) {
	if !f.script {
		f.script = beginsLikeScript(path)
		f.executable = f.executable || !executableBits && f.script
	}
}

func beginsLikeScript(path string) bool {
	head, _ := files.Head(path, 8) // a file that cannot be read is not a script
	return bytes.HasPrefix(trimBOM(head), []byte("#!"))
}

// isProgram reports whether a file that may also be a text is a script or, on systems that go by
// names, a program: by its name, or because it begins like a script. The mode does not count: on
// some file systems every text is executable, and scripts lose the mode in archives.
func (f file) isProgram(path string) bool {
	if isDocument(f.name) {
		return false
	}
	return strings.HasSuffix(f.name, ".sh") || strings.HasSuffix(f.name, ".bash") ||
		!executableBits && startable(0, f.name) || beginsLikeScript(path)
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
	f := fileOf(filepath.Base(path), was)
	f.sniff(path)
	return f, nil
}
