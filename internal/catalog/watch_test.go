package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// news are the reports of a watch.
type news struct {
	t     *testing.T
	told  chan Kinds
	ended chan struct{}
	end   context.CancelFunc
}

// watching starts a watch and returns when it has begun.
func watching(t *testing.T, p *Project) *news {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := &news{t: t, told: make(chan Kinds, 1000), ended: make(chan struct{}), end: cancel}
	begun := make(chan struct{})
	run := p.Watch(func() { close(begun) }, func(changed Kinds) { n.told <- changed }, func() {})
	go func() {
		run(ctx)
		close(n.ended)
	}()
	t.Cleanup(func() { cancel(); <-n.ended })
	<-begun
	waittest.Until(t, "the watch has heard of all changes", func() bool { return p.monitor.Load() == nil || p.rests() })
	return n
}

// next returns the next report, which must come soon.
func (n *news) next() string {
	n.t.Helper()
	select {
	case changed := <-n.told:
		return changed.String()
	case <-time.After(time.Minute): // a second where the machine has nothing else to do
		n.t.Fatal("nothing was told")
		return ""
	}
}

// until collects reports until they contain the kinds.
func (n *news) until(kinds Kinds) (all Kinds) {
	n.t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case changed := <-n.told:
			if all |= changed; all&kinds == kinds {
				return all
			}
		case <-deadline:
			n.t.Fatal("not all was told, but " + all.String())
		}
	}
}

// rests reports whether the watch has looked at everything that the system has reported.
func (p *Project) rests() bool {
	m := p.monitor.Load()
	if m == nil {
		return false
	}
	m.settle()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last <= m.followed
}

// scansOf returns how often a tree, which nobody has looked at yet, was scanned.
func scansOf(t *tree) (scans func() int) {
	var n atomic.Int32
	look := t.look
	t.look = func(before *records, a ask) *records { n.Add(1); return look(before, a) }
	return func() int { return int(n.Load()) }
}

// ways are the ways in which a watch detects changes.
func ways(t *testing.T, do func(t *testing.T, open func(root string) *Project)) {
	t.Run("told by the system", func(t *testing.T) {
		do(t, func(root string) *Project { return opened(t, root, Options{}) })
	})
	t.Run("by looking", func(t *testing.T) {
		do(t, func(root string) *Project {
			p := opened(t, root, Options{Poll: 5 * time.Millisecond})
			p.listen = func(*Project) (*monitor, error) { return nil, errors.New("nothing is reported") }
			return p
		})
	})
}

func TestAListThatChangesIsTold(t *testing.T) {
	ways(t, func(t *testing.T, open func(string) *Project) {
		is := is.New(t)
		root := folderOf(t, "-- tools/a/tool.sh --\n-- resources/a.md --\n")
		n := watching(t, open(root))
		putWhole(t, root, "tools/b.sh", "")
		is.Equal(n.next(), "tools") // a new file
		putWhole(t, root, "tools/a/tool.meta.json", `{"title":"x"}`)
		is.Equal(n.next(), "tools") // a file in a folder
		putWhole(t, root, "tools/group/c/tool.sh", "")
		is.Equal(n.next(), "tools") // in new folders
		putWhole(t, root, "tools/group/c/tool.meta.json", `{"title":"x"}`)
		is.Equal(n.next(), "tools") // which are heard of from then on
		putWhole(t, root, "prompts/p.md", "")
		is.Equal(n.next(), "prompts") // a new kind
		putWhole(t, root, "prompts/p.meta.json", `{"title":"x"}`)
		is.Equal(n.next(), "prompts")
		putWhole(t, root, "resources/t.meta.json", `{"name":"t","uriTemplate":"x:{y}"}`)
		is.Equal(n.next(), "resourceTemplates")
		is.NoErr(os.RemoveAll(filepath.Join(root, "resources")))
		is.Equal(n.until(Resources|Templates), Resources|Templates) // gone
		putWhole(t, root, "resources/a/b.md", "")
		is.Equal(n.next(), "resources") // back
	})
}

func TestNothingIsMissedOnceAWatchHasBegun(t *testing.T) {
	ways(t, func(t *testing.T, open func(string) *Project) {
		is := is.New(t)
		root := folderOf(t, "-- tools/a/tool.sh --\n-- resources/a.md --\n")
		n := &news{t: t, told: make(chan Kinds, 1000)}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		begun := 0
		go func() {
			defer close(ended)
			open(root).Watch(func() {
				begun++
				put(t, root, "tools/b.sh", "") // before the system was asked to tell of anything
				put(t, root, "prompts/new/p.md", "")
			}, func(changed Kinds) { n.told <- changed }, func() {})(ctx)
		}()
		is.Equal(n.until(Tools|Prompts), Tools|Prompts)
		cancel()
		<-ended
		is.Equal(begun, 1)
	})
}

func TestServerFilesAreWatchedToo(t *testing.T) {
	ways(t, func(t *testing.T, open func(string) *Project) {
		is := is.New(t)
		root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/ui/index.html --\n")
		n := watching(t, open(root))
		put(t, root, "server.d/new.json", `{"name":"x"}`)
		is.NoErr(os.Rename(filepath.Join(root, "server.d", "new.json"), filepath.Join(root, "server.d", "server.meta.json")))
		is.Equal(n.until(Tools|Resources), Tools|Resources) // the name is part of addresses
		put(t, root, "server.d/register.json", `{"version": 1, "tools": []}`)
		is.Equal(n.until(Tools|Resources), Tools|Resources)
		put(t, root, "server.d/register.json", `{"version": 1, "tools": [{}]}`)
		put(t, root, "prompts/p.md", "")
		is.Equal(n.next(), "prompts") // a list that answers an error is no news
		put(t, root, "server.d/register.json", `{"version": 1}`)
		is.Equal(n.until(Tools|Resources), Tools|Resources) // until it is mended
	})
}

func TestNothingIsToldWhereNothingChanged(t *testing.T) {
	ways(t, func(t *testing.T, open func(string) *Project) {
		is := is.New(t)
		root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/tool.meta.json --\n{\"title\":\"x\"}\n-- resources/a.log --\n")
		n := watching(t, open(root))
		put(t, root, "tools/a/tool.meta.json", `{ "title": "x", "timeoutSecs": 1 }`) // not what clients see
		put(t, root, "tools/a/tool.sh", "echo other")
		put(t, root, "tools/a/data.json", "{}")
		put(t, root, "tools/a/tool.meta.json", `{"ti`) // half saved
		put(t, root, "resources/a.log", "a line more")
		put(t, root, "other/file", "")
		put(t, root, "file", "")
		is.NoErr(os.Chtimes(filepath.Join(root, "tools", "a", "tool.sh"), time.Now(), time.Now()))
		put(t, root, "tools/b.sh", "")
		is.NoErr(os.Remove(filepath.Join(root, "tools", "b.sh"))) // gone before anybody saw it, or told twice
		put(t, root, "prompts/p.md", "")
		all := n.until(Prompts)
		is.True(all == Prompts || all == Prompts|Tools)
		select {
		case changed := <-n.told:
			is.Equal(changed, Tools) // the second half of what was told twice
		default:
		}
	})
}

func TestAChangeThatAClientHasSeenIsToldThoughItIsUndone(t *testing.T) {
	ways(t, func(t *testing.T, open func(string) *Project) {
		is := is.New(t)
		root := folderOf(t, "-- tools/a.sh --\n")
		p := open(root)
		p.debounce = maxDelay
		n := watching(t, p)
		putWhole(t, root, "tools/b.sh", "")
		is.Equal(len(all(t, p.Tools).Items), 2) // a client has asked before the watch has looked
		is.NoErr(os.Remove(filepath.Join(root, "tools", "b.sh")))
		is.Equal(n.until(Tools), Tools)
	})
}

func TestManyChangesAtOnceAreToldOnce(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- prompts/a.md --\n")
	n := watching(t, opened(t, root, Options{}))
	for i := range 50 {
		put(t, root, fmt.Sprintf("prompts/p%d.md", i), "")
	}
	put(t, root, "resources/last.md", "")
	n.until(Prompts | Resources)
	is.True(len(n.told) <= 3) // not fifty times
}

func TestAWatchEndsWithItsContext(t *testing.T) {
	ways(t, func(t *testing.T, open func(string) *Project) {
		is := is.New(t)
		root := folderOf(t, "-- tools/a.sh --\n")
		p := open(root)
		scans := scansOf(p.tools)
		n := watching(t, p)
		n.end()
		<-n.ended
		before := scans()
		put(t, root, "tools/b.sh", "")
		is.Equal(names(snapshot(t, p)), "a b")
		is.Equal(scans(), before+1) // only ours
		is.Equal(len(n.told), 0)
	})
}

func TestAWatchThatHearsDoesNotLookByItself(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n")
	p := opened(t, root, Options{})
	scans := scansOf(p.tools)
	n := watching(t, p)
	before := scans()
	put(t, root, "prompts/p.md", "")
	is.Equal(n.next(), "prompts")
	is.True(scans()-before <= 4) // for the new folder, and for what happened in it
}

func TestTooManyFoldersAreLookedAtInstead(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/b/tool.sh --\n-- tools/c/tool.sh --\n")
	var log bytes.Buffer
	p := opened(t, root, Options{Poll: 5 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	p.listen = func(p *Project) (*monitor, error) {
		e, err := startMonitor(p)
		if err == nil {
			var used atomic.Int32
			e.add = func(path string) (bool, error) {
				if filepath.Base(path) == "c" || used.Add(1) > 100 {
					return false, errors.New("no space left on device")
				}
				return e.watcher.Add(path)
			}
		}
		return e, err
	}
	n := watching(t, p)
	put(t, root, "tools/c/tool.meta.json", `{"title":"x"}`)
	is.Equal(n.next(), "tools")
	put(t, root, "tools/d/tool.sh", "")
	is.Equal(n.next(), "tools")
	n.end()
	<-n.ended
	is.Equal(strings.Count(log.String(), "the system cannot report changes in the project, so its files are polled"), 1)
}

func TestAProjectThatMayNoLongerBeReachedIsSeenByTheNextList(t *testing.T) {
	if os.Geteuid() == 0 || !executableBits {
		t.Skip("root may enter every folder, and Windows has no mode that forbids it")
	}
	is := is.New(t)
	for _, at := range []string{"above", "above/project"} {
		above := folderOf(t, "-- above/project/tools/a.sh --\n")
		p := opened(t, filepath.Join(above, "above", "project"), Options{})
		watching(t, p)
		is.Equal(names(snapshot(t, p)), "a")
		chmod(t, above, at, 0)
		t.Cleanup(func() { os.Chmod(filepath.Join(above, at), 0o755) })
		_, err := p.Tools(t.Context())
		is.True(errors.Is(err, fs.ErrPermission))
		chmod(t, above, at, 0o755)
		is.Equal(names(snapshot(t, p)), "a")
	}
}

func TestTheFilesAreLookedAtEverySecondWhereNothingElseIsPossible(t *testing.T) {
	is := is.New(t)
	w := &watch{p: opened(t, t.TempDir(), Options{}), happened: func() {}}
	w.fallBack(errors.New("no"))
	is.Equal(w.interval(), fallbackPoll)
	w.p.o.Poll = time.Minute
	w.fallBack(errors.New("no"))
	is.Equal(w.interval(), time.Minute) // unless the operator knows better
}

func TestStaticListsAreWatchedWhereTheyAreKept(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- prompts/a.md --\n")
	looking := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	lists(t, looking)
	n := watching(t, opened(t, root, Options{Folders: Folders{Registry: ".registry"}, Static: true}))
	put(t, root, "prompts/b.md", "")
	lists(t, looking)
	is.Equal(n.next(), "prompts")
}
