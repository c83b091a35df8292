package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// fixBytes is the maximum size of a script that is repaired.
const fixBytes = 16 << 20

// A repair is a fix that does not depend on the author's intention.
type repair int

const (
	setExec repair = 1 + iota // chmod +x, for those who may read it
	toLF                      // CR LF becomes LF
	dropBOM                   // the byte order mark is removed
)

// done returns the message for a repair.
func (r repair) done() string {
	return map[repair]string{
		setExec: "made executable",
		toLF:    "converted to LF line endings",
		dropBOM: "removed the byte order mark",
	}[r]
}

// mend makes the repairs of messages, and reports each: an Info for success, a Warning for failure.
// Nothing is written through a link, or outside of the folder root.
func mend(root string, messages []Message) (notes []Message, err error) {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	due := make(map[string][]repair)
	section := make(map[string]string)
	for _, m := range messages {
		if m.Fixable && !slices.Contains(due[m.File], m.repair) {
			due[m.File] = append(due[m.File], m.repair)
			section[m.File] = m.Section
		}
	}
	for _, file := range slices.Sorted(maps.Keys(due)) {
		for _, r := range due[file] {
			note := Message{Level: Info, Rule: "fixed", Section: section[file], File: file, Message: r.done()}
			if err := r.apply(folder, filepath.FromSlash(file)); err != nil {
				note.Level, note.Rule, note.Message = Warning, "not-fixed", "could not be fixed: "+err.Error()
			}
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// apply makes a repair.
func (r repair) apply(folder *os.Root, name string) error {
	if !filepath.IsLocal(name) {
		return errors.New("it is outside of the project")
	}
	for at := name; at != "."; at = filepath.Dir(at) {
		info, err := folder.Lstat(at)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link; mend what it leads to", filepath.ToSlash(at))
		}
	}
	info, err := folder.Lstat(name)
	if err != nil {
		return err
	}
	if r == setExec {
		return folder.Chmod(name, info.Mode().Perm()|(info.Mode().Perm()&0o444)>>2|0o100)
	}
	text, err := files.ReadIn(folder, name, fixBytes)
	if err != nil {
		return err
	}
	return files.EditIn(folder, name, r.text(text), files.AccessOf(info))
}

// text repairs the text of a script.
func (r repair) text(text []byte) []byte {
	if r == dropBOM {
		return bytes.TrimPrefix(text, bom)
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}
