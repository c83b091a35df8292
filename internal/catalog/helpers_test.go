package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// folderOf writes the files of an archive, each after a line "-- name --", into a new folder.
// Scripts, which end in .sh or begin with #!, may be started.
func folderOf(t testing.TB, archive string) (root string) {
	t.Helper()
	root = t.TempDir()
	for part := range strings.SplitSeq("\n"+archive, "\n-- ") {
		if name, text, ok := strings.Cut(part, " --"); ok {
			put(t, root, name, strings.TrimPrefix(text, "\n"))
		}
	}
	return root
}

// put writes one file.
func put(t testing.TB, root, name, text string) {
	t.Helper()
	mode := fs.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") || strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	for _, err := range []error{
		os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), mode),
		os.Chmod(path, mode),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// putWhole writes one file atomically.
func putWhole(t testing.TB, root, name, text string) {
	t.Helper()
	away := t.TempDir()
	put(t, away, name, text)
	to := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755),
		os.Rename(filepath.Join(away, filepath.FromSlash(name)), to)); err != nil {
		t.Fatal(err)
	}
}

// settle makes all files and folders an hour old, so that their stamps are settled.
func settle(t testing.TB, root string) {
	t.Helper()
	then := time.Now().Add(-time.Hour - 123456789)
	var last string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return err
		}
		last = path
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "what was changed last has settled", func() bool { return depOf(last).stamp.Settled })
}

func opened(t testing.TB, root string, o Options) *Project {
	t.Helper()
	if o.Own == "" {
		o.Own = t.TempDir()
	}
	p, err := Open(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// all returns a list as it is now.
func all[T Entry](t testing.TB, list func(context.Context) (Snapshot[T], error)) Snapshot[T] {
	t.Helper()
	s, err := list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// snapshot returns the tools of the project as they are now.
func snapshot(t testing.TB, p *Project) Snapshot[*Tool] {
	t.Helper()
	return all(t, p.Tools)
}

// found returns the tools of a new project with the files of an archive.
func found(t testing.TB, archive string) Snapshot[*Tool] {
	t.Helper()
	return snapshot(t, opened(t, folderOf(t, archive), Options{}))
}

// names returns the names of the entries, separated by blanks.
func names[T Entry](s Snapshot[T]) string {
	var all []string
	for _, e := range s.Items {
		all = append(all, keyOf(e, byName))
	}
	return strings.Join(all, " ")
}

// faults returns the printed faults, one per line.
func faults[T Entry](s Snapshot[T]) string { return lines(s.Faults) }

func lines(faults []Fault) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.String())
	}
	return strings.Join(all, "\n")
}

// only returns the only entry of a snapshot without faults.
func only[T Entry](t testing.TB, s Snapshot[T]) T {
	t.Helper()
	is := is.New(t)
	is.Equal(faults(s), "")   // nothing is wrong
	is.Equal(len(s.Items), 1) // there is one entry
	return s.Items[0]
}

func chmod(t testing.TB, root, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(root, filepath.FromSlash(name)), mode); err != nil {
		t.Fatal(err)
	}
}

// says returns the names in a list, or its error.
func says[T Entry](t testing.TB, list func(context.Context) (Snapshot[T], error)) string {
	t.Helper()
	s, err := list(t.Context())
	if err != nil {
		return err.Error()
	}
	return names(s)
}
