package project

import (
	"bytes"
	"os"
	"strings"
)

// A file is what is known of a file without its content.
type file struct {
	name       string
	stamp      stamp
	executable bool // the system would start it by itself
	script     bool
}

func fileOf(name string, was stamp) file {
	f := file{name: name, stamp: was, executable: startable(was.mode, name)}
	f.script = f.executable || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")
	f.executable = f.executable || !executableBits && f.script
	return f
}

// sniff reads the first bytes of a file that nothing else calls a script.
func (f *file) sniff(path string) {
	if !f.script {
		f.script = beginsLikeScript(path)
		f.executable = f.executable || !executableBits && f.script
	}
}

func beginsLikeScript(path string) bool {
	head, _ := readHead(path, 8) // one that cannot be read is no script
	return bytes.HasPrefix(trimBOM(head), []byte("#!"))
}

// runs reports whether a file that may be a text as well is a script or, where names tell, a program:
// by its name, or because it begins like one. The mode does not count: on some file systems every text
// has that of a program, and scripts lose it in archives.
func (f file) isProgram(path string) bool {
	if isDocument(f.name) {
		return false
	}
	return strings.HasSuffix(f.name, ".sh") || strings.HasSuffix(f.name, ".bash") ||
		!executableBits && startable(0, f.name) || beginsLikeScript(path)
}

// look finds out about a single file. A link is followed.
func look(path string) (file, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return file{}, err
	case !info.Mode().IsRegular():
		return file{}, errNotRegular
	}
	f := fileOf(info.Name(), stampOf(info))
	f.sniff(path)
	return f, nil
}
