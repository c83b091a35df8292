package serving

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

func TestAWatchedPipeStaysAsItIs(t *testing.T) {
	is := is.New(t)
	var fds [2]int
	is.NoErr(unix.Pipe2(fds[:], unix.O_CLOEXEC))
	r, w := os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	defer r.Close()
	WhenUnread(w, func() { t.Error("it has a reader") })
	mode, err := unix.FcntlInt(uintptr(fds[1]), unix.F_GETFL, 0)
	is.NoErr(err)
	is.Equal(mode&unix.O_NONBLOCK, 0) // other processes may have it too
	is.NoErr(w.Close())
	n, err := r.Read(make([]byte, 1))
	is.True(n == 0 && err == io.EOF) // the watch does not hold it open
}

func TestASocketThatNobodyReadsIsNoticedToo(t *testing.T) {
	is := is.New(t)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	is.NoErr(err)
	w := os.NewFile(uintptr(fds[1]), "w")
	defer w.Close()
	unread := make(chan struct{})
	WhenUnread(w, func() { close(unread) })
	is.NoErr(unix.Close(fds[0]))
	select {
	case <-unread:
	case <-time.After(time.Minute):
		t.Fatal("not noticed")
	}
}
