// Package hooks runs scripts of server.d as a part of the server. They can do all
// that the server can, so the operator must allow them, and nobody else may be
// able to write them.
package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// ErrNotAllowed says that the operator has not allowed hooks.
var ErrNotAllowed = errors.New("project hooks are not allowed; set MCPBASH_ALLOW_PROJECT_HOOKS=true to run it")

// Rules say which hooks may run. The zero value lets none.
type Rules struct {
	Allowed bool // MCPBASH_ALLOW_PROJECT_HOOKS
}

// A Script is a hook that may run, or that may be read, open.
type Script struct {
	path string
	file *os.File
	info fs.FileInfo
}

// Check reports why [Rules.Open] would not open the hook at path, nil if it would.
func (r Rules) Check(root, path string) error {
	s, err := r.Open(root, path)
	if err == nil {
		s.Close()
	}
	return err
}

// Open opens the hook at path, if it may run: hooks are allowed, it is a file of its own and no
// symbolic link, it belongs to the user of the server and can be written by nobody else, and
// neither can the folders above it and above the project's root, nor links on the way: as sshd
// does, those of root are trusted too, and a folder that everybody may write to if it has the
// sticky bit. The error is fs.ErrNotExist where there is no hook.
//
// It is the open file that was checked. Call [Script.Close] when it has run.
func (r Rules) Open(root, path string) (*Script, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !r.Allowed:
		return nil, fmt.Errorf("%s: %w", path, ErrNotAllowed)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a symbolic link; put the file itself there", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	}
	for _, dir := range []string{filepath.Dir(path), root} {
		if err := checkFolders(dir); err != nil {
			return nil, err
		}
	}
	s := &Script{path: path}
	if s.file, s.info, err = files.OpenUnlinked(path); err != nil {
		return nil, err
	}
	if err := checkOwner(path, s.info, false); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the file.
func (s *Script) Close() { s.file.Close() }

// Info is what the file was when it was opened.
func (s *Script) Info() fs.FileInfo { return s.info }

// Read returns what is in the file, at most limit bytes.
func (s *Script) Read(limit int64) ([]byte, error) { return files.ReadAll(s.file, limit) }
