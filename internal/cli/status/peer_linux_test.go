package status_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// TestOtherUsersAreRefused also where the folder lets them in.
func TestOtherUsersAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	is := is.New(t)
	dir := folder(t)
	listen(t, dir)
	path := filepath.Join(dir, status.Socket)
	is.NoErr(os.Chmod(dir, 0o755))
	is.NoErr(os.Chmod(path, 0o666))
	type answer struct {
		bytes int
		err   error
	}
	answers := make(chan answer)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		const nobody = 65534
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 { // of this thread alone
			answers <- answer{0, errno}
			return
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		}
		n := 0
		if err == nil {
			n, err = unix.Read(fd, make([]byte, 1))
			unix.Close(fd)
		}
		answers <- answer{n, err}
	}()
	a := <-answers
	is.NoErr(a.err)
	is.Equal(a.bytes, 0) // the connection was closed
}
