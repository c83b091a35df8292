package project

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestAFolderIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	for i := range 1000 { // more than one answer of the system
		name := fmt.Sprint(i, strings.Repeat("é", i%100))
		is.NoErr(os.WriteFile(filepath.Join(root, name), nil, 0o644))
	}
	is.NoErr(os.WriteFile(filepath.Join(root, strings.Repeat("n", 255)), nil, 0o644))
	is.NoErr(os.Mkdir(filepath.Join(root, "folder"), 0o755))
	is.NoErr(os.Mkdir(filepath.Join(root, "..."), 0o755))
	is.NoErr(os.Symlink("nowhere", filepath.Join(root, "link")))
	is.NoErr(syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))

	d, err := openDir(root)
	is.NoErr(err)
	defer d.Close()
	found, err := d.entries()
	is.NoErr(err)
	slices.SortFunc(found, func(a, b dirEntry) int { return strings.Compare(a.name, b.name) })
	want, err := os.ReadDir(root)
	is.NoErr(err)
	is.Equal(len(found), len(want))
	for i, e := range want {
		is.Equal(found[i].name, e.Name())
		is.Equal(found[i].kind.IsRegular(), e.Type().IsRegular())
		is.Equal(found[i].kind&(fs.ModeDir|fs.ModeSymlink), e.Type()&(fs.ModeDir|fs.ModeSymlink))
	}
}
