package status_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// folder is a private one with a path that is short enough.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcpbash.state.")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func listen(t *testing.T, dir string) *status.Listener {
	t.Helper()
	b := status.NewBoard("2.0", 7)
	b.Serves("/srv/notes")
	l, err := status.Listen(dir, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestWhoConnectsSeesSnapshotsUntilTheServerEnds(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l := listen(t, dir)
	if runtime.GOOS != "windows" { // it has no such permissions
		info, err := os.Lstat(filepath.Join(dir, status.Socket))
		is.NoErr(err)
		is.Equal(info.Mode().Perm(), os.FileMode(0o600))
	}
	seen := 0
	err := status.Watch(dir, func(s status.Snapshot) bool {
		is.Equal(s.Project, "/srv/notes")
		if seen++; seen == 2 {
			go l.Close()
		}
		return true
	})
	is.NoErr(err)
	is.True(seen >= 2)
	is.True(status.Watch(dir, nil) != nil) // there is nobody
	left, err := os.ReadDir(dir)
	is.NoErr(err)
	is.Equal(len(left), 0) // the socket is gone
}

func TestAServerThatLeavesItsSocketToTheEndOfTheProcessIsNotFoundAnyMore(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l := listen(t, dir)
	is.NoErr(l.Leave())
	left, err := os.ReadDir(dir)
	is.NoErr(err)
	is.Equal(len(left), 0)
	is.True(status.Watch(dir, nil) != nil)
	is.NoErr(l.Close())
}

func TestAWatcherThatDoesNotReadHoldsNothingUp(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l := listen(t, dir)
	conn, err := net.Dial("unix", filepath.Join(dir, status.Socket))
	is.NoErr(err)
	defer conn.Close()
	is.NoErr(status.Watch(dir, func(status.Snapshot) bool { return false }))
	is.NoErr(l.Close()) // waits for all who are served
}

func TestAWatcherThatSaysSomethingIsDisconnected(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	listen(t, dir)
	conn, err := net.Dial("unix", filepath.Join(dir, status.Socket))
	is.NoErr(err)
	defer conn.Close()
	_, err = conn.Write([]byte("x"))
	is.NoErr(err)
	_, err = io.Copy(io.Discard, conn) // comes to an end
	is.True(err == nil || !errors.Is(err, os.ErrDeadlineExceeded))
}

func TestOnlySoManyWatchAtTheSameTime(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	listen(t, dir)
	path := filepath.Join(dir, status.Socket)
	one := make([]byte, 1)
	var first net.Conn
	for range status.Watchers {
		conn, err := net.Dial("unix", path)
		is.NoErr(err)
		defer conn.Close()
		_, err = conn.Read(one) // it is served
		is.NoErr(err)
		first = conn
	}
	is.True(errors.Is(status.Watch(dir, nil), status.ErrBusy))
	first.Close()
	for errors.Is(status.Watch(dir, func(status.Snapshot) bool { return false }), status.ErrBusy) {
		runtime.Gosched() // until its place is free
	}
}

func TestASilentServerIsNotWaitedForForEver(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l, err := net.Listen("unix", filepath.Join(dir, status.Socket)) // accepts, as the system does for it, and says nothing
	is.NoErr(err)
	defer l.Close()
	is.True(errors.Is(status.Watch(dir, nil), os.ErrDeadlineExceeded))
}

func TestAPathThatIsTooLongForASocketIsAnError(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(folder(t), strings.Repeat("long", 30))
	is.NoErr(os.Mkdir(dir, 0o700))
	_, err := status.Listen(dir, status.NewBoard("2.0", 7))
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "too long"))
}
