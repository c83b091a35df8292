package e2e

import (
	"os"
	"testing"
)

// suffix is the suffix of the names of programs.
const suffix = ".exe"

// fifo skips the test: Windows has no named pipes in folders.
func fifo(t *testing.T, _ string) *os.File {
	t.Skip("Windows has no named pipes as files, so nothing can wait at one")
	return nil
}
