//go:build linux

package fswatch_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
)

// recorded returns a watcher that collects its events.
func recorded(t *testing.T) (*fswatch.Watcher, *[]fswatch.Event) {
	t.Helper()
	var events []fswatch.Event
	w, err := fswatch.New(func(e fswatch.Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, &events
}

func TestWhatHappenedBeforeADrainIsKnownAfterIt(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	dir := t.TempDir()
	_, err := w.Add(dir, fswatch.Contents)
	is.NoErr(err)
	for range 1000 {
		*events = nil
		is.NoErr(os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644))
		is.True(w.Drain())
		is.True(slices.Contains(*events, fswatch.Event{Path: dir, Name: "file", What: fswatch.Contents}))
		*events = nil
		is.True(w.Drain())
		is.Equal(len(*events), 0) // nothing happened since
	}
}

func TestAPathThatLeadsElsewhereIsWatchedAnew(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	is.NoErr(errors.Join(os.Mkdir(a, 0o755), os.Mkdir(b, 0o755)))
	changed, err := w.Add(a, fswatch.Contents)
	is.NoErr(err)
	is.True(changed)
	changed, err = w.Add(a, fswatch.Contents)
	is.NoErr(err)
	is.True(!changed)
	is.NoErr(errors.Join(os.Rename(a, a+"x"), os.Rename(b, a)))
	changed, err = w.Add(a, fswatch.Contents)
	is.NoErr(err)
	is.True(changed) // it is another folder
	w.Drain()
	*events = nil
	is.NoErr(os.WriteFile(filepath.Join(a+"x", "file"), nil, 0o644)) // the former one
	is.NoErr(os.WriteFile(filepath.Join(a, "new"), nil, 0o644))
	w.Drain()
	is.True(!slices.ContainsFunc(*events, func(e fswatch.Event) bool { return e.Name == "file" }))
	is.True(slices.ContainsFunc(*events, func(e fswatch.Event) bool { return e.Name == "new" }))
}

func TestTwoPathsOfOneFolderAreBothReported(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	is.NoErr(os.Symlink(dir, link))
	for _, path := range []string{dir, link} {
		_, err := w.Add(path, fswatch.Contents)
		is.NoErr(err)
	}
	is.NoErr(os.Mkdir(filepath.Join(dir, "one"), 0o755))
	w.Drain()
	is.Equal(len(*events), 2)
	w.Remove(dir)
	*events = nil
	is.NoErr(os.Mkdir(filepath.Join(dir, "two"), 0o755))
	w.Drain()
	is.Equal(*events, []fswatch.Event{{Path: link, Name: "two", What: fswatch.Contents}})
}

func TestALinkThatIsReplacedIsReported(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	link := filepath.Join(t.TempDir(), "link")
	is.NoErr(os.Symlink("/a", link))
	_, err := w.Add(link, fswatch.Itself)
	is.NoErr(err)
	is.NoErr(errors.Join(os.Symlink("/b", link+"2"), os.Rename(link+"2", link)))
	w.Drain()
	is.True(slices.ContainsFunc(*events, func(e fswatch.Event) bool { return e.Path == link }))
}

func TestMoreEventsThanTheSystemKeepsAreReportedAsLost(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	dir := t.TempDir()
	_, err := w.Add(dir, fswatch.Contents)
	is.NoErr(err)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	is.NoErr(os.WriteFile(a, nil, 0o644))
	limit := 16_384 // the usual one
	if set, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events"); err == nil {
		limit, err = strconv.Atoi(strings.TrimSpace(string(set)))
		is.NoErr(err)
	}
	for range limit {
		is.NoErr(os.Rename(a, b))
		a, b = b, a
	}
	is.True(w.Drain())
	is.True(slices.Contains(*events, fswatch.Event{}))
}

func TestAFileSystemOfAProgramIsFar(t *testing.T) {
	is := is.New(t)
	w, _ := recorded(t)
	is.True(errors.Is(w.CheckLocal("/proc/self", 0), fswatch.ErrRemote))
	dir := t.TempDir()
	is.NoErr(w.CheckLocal(dir, 0))
	for path, want := range map[string]error{dir: nil, "/proc/self": fswatch.ErrRemote} {
		info, err := os.Stat(path)
		is.NoErr(err)
		is.True(errors.Is(w.CheckLocal(path, info.Sys().(*syscall.Stat_t).Dev), want))
	}
}

func TestAPathThatIsMissingIsNotWatched(t *testing.T) {
	is := is.New(t)
	w, _ := recorded(t)
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := w.Add(missing, fswatch.Contents)
	is.True(errors.Is(err, fs.ErrNotExist))
	is.True(errors.Is(w.CheckLocal(missing, 0), fs.ErrNotExist))
}

func TestAWatcherCanBeClosedWhileEventsCome(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	for i := range 200 {
		w, err := fswatch.New(func(fswatch.Event) {})
		is.NoErr(err)
		_, err = w.Add(dir, fswatch.Names)
		is.NoErr(err)
		ran := make(chan struct{})
		go func() { w.Run(t.Context()); close(ran) }()
		written := make(chan struct{})
		go func() { os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); close(written) }()
		is.NoErr(w.Close())
		<-ran
		<-written
	}
}

func TestPathsAreAddedByManyAtOnceAndNoneIsMissed(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	dir := t.TempDir()
	const folders, adders = 50, 4
	run := make(chan struct{})
	go func() { w.Run(t.Context()); close(run) }()
	var all sync.WaitGroup
	for range adders { // each path is added by several at the same time
		all.Go(func() {
			for i := range folders {
				path := filepath.Join(dir, strconv.Itoa(i))
				if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
				if _, err := w.Add(path, fswatch.Contents); err != nil {
					t.Error(err)
				}
				if err := os.WriteFile(filepath.Join(path, "file"), nil, 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	is.True(w.Drain())
	is.Equal(len(w.Paths()), folders)
	is.NoErr(w.Close())
	<-run
	for i := range folders {
		path := filepath.Join(dir, strconv.Itoa(i))
		is.True(slices.Contains(*events, fswatch.Event{Path: path, Name: "file", What: fswatch.Contents}))
	}
}

func TestALinkAndItsTargetAreWatchedByOnePath(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	is.NoErr(os.Mkdir(target, 0o755))
	is.NoErr(os.Symlink("target", link))
	for _, what := range []fswatch.Interest{fswatch.Itself, fswatch.Contents} { // the second is added to the first
		changed, err := w.Add(link, what)
		is.NoErr(err)
		is.True(changed)
	}
	const both = fswatch.Itself | fswatch.Contents
	is.NoErr(os.WriteFile(filepath.Join(target, "file"), nil, 0o644))
	is.True(w.Drain())
	is.True(slices.Contains(*events, fswatch.Event{Path: link, Name: "file", What: both}))
	is.NoErr(os.Rename(link, filepath.Join(dir, "away")))
	is.True(w.Drain())
	is.True(slices.Contains(*events, fswatch.Event{Path: link, What: both}))
	is.Equal(len(w.Paths()), 0)
}

func TestTheLastWatcherOfAProcessIsClosedWithoutWaiting(t *testing.T) {
	is := is.New(t)
	w, events := recorded(t)
	w.Exits()
	dir := t.TempDir()
	_, err := w.Add(dir, fswatch.Contents)
	is.NoErr(err)
	ran := make(chan struct{})
	go func() { w.Run(t.Context()); close(ran) }()
	is.NoErr(w.Close())
	<-ran
	is.NoErr(os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	is.Equal(len(*events), 0)
	is.True(!w.Drain()) // it is closed all the same
}
