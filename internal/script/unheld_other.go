//go:build !linux

package script

import (
	"errors"
	"runtime"
)

// CheckCgroup reports why commands cannot get a cgroup in a folder.
func CheckCgroup(string) error { return errors.New("there are cgroups on Linux only") }

// Unheld says which limits are not held for the commands of this process: a sentence each.
func Unheld(string) []string {
	if runtime.GOOS == "windows" {
		return []string{"Windows does not hold fileSize and openFiles"}
	}
	return []string{"none is held on this system"}
}
