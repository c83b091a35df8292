package files

import (
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestPathsOfUnixShellsAreConvertedOnWindows(t *testing.T) {
	for path, want := range map[string]string{
		"/c/Users/me": `C:\Users\me`, "/C/x y": `C:\x y`, "/d": `D:\`, "/d/": `D:\`,
		`C:\x`: `C:\x`, "C:/x": "C:/x", "c/x": "c/x", "/usr/bin": "/usr/bin", "//server/share": "//server/share", "/1/x": "/1/x", "/": "/", "": "",
	} {
		t.Run(path, func(t *testing.T) {
			is := is.New(t)
			is.Equal(native(path, "windows"), want)
			is.Equal(native(path, "linux"), path)
		})
	}
}

func TestAPathIsInsideOfAFolderByItsText(t *testing.T) {
	root := filepath.FromSlash("/a/b")
	for path, want := range map[string]string{
		"/a/b": ".", "/a/b/c/d": "c/d", "/a/b/../b/c": "c", "/a": "", "/a/bc": "", "/a/b/../x": "", "/a/b/..c": "..c",
	} {
		is := is.New(t)
		rest, ok := Inside(root, filepath.FromSlash(path))
		is.Equal(ok, want != "")
		if ok {
			is.Equal(filepath.ToSlash(rest), want)
		}
	}
}

func TestTheURIOfAPathHasThreeSlashes(t *testing.T) {
	is := is.New(t)
	is.Equal(URI("/a b/ü#?%"), "file:///a%20b/%C3%BC%23%3F%25")
	is.Equal(URI("C:/x"), "file:///C:/x") // a drive of Windows
}
