package files

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Native converts a path to the form of the system: on Windows /c/x, as the shells of Git, MSYS2
// and Cygwin write it, becomes C:\x. All other paths stay as they are.
func Native(path string) string { return native(path, runtime.GOOS) }

func native(path, system string) string {
	if system != "windows" || len(path) < 2 || path[0] != '/' {
		return path
	}
	drive, rest := path[1:2], path[2:]
	if drive = strings.ToUpper(drive); drive < "A" || drive > "Z" || rest != "" && rest[0] != '/' {
		return path
	}
	return drive + `:\` + strings.ReplaceAll(strings.TrimPrefix(rest, "/"), "/", `\`)
}

// InRoot returns a path that a setting names: relative to the folder root unless it is absolute.
func InRoot(root, path string) string {
	if path = Native(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

// Inside returns the part of a path below the folder root, "." for the folder itself, and whether the path is in it.
// It compares texts: resolve links first if they must not lead out.
func Inside(root, path string) (rest string, ok bool) {
	rest, err := filepath.Rel(root, path)
	return rest, err == nil && filepath.IsLocal(rest)
}

// URI returns the file: URI of an absolute path (RFC 8089).
func URI(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String()
}
