//go:build !linux

package process

import (
	"errors"
	"runtime"
)

// CheckCgroup returns an error: this system has no cgroups.
func CheckCgroup(string) error { return errors.New("there are cgroups on Linux only") }

// Unheld returns which limits are not enforced for the commands of this process, a sentence each.
func Unheld(string) []string {
	if runtime.GOOS == "windows" {
		return []string{"Windows does not hold fileSize and openFiles"}
	}
	return []string{"none is held on this system"}
}
