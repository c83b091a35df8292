// Package rig is what tests of the built binary share, whichever package they are in.
package rig

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Patience is how long anything may take on a busy machine.
const Patience = 60 * time.Second

// WriteProgram writes a file that is to be started, and the folders above it. No test may fork
// meanwhile: the child would hold the file open for writing until it is another program, and as
// long as somebody does so it cannot be started ("text file busy").
func WriteProgram(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// CopyPrograms copies a folder with files that are to be started; see [WriteProgram].
func CopyPrograms(t testing.TB, to, from string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// Until waits for what has no event to wait for, such as a change in /proc.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(Patience); !is(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("timed out waiting for " + what)
		}
	}
}

// Settle waits for the next tick of the clock of files: what is made in the tick in which a server
// answers first is reported as a change.
func Settle(t testing.TB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clock")
	made := func() time.Time {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for first := made(); !made().After(first); {
	}
}
