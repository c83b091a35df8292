//go:build unix

package hooks_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

func TestAHookRunsOnlyWhereNobodyElseCanWriteIt(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.Chmod(root, 0o755))
	dir := filepath.Join(root, "server.d")
	path := filepath.Join(dir, "policy.sh")
	is.NoErr(os.Mkdir(dir, 0o755))
	allowed := hooks.Rules{Allowed: true}
	is.True(errors.Is(allowed.Check(root, path), fs.ErrNotExist)) // there is none
	is.NoErr(os.WriteFile(path, nil, 0o644))
	is.NoErr(allowed.Check(root, path))
	is.True(errors.Is(hooks.Rules{}.Check(root, path), hooks.ErrNotAllowed)) // not allowed by the operator
	for _, p := range []string{path, dir, root} {
		info, err := os.Stat(p)
		is.NoErr(err)
		is.NoErr(os.Chmod(p, 0o777))
		is.True(allowed.Check(root, path) != nil) // others could write it
		is.NoErr(os.Chmod(p, info.Mode().Perm()))
	}
	link := filepath.Join(dir, "register.sh")
	is.NoErr(os.Symlink(path, link))
	is.True(allowed.Check(root, link) != nil) // a link leads anywhere
	is.True(allowed.Check(root, dir) != nil)  // a folder is no hook
}
