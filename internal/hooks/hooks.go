// Package hooks decides whether a script of the project may run as a part of
// the server. Such scripts can do all that the server can, so the operator must
// allow them, and nobody else may be able to write them.
package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotAllowed says that the operator has not allowed hooks.
var ErrNotAllowed = errors.New("project hooks are not allowed; set MCPBASH_ALLOW_PROJECT_HOOKS=true to run it")

// Rules say which hooks may run. The zero value lets none.
type Rules struct {
	Allowed bool // MCPBASH_ALLOW_PROJECT_HOOKS
}

// Check reports why the hook at path must not run, nil if it may: hooks are
// allowed, it is a file of its own and no symbolic link, and the file, its
// folder and the project's folder belong to the user of the server and can be
// written by nobody else. The error is fs.ErrNotExist where there is no hook.
func (r Rules) Check(root, path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !r.Allowed:
		return fmt.Errorf("%s: %w", path, ErrNotAllowed)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; put the file itself there", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	}
	for _, p := range []string{path, filepath.Dir(path), root} {
		if err := checkOwner(p); err != nil {
			return err
		}
	}
	return nil
}
