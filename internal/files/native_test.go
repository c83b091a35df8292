package files

import (
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
