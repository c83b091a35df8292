//go:build unix

package e2e

import (
	"os"
	"syscall"
	"testing"
)

// suffix is what the names of programs end in.
const suffix = ""

// fifo makes a pipe with a name and opens it both ways, so that it has no end
// before it is closed.
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
