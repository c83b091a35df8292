package files

import (
	"fmt"
	"io/fs"
	"os"
)

// Access is who may do what with a file: its permissions and, on Unix, its owner and group.
type Access struct {
	perm fs.FileMode
	as   fs.FileInfo // of the file that has the owner and group; nil for those of this process
}

// AccessOf returns the access that a file has.
func AccessOf(info fs.FileInfo) Access { return Access{info.Mode().Perm(), info} }

// OwnAccess returns the access to a file that this process creates.
func OwnAccess(perm fs.FileMode) Access { return Access{perm: perm} }

// grant gives the access to a file that this process has created to replace the one at path. The
// permissions come last: until then nobody but the owner can read it.
func (a Access) grant(f *os.File, path string) error {
	if a.as != nil {
		if err := giveTo(f, a.as); err != nil {
			return fmt.Errorf("cannot write %s for its owner: run this as that user (%w)", path, err)
		}
	}
	return f.Chmod(a.perm)
}
