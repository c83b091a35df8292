//go:build !windows

package clients

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// replace writes a file at once: nobody ever reads half of it.
func replace(path, text string, perm fs.FileMode) error {
	return renameio.WriteFile(path, []byte(text), perm, renameio.WithStaticPermissions(perm))
}
