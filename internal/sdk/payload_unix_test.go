//go:build unix

package sdk

import (
	"errors"
	"fmt"
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

// The server holds the channel's lock while it writes into the FIFO of a promise.
func TestAToolThatFillsTheFIFOOfItsReplyDoesNotBlockItsCall(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	x := connected(nil)
	x.path = os.Getenv("PATH")
	e := x.run(t, `
_mcp_rare _mcp_take
printf '\0%s' "$_mcp_token" 7.7 pause 1 "$_mcp_nl" >&"$_mcp_request"
until [ -p "$_mcp_dir/sdk.1.fifo" ]; do :; done
head -c 300000 /dev/zero >"$_mcp_dir/sdk.1.fifo" 2>/dev/null &
disown # Bash 3.2 may report the end of a job
sleep 1.5
kill $!`)
	is.Equal(e.String(), `stdout "", stderr "", code 0`)
}

func TestAToolCannotMakeTheServerOpenAnyNumberOfFIFOs(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	var s Server
	c, err := s.Open(t.Context(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	defer c.Close()
	for i := range 2 * maxFIFOs {
		if quick := c.take(fmt.Sprintf("\x00^\x00%d\x00time\x00\n", i)); quick != nil {
			quick.run()
		}
	}
	is.Equal(len(c.files), maxFIFOs)
	c.take("\x00-\x00sdk.0.fifo\x00\n")
	is.Equal(len(c.files), maxFIFOs-1)
	is.True(c.take("\x00^\x001000\x00time\x00\n") != nil) // there is room again
}
