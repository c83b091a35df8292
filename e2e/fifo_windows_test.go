package e2e

import (
	"os"
	"testing"
)

// suffix is what the names of programs end in.
const suffix = ".exe"

// fifo skips the test: Windows has no pipes with names in folders.
func fifo(t *testing.T, _ string) *os.File {
	t.Skip("Windows has no named pipes as files, so nothing can wait at one")
	return nil
}
