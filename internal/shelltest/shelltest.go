// Package shelltest lists the shells in which tests run the files that tools and hooks
// source. Only tests import it.
package shelltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// A Shell is a way to start bash.
type Shell struct {
	Name    string
	Command []string // the program and its options; nil: not available
	Missing string   // why it is not available
}

// Shells returns the bash of this machine, the same started as sh, and that of macOS. They are looked
// up once.
var Shells = sync.OnceValue(find)

func find() []Shell {
	posix := Shell{Name: "posix", Missing: "bash is not installed, so the SDK is not tested with it"}
	old := Shell{Name: "3.2", Missing: "bash 3.2, that of macOS, is not available, so the SDK is not tested with it"}
	now := Shell{Name: "bash", Missing: posix.Missing}
	if path, err := exec.LookPath("bash"); err == nil {
		now.Command, posix.Command = []string{path}, []string{path, "--posix"}
	}
	if path := bash32(); path != "" {
		old.Command = []string{path}
	}
	return []Shell{now, posix, old}
}

// bash32 looks for shared/bash-3.2/bash in the folders around this one.
func bash32() string {
	dir, err := os.Getwd()
	for err == nil {
		path := filepath.Join(dir, "shared", "bash-3.2", "bash")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() &&
			exec.Command(path, "-c", "exit 0").Run() == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// Each runs a test in each of the shells. Unavailable ones are skipped.
func Each(t *testing.T, test func(t *testing.T, s Shell)) {
	t.Helper()
	for _, s := range Shells() {
		t.Run(s.Name, func(t *testing.T) {
			if s.Command == nil {
				t.Skip(s.Missing)
			}
			test(t, s)
		})
	}
}
