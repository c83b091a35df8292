package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		all[e.Name()] = string(text)
	}
	return all
}

func TestAFileIsReplacedAsAWholeOrNotAtAll(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	is.NoErr(files.Replace(path, []byte("one"), 0o644)) // even if it does not exist
	is.NoErr(files.Replace(path, []byte("two"), 0o600))
	is.Equal(contents(t, dir), map[string]string{"file": "two"}) // and no temporary files
	if info, err := os.Stat(path); runtime.GOOS != "windows" {
		is.NoErr(err)
		is.Equal(info.Mode().Perm(), fs.FileMode(0o600)) // as requested, whatever the umask
	}
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	}
	is.True(errors.Is(files.ReplaceWith(path, 0o600, half), broken))
	is.True(errors.Is(files.Edit(path, nil, files.OwnAccess(0o600), func() error { return broken }), broken))
	is.Equal(contents(t, dir), map[string]string{"file": "two"})
	is.True(errors.Is(files.Replace(filepath.Join(dir, "none", "file"), nil, 0o600), fs.ErrNotExist)) // folders are not created
}

func TestWhatALinkLeadsToIsRewrittenWithItsMode(t *testing.T) {
	is := is.New(t)
	dir, elsewhere := t.TempDir(), t.TempDir()
	path, link := filepath.Join(elsewhere, "file"), filepath.Join(dir, "link")
	is.NoErr(files.Rewrite(path, []byte("one"), 0o640)) // a new file
	err := os.Symlink(path, link)
	if _, missing := os.Lstat(link); err != nil || missing != nil { // Wine reports success without creating one
		t.Skip("the system does not allow this user to make links: ", errors.Join(err, missing))
	}
	is.NoErr(files.Rewrite(link, []byte("two"), 0o600))
	is.Equal(contents(t, elsewhere), map[string]string{"file": "two"})
	info, err := os.Lstat(link)
	is.NoErr(err)
	is.Equal(info.Mode().Type(), fs.ModeSymlink)
	if info, err = os.Stat(path); runtime.GOOS != "windows" {
		is.NoErr(err)
		is.Equal(info.Mode().Perm(), fs.FileMode(0o640))
	}
	is.NoErr(os.Remove(path))
	is.True(files.Rewrite(link, nil, 0o600) != nil) // it leads nowhere
}

func TestAPreparedFileIsPutAsAWholeOrDropped(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	is.NoErr(os.WriteFile(path, []byte("old"), 0o600))
	prepare := func(text string) *files.Prepared {
		p, err := files.Prepare(path, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		is.NoErr(err)
		return p
	}
	dropped := prepare("dropped")
	temporary := 0
	for name, text := range contents(t, dir) {
		if files.IsTemporary(name, "file") {
			is.Equal(text, "dropped")
			temporary++
		}
	}
	is.Equal(temporary, 1) // its name can be recognized
	dropped.Drop()
	is.Equal(contents(t, dir), map[string]string{"file": "old"})
	put := prepare("new")
	is.NoErr(put.Put())
	put.Drop() // has no effect any more
	is.Equal(contents(t, dir), map[string]string{"file": "new"})
	for _, other := range []string{"file", ".file", ".file.", ".file.bak", ".file.abcdefghij", ".file.ABCDEFGHIJK", ".files.ABCDEFGHIJ"} {
		is.True(!files.IsTemporary(other, "file"))
	}
}

func TestAFileOfAFolderIsNotReadOrReplacedThroughALinkThatLeadsOut(t *testing.T) {
	is := is.New(t)
	inside, outside := t.TempDir(), t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(inside, "file"), []byte("one"), 0o644))
	is.NoErr(os.WriteFile(filepath.Join(outside, "file"), []byte("secret"), 0o644))
	dir, err := os.OpenRoot(inside)
	is.NoErr(err)
	defer dir.Close()
	is.NoErr(files.EditIn(dir, "file", []byte("two"), files.OwnAccess(0o644)))
	is.Equal(contents(t, inside), map[string]string{"file": "two"})
	text, err := files.ReadIn(dir, "file", 3)
	is.NoErr(err)
	is.Equal(string(text), "two")
	_, err = files.ReadIn(dir, "file", 2)
	is.True(errors.Is(err, files.ErrTooLarge))
	err = os.Symlink(outside, filepath.Join(inside, "link"))
	if _, missing := os.Lstat(filepath.Join(inside, "link")); err != nil || missing != nil { // Wine reports success without creating one
		t.Skip("the system does not allow this user to make links, so only files are tested: ", errors.Join(err, missing))
	}
	_, err = files.ReadIn(dir, "link/file", 10)
	is.True(err != nil)
	is.True(files.EditIn(dir, "link/file", nil, files.OwnAccess(0o644)) != nil)
	is.Equal(contents(t, outside), map[string]string{"file": "secret"})
}
