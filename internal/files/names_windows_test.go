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

func TestAFileThatIsJustReadIsReplacedWhenItsReaderIsDone(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "file")
	is.NoErr(os.WriteFile(path, []byte("old"), 0o600))
	reader, err := os.Open(path)
	is.NoErr(err)
	replaced := make(chan error)
	go func() { replaced <- files.Replace(path, []byte("new"), 0o600) }()
	reader.Close()
	is.NoErr(<-replaced)
	text, err := os.ReadFile(path)
	is.NoErr(err)
	is.Equal(string(text), "new")
}

func TestANewFileHasNoSecondNameWhileItIsRead(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	is.NoErr(files.MakeWhole(path, []byte("one"), 0o600))
	reader, err := os.Open(path) // as if another server had it open
	is.NoErr(err)
	defer reader.Close()
	is.True(errors.Is(files.MakeWhole(path, []byte("two"), 0o600), fs.ErrExist))
	entries, err := os.ReadDir(dir)
	is.NoErr(err)
	is.Equal(len(entries), 1)
}
