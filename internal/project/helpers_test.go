package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
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

// settle makes all files and folders an hour old, so that what is remembered of them counts.
func settle(t testing.TB, root string) {
	t.Helper()
	then := time.Now().Add(-time.Hour - 123456789)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func opened(t testing.TB, root string, o Options) *Project {
	t.Helper()
	p, err := Open(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// snapshot is what there is in the project now.
func snapshot(t testing.TB, p *Project) Snapshot {
	t.Helper()
	s, err := p.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// found is what there is in a new project made of an archive.
func found(t testing.TB, archive string) Snapshot {
	t.Helper()
	return snapshot(t, opened(t, folderOf(t, archive), Options{}))
}

// names are those of the tools, with blanks between.
func names(s Snapshot) string {
	var all []string
	for _, tool := range s.Tools {
		all = append(all, tool.Name)
	}
	return strings.Join(all, " ")
}

// faults are how they print, one a line.
func faults(s Snapshot) string { return lines(s.Faults) }

func lines(faults []Fault) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.String())
	}
	return strings.Join(all, "\n")
}

// only is the one tool of a snapshot that has no faults.
func only(t testing.TB, s Snapshot) *Tool {
	t.Helper()
	is := is.New(t)
	is.Equal(faults(s), "")   // nothing is wrong
	is.Equal(len(s.Tools), 1) // there is one tool
	return s.Tools[0]
}

func chmod(t testing.TB, root, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(root, filepath.FromSlash(name)), mode); err != nil {
		t.Fatal(err)
	}
}
