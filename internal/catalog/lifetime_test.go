package catalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// looking returns a project with a blocked look at its only tool, whose caller has left, and
// release, which unblocks the look.
func looking(t *testing.T) (p *Project, release func()) {
	root := t.TempDir()
	put(t, root, "tools/a/tool.sh", "#!/bin/sh\n")
	put(t, root, "tools/a/tool.meta.json", `{"name":"a","inputSchema":{"type":"object"}}`)
	began, released := make(chan bool, 1), make(chan bool)
	p = opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	read := p.tools.read
	p.tools.read = func(p *Project, c candidate, m metadata) Entry {
		began <- true
		<-released
		return read(p, c, m)
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-began; leave() }()
	_, err := p.Tools(ctx)
	is.New(t).True(errors.Is(err, context.Canceled))
	return p, func() { close(released) }
}

func TestAClosedProjectIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		p, release := looking(t)
		p.Close() // waits for the look, but not for ever
		release()
		synctest.Wait()
		_, err := os.Stat(filepath.Join(p.Root(), ".registry"))
		is.True(errors.Is(err, os.ErrNotExist))
		_, err = p.Tools(t.Context())
		is.True(errors.Is(err, ErrClosed))
	})
}

func TestCloseWaitsForALookThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, release := looking(t)
		closed := make(chan bool)
		go func() { p.Close(); close(closed) }()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("the look runs, and Close has returned")
		default:
		}
		release()
		<-closed
	})
}

func TestCloseDoesNotWaitForAWriteThatIsStuck(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, "-- tools/a.sh --\n"), Options{Folders: Folders{Registry: ".registry"}})
	tools := p.lists[kindTool]
	tools.writing.Lock()
	ended := make(chan bool)
	go func() { p.Tools(context.Background()); close(ended) }()
	waittest.Until(t, "the tools have been listed", func() bool { return tools.last.Load() != nil })
	p.Close()
	tools.writing.Unlock()
	<-ended
	is.True(!isFolder(filepath.Join(p.Root(), ".registry"))) // nor is anything written later
}
