//go:build unix

package sdk

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Whatever a tool puts in place of the file of a long request, it neither blocks its call forever
// nor fills the memory.
func TestAPayloadIsAFileOfBoundedSize(t *testing.T) {
	for _, c := range []struct {
		what string
		make func(path string) error
		want error
	}{
		{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }, files.ErrNotRegular},
		{"device", func(path string) error { return os.Symlink("/dev/zero", path) }, files.ErrLink},
		{"large", func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 8<<30)) }, files.ErrTooLarge},
	} {
		t.Run(c.what, func(t *testing.T) {
			is := is.New(t)
			channel := channelOf(Call{Dir: t.TempDir()})
			path := channel.path("sdk.1.1")
			is.NoErr(c.make(path))
			_, err := channel.payload("1.1")
			is.True(errors.Is(err, c.want))
			_, err = os.Lstat(path)
			is.True(os.IsNotExist(err)) // it is gone
		})
	}
}
