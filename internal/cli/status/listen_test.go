package status_test

import (
	"context"
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

func listen(t *testing.T, dir string) io.Closer {
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

func TestWhoConnectsSeesASnapshotUntilTheServerEnds(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l := listen(t, dir)
	if runtime.GOOS != "windows" { // it has no such permissions
		info, err := os.Lstat(filepath.Join(dir, status.Socket))
		is.NoErr(err)
		is.Equal(info.Mode().Perm(), os.FileMode(0o600))
	}
	for range 2 {
		s, err := status.Read(t.Context(), dir)
		is.NoErr(err)
		is.Equal(s.Project, "/srv/notes")
	}
	conn, err := net.Dial("unix", filepath.Join(dir, status.Socket))
	is.NoErr(err)
	defer conn.Close()
	sent, err := io.ReadAll(conn)
	is.NoErr(err)
	is.Equal(strings.Index(string(sent), "\n"), len(sent)-1) // one line
	is.NoErr(l.Close())
	_, err = status.Read(t.Context(), dir)
	is.True(err != nil) // there is nobody
	left, err := os.ReadDir(dir)
	is.NoErr(err)
	is.Equal(len(left), 0) // the socket is gone
}

func TestAWatcherThatDoesNotReadHoldsNothingUp(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l := listen(t, dir)
	conn, err := net.Dial("unix", filepath.Join(dir, status.Socket))
	is.NoErr(err)
	defer conn.Close()
	_, err = status.Read(t.Context(), dir)
	is.NoErr(err)
	is.NoErr(l.Close())
}

func TestASilentServerIsNotWaitedForForEver(t *testing.T) {
	is := is.New(t)
	dir := folder(t)
	l, err := net.Listen("unix", filepath.Join(dir, status.Socket)) // accepts, as the system does for it, and says nothing
	is.NoErr(err)
	defer l.Close()
	_, err = status.Read(t.Context(), dir)
	is.True(errors.Is(err, os.ErrDeadlineExceeded))
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = status.Read(ended, dir)
	is.True(err != nil && !errors.Is(err, os.ErrDeadlineExceeded)) // whoever asks can leave before
}

func TestAPathThatIsTooLongForASocketIsAnError(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(folder(t), strings.Repeat("long", 30))
	is.NoErr(os.Mkdir(dir, 0o700))
	_, err := status.Listen(dir, status.NewBoard("2.0", 7))
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "too long"))
}
