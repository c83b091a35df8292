//go:build unix

package e2e

import (
	"os"
	"syscall"
	"testing"
)

// suffix is the suffix of the names of programs.
const suffix = ""

// fifo creates a named pipe and opens it for reading and writing, so that reads do not
// reach its end before it is closed.
func fifo(t *testing.T, path string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
