package clients

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Change is a planned change of a file. Nothing happens before Apply.
type Change struct {
	Path          string // as the client knows it
	Before, After string
	Created       bool    // the file does not exist before
	Deleted       bool    // the file does not exist afterwards
	Restored      bool    // the file becomes what it was before an entry was installed
	Backup        string  // path of a copy of the file after Apply; empty for none
	Left          []error // why entries that a pattern matches stay as they are

	record record
	undo   bool
	perm   fs.FileMode
}

// Empty reports whether there is nothing to do.
func (c Change) Empty() bool { return c.Before == c.After && !c.Created && !c.Deleted && !c.undo }

// Diff returns the change as a unified diff; it is empty if the text does not change.
func (c Change) Diff() string {
	from, to := c.Path, c.Path
	if c.Created {
		from = os.DevNull
	}
	if c.Deleted {
		to = os.DevNull
	}
	return udiff.Unified(from, to, shown(c.Before), shown(c.After))
}

// shown converts CR LF to LF, for terminals.
func shown(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// Apply writes the file, after a backup of it. It replaces the file atomically, keeps its
// permissions and owner, and follows links. It fails if the file has changed since the change was planned.
func (c Change) Apply() error {
	if c.Empty() {
		return nil
	}
	path, err := target(c.Path)
	if err != nil {
		return err
	}
	if err := c.unchanged(path); err != nil {
		return err
	}
	if c.undo {
		return c.takeBack(path)
	}
	access := files.OwnAccess(c.perm)
	if info, err := os.Stat(path); err == nil {
		access = files.AccessOf(info)
	}
	folders, err := files.MakeFolders(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := c.record.keep(c.Before, c.Created, len(folders), access); err != nil {
		return err
	}
	return files.Edit(path, []byte(c.After), access, func() error { return c.unchanged(path) })
}

// unchanged returns an error if the file has changed since the change was planned.
func (c Change) unchanged(path string) error {
	now, existed, err := read(path)
	if err == nil && (now != c.Before || existed == c.Created) {
		err = fmt.Errorf("%s has changed in the meantime: close the program that writes it and try again", c.Path)
	}
	return err
}

// takeBack removes or writes the file, then the record of its installation.
func (c Change) takeBack(path string) error {
	if !c.Deleted {
		if c.Before != c.After {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if err := files.Edit(path, []byte(c.After), files.AccessOf(info), nil); err != nil {
				return err
			}
		}
		return c.record.drop()
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	folders := c.record.folders
	if err := c.record.drop(); err != nil {
		return err
	}
	for folder := filepath.Dir(path); folders > 0; folders-- {
		if os.Remove(folder) != nil {
			break // something else has been created in it
		}
		folder = filepath.Dir(folder)
	}
	return nil
}
