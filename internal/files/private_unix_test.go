//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func TestASecretThatOthersCanReadIsRefused(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "key")
	is.NoErr(os.WriteFile(path, []byte("secret"), 0o600))
	text, err := files.ReadPrivate(path, 10)
	is.NoErr(err)
	is.Equal(string(text), "secret")
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602} {
		is.NoErr(os.Chmod(path, mode))
		_, err = files.ReadPrivate(path, 10)
		is.True(errors.Is(err, files.ErrPublic))
	}
	is.NoErr(os.Chmod(path, 0o600))
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	is.NoErr(os.Chown(path, 65534, 65534))
	_, err = files.ReadPrivate(path, 10)
	is.True(errors.Is(err, files.ErrPublic)) // its owner can
}

func TestAFileIsCreatedAsAWholeOrNotAtAll(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	is.NoErr(files.MakeWhole(path, []byte("one"), 0o600))
	is.True(errors.Is(files.MakeWhole(path, []byte("two"), 0o600), os.ErrExist))
	text, err := files.ReadPrivate(path, 10)
	is.NoErr(err)
	is.Equal(string(text), "one")
	left, err := os.ReadDir(dir)
	is.NoErr(err)
	is.Equal(len(left), 1) // no temporary files
}
