// Package hooks runs scripts of server.d as a part of the server. They have all the rights of the
// server, so the operator must allow them, and nobody else may be able to write them. One of them, policy.sh, decides
// with the operator's lists which tools a client may list and call: see [Policy].
package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// ErrNotAllowed means that the operator has not allowed hooks.
var ErrNotAllowed = errors.New("project hooks are not allowed; set MCPBASH_ALLOW_PROJECT_HOOKS=true to run it")

// Rules decide which hooks may run. The zero value allows none.
type Rules struct {
	Allowed bool // MCPBASH_ALLOW_PROJECT_HOOKS
}

// A Script is an open hook, which may run or be read.
type Script struct {
	path string
	file *os.File
	info fs.FileInfo
}

// Check returns why [Rules.Open] would not open the hook at path, nil if it would.
func (r Rules) Check(root, path string) error {
	s, err := r.Open(root, path)
	if err == nil {
		s.Close()
	}
	return err
}

// Open opens the hook at path, if it may run: hooks are allowed, it is a file and not a symbolic
// link, it belongs to the user of the server and nobody else can write it, nor the folders above it
// and above the project's root, nor links on the way. As in sshd, files of root are trusted too,
// and so is a folder that everybody may write to if it has the sticky bit. The error is
// fs.ErrNotExist if there is no hook.
//
// The checks apply to the open file. Call [Script.Close] after it has run.
func (r Rules) Open(root, path string) (*Script, error) {
	info, err := os.Lstat(path)
	switch dir := filepath.Dir(path); {
	case errors.Is(err, fs.ErrNotExist) && files.Dangling(dir):
		return nil, fmt.Errorf("%s is a symbolic link to something that does not exist", dir)
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

// Info returns the file info of the time when it was opened.
func (s *Script) Info() fs.FileInfo { return s.info }

// Read returns the contents of the file, at most limit bytes.
func (s *Script) Read(limit int64) ([]byte, error) { return files.ReadAll(s.file, limit) }
