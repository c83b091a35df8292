//go:build unix

package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestAFailureHoldsForAWhileAfterTheScriptEnded(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.sh --
echo >> runs
read -r _ < go
exit 1
`)
	settle(t, root)
	pipe := filepath.Join(root, "go")
	is.NoErr(syscall.Mkfifo(pipe, 0o600))
	p := opened(t, root, hooked(t))
	listed := make(chan string)
	go func() { listed <- says(t, p.Tools) }()
	end, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the script
	is.NoErr(err)
	running := time.Now()
	is.NoErr(end.Close())
	const failed = "registration failed: server.d/register.sh: ended with exit code 1"
	is.Equal(<-listed, failed)
	is.True(p.sources[1].last.Load().ran.After(running)) // a slow script is not outdated when it ends
	is.Equal(says(t, p.Prompts), failed)
	runs, err := os.ReadFile(filepath.Join(root, "runs"))
	is.NoErr(err)
	is.Equal(strings.Count(string(runs), "\n"), 1)
}
