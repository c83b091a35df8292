//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func TestNobodyWaitsForAPipeOrADevice(t *testing.T) {
	is := is.New(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	is.NoErr(syscall.Mkfifo(pipe, 0o600))
	link := pipe + ".link"
	is.NoErr(os.Symlink("/dev/zero", link))
	for _, path := range []string{pipe, link} {
		_, err := files.Read(path, 10)
		is.True(errors.Is(err, files.ErrNotRegular)) // refused at once
	}
}
