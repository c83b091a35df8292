package run

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is what is started for a file. Windows knows no #! lines: what it
// does not start by itself is given to the bash on PATH.
func program(file string) (path string, args []string) {
	native := []string{".exe", ".com", ".bat", ".cmd"}
	if slices.Contains(native, strings.ToLower(filepath.Ext(file))) {
		return file, nil
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		return bash, []string{filepath.ToSlash(file)}
	}
	return file, nil
}
