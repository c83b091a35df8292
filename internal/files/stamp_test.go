package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestAStampIsTheSameOnlyOnceAnotherWriteWouldShow(t *testing.T) {
	is := is.New(t)
	file := filepath.Join(t.TempDir(), "file")
	is.NoErr(os.WriteFile(file, []byte("a"), 0o644))
	stamp := func() files.Stamp { s, err := files.StampOf(file); is.NoErr(err); return s }
	fresh := stamp()
	is.True(fresh.Settled || !fresh.Same(fresh)) // a second write within a tick would not show
	waittest.Until(t, "it settles", func() bool { return stamp().Settled })
	settled := stamp()
	is.True(settled.Same(stamp()))
	is.NoErr(os.WriteFile(file, []byte("b"), 0o644))
	is.NoErr(os.Chtimes(file, time.Now(), time.Unix(0, settled.Modified))) // as cp -p does
	if runtime.GOOS != "windows" {                                         // which does not tell when a file was changed otherwise
		is.True(!settled.Same(stamp()))
	}
	_, err := files.StampOf(file + "/none")
	is.True(err != nil)
}
