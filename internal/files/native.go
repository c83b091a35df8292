package files

import (
	"runtime"
	"strings"
)

// Native is a path as the system has it: on Windows, where the shells of Git, MSYS2 and Cygwin write
// /c/x for C:\x, it is that. All else stays as it is.
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
