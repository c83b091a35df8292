package fswatch_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// A record collects what a watcher reports.
type record struct {
	mu    sync.Mutex
	paths []string
}

func (r *record) add(path string) { r.mu.Lock(); defer r.mu.Unlock(); r.paths = append(r.paths, path) }

func (r *record) has(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.paths, path)
}

// take returns what was reported since it was called last.
func (r *record) take() (paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	paths, r.paths = r.paths, nil
	return paths
}

func recorded(t *testing.T) (*fswatch.Watcher, *record) {
	t.Helper()
	r := &record{}
	w, err := fswatch.New(t.TempDir(), r.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, r
}

func TestAChangeInAWatchedFolderIsReported(t *testing.T) {
	is := is.New(t)
	w, r := recorded(t)
	dir := t.TempDir()
	added, err := w.Add(dir)
	is.NoErr(err)
	is.True(added)
	added, err = w.Add(dir)
	is.NoErr(err)
	is.True(!added) // it was watched already
	file := filepath.Join(dir, "file")
	is.NoErr(os.WriteFile(file, nil, 0o644))
	waittest.Until(t, "it is reported", func() bool { return r.has(file) })
	w.Keep(func(string) bool { return false })
	is.Equal(w.Len(), 0)
}

func TestAFolderThatCannotBeWatchedIsAnError(t *testing.T) {
	is := is.New(t)
	w, _ := recorded(t)
	_, err := w.Add(filepath.Join(t.TempDir(), "none"))
	is.True(errors.Is(err, fs.ErrNotExist))
}

func onLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not keep the order of events")
	}
}

func TestWhatHappenedBeforeItSettlesWasReported(t *testing.T) {
	onLinux(t)
	is := is.New(t)
	w, r := recorded(t)
	dir := t.TempDir()
	_, err := w.Add(dir)
	is.NoErr(err)
	file := filepath.Join(dir, "file")
	for range 1000 {
		is.NoErr(os.WriteFile(file, []byte("x"), 0o644))
		is.True(w.Settle())
		is.True(slices.Contains(r.take(), file))
		is.True(w.Settle())
		is.Equal(len(r.take()), 0) // nothing has happened since
	}
}

func TestFoldersThatAreMovedAreNoLongerWatched(t *testing.T) {
	onLinux(t)
	is := is.New(t)
	w, r := recorded(t)
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	inner := filepath.Join(a, "inner")
	is.NoErr(os.MkdirAll(inner, 0o755))
	for _, folder := range []string{dir, a, inner} {
		_, err := w.Add(folder)
		is.NoErr(err)
	}
	is.NoErr(errors.Join(os.Rename(a, a+"x"), os.MkdirAll(inner, 0o755)))
	is.True(w.Settle())
	is.Equal(w.Len(), 1)
	r.take()
	added, err := w.Add(inner)
	is.NoErr(err)
	is.True(added) // it is another folder
	is.NoErr(os.WriteFile(filepath.Join(a+"x", "inner", "old"), nil, 0o644))
	is.NoErr(os.WriteFile(filepath.Join(inner, "new"), nil, 0o644))
	is.True(w.Settle())
	reported := r.take()
	is.True(slices.Contains(reported, filepath.Join(inner, "new")))
	is.True(!slices.Contains(reported, filepath.Join(inner, "old")))
}

func TestFoldersThatAreMovedAndRemovedAtOnceHoldNobodyUp(t *testing.T) {
	w, _ := recorded(t)
	dir, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	if _, err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	go func() {
		for range 300 {
			folder := filepath.Join(dir, "folder")
			_ = os.Mkdir(folder, 0o755)
			_, _ = w.Add(folder)
			_ = os.Rename(folder, gone)
			_ = os.Remove(gone)
			w.Len()
		}
		w.Close()
		done.Store(true)
	}()
	waittest.Until(t, "all of them were watched", done.Load)
}

func TestManyWhoSettleAtOnceAllDo(t *testing.T) {
	onLinux(t)
	is := is.New(t)
	w, _ := recorded(t)
	settled := make(chan bool, 50)
	for range cap(settled) {
		go func() { settled <- w.Settle() }()
	}
	for range cap(settled) {
		is.True(<-settled)
	}
}

func TestWithoutAFolderOfItsOwnNothingIsCertain(t *testing.T) {
	is := is.New(t)
	w, err := fswatch.New("", func(string) {})
	is.NoErr(err)
	defer w.Close()
	is.True(!w.Settle())
}
