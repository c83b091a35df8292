package files

import (
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
