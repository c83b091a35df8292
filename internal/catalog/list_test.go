package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestToolsAreSortedByName(t *testing.T) {
	is := is.New(t)
	archive := "-- tools/c.sh --\n-- tools/b/tool.sh --\n# mcp: {\"name\":\"a\"}\n-- tools/a/d.sh --\n-- tools/a/B.sh --\n"
	s := found(t, archive)
	is.Equal(names(s), "B a c d")            // by bytes, whatever the folders
	is.Equal(s.Hash, found(t, archive).Hash) // the same in another process
}

func TestAProjectWithoutTools(t *testing.T) {
	is := is.New(t)
	s := snapshot(t, opened(t, t.TempDir(), Options{}))
	is.True(s.Items != nil && len(s.Items) == 0) // an empty list, not none
	is.Equal(faults(s), "")                      // this is not a fault
	is.True(s.Hash != "")
}

func TestAFileInPlaceOfTheToolsFolder(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools --\n")
	is.Equal(faults(s), "tools: cannot be read: it is not a folder")
}

func TestAnotherToolsFolder(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- my/scripts/b.sh --\n")
	elsewhere := folderOf(t, "-- c.sh --\n-- c.meta.json --\n{\n")
	is.Equal(names(snapshot(t, opened(t, root, Options{Folders: Folders{Tools: "my/scripts"}}))), "b") // relative to the root
	p := opened(t, root, Options{Folders: Folders{Tools: elsewhere}})
	is.Equal(p.ToolsDir(), elsewhere) // or anywhere
	is.Equal(faults(snapshot(t, p)),
		filepath.ToSlash(elsewhere)+"/c.meta.json:1: is not valid JSON: it ends too early; close what is open")
}

func TestWhatChangesIsSeenAtOnce(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n")
	p := opened(t, root, Options{})
	is.Equal(names(snapshot(t, p)), "a")
	put(t, root, "tools/b/b.sh", "")
	is.Equal(names(snapshot(t, p)), "a b") // a new folder
	put(t, root, "tools/b/b.meta.json", `{"title":"1"}`)
	is.Equal(snapshot(t, p).Items[1].Title, "1") // new metadata
	put(t, root, "tools/b/b.meta.json", `{"title":"2"}`)
	is.Equal(snapshot(t, p).Items[1].Title, "2") // other metadata of the same size
	put(t, root, "tools/b/b.sh", "# mcp: {}")
	is.NoErr(os.Remove(filepath.Join(root, "tools", "b", "b.meta.json")))
	is.Equal(snapshot(t, p).Items[1].Title, "") // none
	is.NoErr(os.Rename(filepath.Join(root, "tools", "b"), filepath.Join(root, "tools", "c")))
	is.Equal(snapshot(t, p).Items[1].Dir, filepath.Join(root, "tools", "c")) // a folder that moved
	is.NoErr(os.RemoveAll(filepath.Join(root, "tools")))
	is.Equal(names(snapshot(t, p)), "") // nothing is left
}

func TestAToolIsFoundTheMomentItIsThere(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/x.sh --\n")
	p := opened(t, root, Options{})
	for i := range 50 {
		name := fmt.Sprintf("t%d", i)
		_, err := p.Tool(t.Context(), name)
		is.True(errors.Is(err, ErrUnknownTool)) // not yet
		put(t, root, "tools/"+name+"/tool.sh", "# mcp: {\"title\":\"1\"}")
		tool, err := p.Tool(t.Context(), name)
		is.NoErr(err)
		is.Equal(tool.Title, "1") // new
		put(t, root, "tools/"+name+"/tool.sh", "# mcp: {\"title\":\"2\"}")
		tool, err = p.Tool(t.Context(), name)
		is.NoErr(err)
		is.Equal(tool.Title, "2") // changed
	}
}

func TestUnchangedFilesAreNotReadAgain(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/tool.meta.json --\n{\"title\":\"1\"}\n-- tools/b.sh --\n# mcp: {\"title\":\"1\"}\n-- tools/c.sh --\n")
	settle(t, root)
	p := opened(t, root, Options{})
	first := snapshot(t, p)
	again := snapshot(t, p)
	is.True(&again.Items[0] == &first.Items[0]) // the very same list
	put(t, root, "tools/d.sh", "")
	put(t, root, "tools/c.sh", "# mcp: {\"title\":\"2\"}")
	again = snapshot(t, p)
	is.Equal(names(again), "a b c d")        // what changed is seen
	is.Equal(again.Items[0], first.Items[0]) // what did not is the same tool
	is.Equal(again.Items[1], first.Items[1]) // even in a folder that changed
	is.Equal(again.Items[2].Title, "2")
}

func TestAnIconThatAppearsOrChangesIsSeen(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/a.sh --\n-- tools/a/a.meta.json --\n{\"icons\":[{\"src\":\"img/a.png\"}]}\n-- tools/a/img/x --\n")
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(string(snapshot(t, p).Items[0].Icons), "") // missing
	put(t, root, "tools/a/img/a.png", "a")
	is.Equal(string(snapshot(t, p).Items[0].Icons), `[{"src":"data:image/png;base64,YQ=="}]`) // there
	put(t, root, "tools/a/img/a.png", "b")
	is.Equal(string(snapshot(t, p).Items[0].Icons), `[{"src":"data:image/png;base64,Yg=="}]`) // another
}

func TestTheModeOfAScriptIsSeenToChange(t *testing.T) {
	if !executableBits {
		t.Skip("Windows files have no mode that allows starting them")
	}
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- tools/b/tool.sh --\n")
	chmod(t, root, "tools/a.sh", 0o644)
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(names(snapshot(t, p)), "b")
	chmod(t, root, "tools/a.sh", 0o755)
	is.Equal(names(snapshot(t, p)), "a b") // it may be started now
	chmod(t, root, "tools/b/tool.sh", 0o644)
	tool, err := p.Tool(t.Context(), "b")
	is.NoErr(err)
	is.Equal(tool.Name, "b") // and this one is started by its interpreter
}

func TestMetadataThatIsSavedHalfwayKeepsTheToolAsItWas(t *testing.T) {
	for _, half := range []string{"", `{"title": "n`, "{\n"} {
		t.Run(half, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/tool.meta.json --\n{\"title\": \"old\"}\n")
			p := opened(t, root, Options{})
			before := snapshot(t, p)
			put(t, root, "tools/a/tool.meta.json", half)
			settle(t, root)
			for range 3 {
				s := snapshot(t, p)
				is.Equal(s.Items[0].Title, "old")                                    // as before
				is.Equal(s.Hash, before.Hash)                                        // so the list did not change
				is.True(strings.Contains(faults(s), "keeping the previous version")) // but it is told
				is.True(s.Faults[0].Warning)
			}
			put(t, root, "tools/a/tool.meta.json", `{"title": "new"}`)
			s := snapshot(t, p)
			is.Equal(s.Items[0].Title, "new") // the rest has come
			is.Equal(faults(s), "")
		})
	}
}

func TestAValueThatIsWrongCostsTheValue(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/tool.meta.json --\n{\"title\": \"old\"}\n")
	p := opened(t, root, Options{})
	snapshot(t, p)
	put(t, root, "tools/a/tool.meta.json", `{"title": 7}`)
	is.Equal(snapshot(t, p).Items[0].Title, "") // not the old one: someone meant it
	_, err := p.Tool(t.Context(), "a")
	is.NoErr(err)
}

func TestTheHashIsOfWhatClientsSee(t *testing.T) {
	is := is.New(t)
	hash := func(metadata string) string {
		return found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n"+metadata).Hash
	}
	plain := hash(`{"title":"x"}`)
	is.Equal(plain, hash(` { "title" : "x", "timeoutSecs": 1, "env": {"A":"b"}, "own": 1 }`)) // these they do not see
	for _, other := range []string{
		`{"title":"y"}`, `{"description":"x"}`, `{"title":"x","name":"b"}`, `{"title":"x","inputSchema":{"required":["a"]}}`,
		`{"title":"x","_meta":{}}`,
		`{"title":"x","outputSchema":{}}`, `{"title":"x","annotations":{}}`, `{"title":"x","icons":[]}`, `{}`,
	} {
		is.True(plain != hash(other)) // these they do
	}
	is.True(hash(`{"annotations":{}}`) != hash(`{"_meta":{}}`)) // in their place
}

func TestOddFileNamesAreLeftOut(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/good.sh --\n")
	for _, name := range []string{"a\nb.sh", "c\x1b[31m.sh", "d\xff.sh"} {
		if err := os.WriteFile(filepath.Join(root, "tools", name), nil, 0o755); err != nil {
			t.Skip("this file system refuses names with such characters: ", err)
		}
	}
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "good") // the rest works
	const reason = ": its name has control characters or is not valid UTF-8, so it is left out; rename it"
	// on a line each
	is.Equal(faults(s), `"tools/a\nb.sh"`+reason+"\n"+`"tools/c\x1b[31m.sh"`+reason+"\n"+`"tools/d\xff.sh"`+reason)
}

func TestAFolderThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 || !executableBits {
		t.Skip("root may read every folder, and Windows has no mode that forbids it")
	}
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/good.sh --\n")
	chmod(t, root, "tools/a", 0)
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "tools", "a"), 0o755) })
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "good") // the rest works
	is.Equal(faults(s), "tools/a: cannot be read: permission denied")
}

func TestEachFaultIsLoggedOnce(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n[]\n")
	var log bytes.Buffer
	p := opened(t, root, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		snapshot(t, p)
	}
	is.Equal(strings.Count(log.String(), "must be an object"), 1) // not at every list
	put(t, root, "tools/a.meta.json", "{}")
	snapshot(t, p)
	put(t, root, "tools/a.meta.json", "[]")
	snapshot(t, p)
	is.Equal(strings.Count(log.String(), "must be an object"), 2) // but when it comes back
}

func TestCallersAtTheSameTimeShareAScan(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n# mcp: {\"inputSchema\":{}}\n")
	began, proceed := make(chan struct{}, 1), make(chan struct{})
	var reads atomic.Int32
	p := opened(t, root, Options{})
	scans, read := scansOf(p.tools), p.tools.read
	p.tools.read = func(p *Project, c candidate, m metadata) Entry {
		if reads.Add(1) == 1 {
			began <- struct{}{}
			<-proceed
		}
		return read(p, c, m)
	}
	first := make(chan error, 1)
	go func() { _, err := p.Tools(context.Background()); first <- err }()
	<-began

	results := make([]string, 20)
	before := p.clock.Load()

	impatient, leave := context.WithCancelCause(context.Background())
	left := make(chan error, 1)
	go func() { _, err := p.Tools(impatient); left <- err }()
	leave(errors.New("enough"))
	is.Equal((<-left).Error(), "enough") // who leaves does not wait

	put(t, root, "tools/b.sh", "")
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			s, err := p.Tools(context.Background())
			if err == nil {
				results[i] = names(s)
			}
		})
	}
	waittest.Until(t, "all have asked", func() bool { return p.clock.Load() == before+1+uint64(len(results)) })
	close(proceed)
	is.NoErr(<-first) // nor does who leaves end it for the others
	group.Wait()
	for _, r := range results {
		is.Equal(r, "a b") // what was there before they asked, though a scan was under way
	}
	is.Equal(scans(), 2) // and one scan was enough for all of them
}

func TestManyReadersWhileFilesChange(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/b/tool.sh --\n")
	p := opened(t, root, Options{})
	snapshot(t, p) // from here on, a has something to fall back on while its metadata is half saved
	done := make(chan struct{})
	running := func() bool {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	var group sync.WaitGroup
	var wrong atomic.Value
	for i := range 4 {
		group.Go(func() {
			for running() {
				if i%2 == 0 {
					if s, err := p.Tools(t.Context()); err != nil || len(s.Items) < 2 {
						wrong.Store(fmt.Sprint(names(s), faults(s), err))
					}
				} else if _, err := p.Tool(t.Context(), "b"); err != nil {
					wrong.Store(err.Error())
				}
			}
		})
	}
	for n := range 50 {
		put(t, root, "tools/a/tool.meta.json", fmt.Sprintf(`{"title":"%d"}`, n))
		put(t, root, fmt.Sprintf("tools/c%d/tool.sh", n%3), "")
		os.RemoveAll(filepath.Join(root, "tools", fmt.Sprintf("c%d", (n+1)%3)))
	}
	close(done)
	group.Wait()
	is.Equal(wrong.Load(), nil) // a and b were there all the time
}

func TestPathsInMessagesAreRelative(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	p := opened(t, root, Options{})
	is.Equal(p.Root(), root)
	is.Equal(p.Rel(filepath.Join(root, "tools", "x")), "tools/x")
	is.Equal(p.Rel(filepath.Dir(root)), filepath.ToSlash(filepath.Dir(root))) // but for what lies outside
	is.Equal(p.ServerDir(), filepath.Join(root, "server.d"))
}

func TestFoldersWithTheSameNamesAreFollowedEach(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- tools/a/tool.sh --
-- tools/a/lib.sh --
-- tools/b/tool.sh --
-- tools/b/lib.sh --
-- tools/c/tool.sh --
-- tools/c/lib.sh/x.sh --
`)
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(names(snapshot(t, p)), "a b c") // in c a folder has the name that files have elsewhere
	put(t, root, "tools/b/tool.meta.json", `{"name":"renamed"}`)
	is.Equal(names(snapshot(t, p)), "a c renamed")
	is.NoErr(os.Remove(filepath.Join(root, "tools", "a", "tool.sh")))
	is.Equal(names(snapshot(t, p)), "c lib renamed")
	is.NoErr(os.Remove(filepath.Join(root, "tools", "b", "tool.meta.json")))
	is.Equal(names(snapshot(t, p)), "b c lib")
}
