package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func TestAFileIsReadUpToItsLimit(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "file")
	_, err := files.Read(path, 3)
	is.True(errors.Is(err, fs.ErrNotExist))
	is.NoErr(os.WriteFile(path, []byte("abc"), 0o600))
	got, err := files.Read(path, 3)
	is.NoErr(err)
	is.Equal(string(got), "abc")
	_, err = files.Read(path, 2)
	is.Equal(err.Error(), "read "+path+": has more than 2 bytes")
}

func TestAFolderIsNotAFile(t *testing.T) {
	is := is.New(t)
	_, err := files.Read(t.TempDir(), 10)
	is.True(err != nil)
}
