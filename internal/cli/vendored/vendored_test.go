package vendored

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

// copied makes a copy of something that is called a program.
func copied(t *testing.T) (dir string, r Record) {
	t.Helper()
	is := is.New(t)
	dir = filepath.Join(t.TempDir(), Dir)
	program := filepath.Join(t.TempDir(), "program")
	is.NoErr(os.WriteFile(program, []byte("program"), 0o755))
	r, err := Copy(t.Context(), dir, Source{Program: program, Version: "1.0.0", From: "here", At: time.Unix(1e9, 0)})
	is.NoErr(err)
	return dir, r
}

func TestACopyVerifies(t *testing.T) {
	is := is.New(t)
	dir, made := copied(t)
	r, differences, err := Verify(dir)
	is.NoErr(err)
	is.Equal(len(differences), 0)
	is.Equal(cmp.Diff(made, r), "") // vendor.json says what was made
	is.Equal(r.Version, "1.0.0")
	is.Equal(r.At.Format(time.RFC3339), "2001-09-09T01:46:40Z")
	for _, name := range append(Files(), "../"+Starters()[0]) {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		is.NoErr(err) // every file that is announced is there
	}
}

func TestEachFileThatDiffersIsNamed(t *testing.T) {
	is := is.New(t)
	dir, _ := copied(t)
	is.NoErr(os.WriteFile(filepath.Join(dir, programName()), []byte("other"), 0o755))
	is.NoErr(os.Remove(filepath.Join(dir, "VERSION")))
	is.NoErr(os.WriteFile(filepath.Join(dir, "extra"), nil, 0o644))
	_, got, err := Verify(dir)
	is.NoErr(err)
	want := []Difference{{"VERSION", "missing"}, {programName(), "changed"}, {"extra", "not part of the copy"}}
	is.Equal(cmp.Diff(want, got), "")
}

func TestARecordThatWasChangedWithItsFileIsNoticed(t *testing.T) {
	is := is.New(t)
	dir, r := copied(t)
	path := filepath.Join(dir, recordFile)
	text, err := os.ReadFile(path)
	is.NoErr(err)
	changed := strings.Replace(string(text), r.Files["VERSION"], strings.Repeat("0", 64), 1)
	is.NoErr(os.WriteFile(path, []byte(changed), 0o644))
	_, got, err := Verify(dir)
	is.NoErr(err)
	is.Equal(len(got), 2) // the file, and the sum of all
	is.Equal(got[1].Path, recordFile)
}

func TestACopyIsNotReplacedUnasked(t *testing.T) {
	is := is.New(t)
	dir, _ := copied(t)
	is.True(errors.Is(Check(dir, false), ErrThere))
	is.NoErr(Check(dir, true))                            // to upgrade
	is.NoErr(Check(filepath.Join(dir, "nowhere"), false)) // there is none
	other := t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o644))
	err := Check(other, true)
	is.True(err != nil && !errors.Is(err, ErrThere)) // nothing is put among the files of others
}

func TestAnUpgradeReplacesACopyOfTheBashProgramAndKeepsTheProjectsStarter(t *testing.T) {
	is := is.New(t)
	project := t.TempDir()
	dir := filepath.Join(project, Dir)
	for name, text := range map[string]string{".mcp-bash/bin/mcp-bash": "old", ".mcp-bash/lib/core.sh": "x", ".mcp-bash/vendor.json": `{"version":"1.3.0"}`, "run-server.sh": "mine"} {
		path := filepath.Join(project, name)
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
		is.NoErr(os.WriteFile(path, []byte(text), 0o755))
	}
	is.NoErr(Check(dir, true))
	program := filepath.Join(t.TempDir(), "program")
	is.NoErr(os.WriteFile(program, []byte("program"), 0o755))
	r, err := Copy(t.Context(), dir, Source{Program: program, Version: "2.0.0"})
	is.NoErr(err)
	_, gone := os.Stat(filepath.Join(dir, "lib"))
	is.True(os.IsNotExist(gone)) // nothing of the old copy is part of the new one
	is.Equal(len(r.Files), 2)
	starter, err := os.ReadFile(filepath.Join(project, "run-server.sh"))
	is.NoErr(err)
	is.Equal(string(starter), "mine") // it starts .mcp-bash/bin/mcp-bash, which is there
	_, differences, err := Verify(dir)
	is.NoErr(err)
	is.Equal(len(differences), 0)
}

// A tree returns the names of what is in a folder.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAnUpgradeThatIsInterruptedLeavesTheCopyAsItWas(t *testing.T) {
	is := is.New(t)
	dir, before := copied(t)
	there := tree(t, filepath.Dir(dir))
	program := filepath.Join(t.TempDir(), "program")
	is.NoErr(os.WriteFile(program, []byte("another program"), 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Copy(ctx, dir, Source{Program: program, Version: "2.0.0"})
	is.True(errors.Is(err, context.Canceled))
	is.Equal(tree(t, filepath.Dir(dir)), there) // no part of the new one
	r, differences, err := Verify(dir)
	is.NoErr(err)
	is.Equal(len(differences), 0)
	is.Equal(r.Version, before.Version)
}

func TestACopyThatWasNotFinishedCanBeMadeAgain(t *testing.T) {
	for name, c := range map[string]struct {
		files []string // folders end with a slash
		ours  bool
	}{
		"folders":               {[]string{"bin/"}, true},
		"a part of the program": {[]string{"bin/.mcp-bash.ABCDEFGHIJ"}, true},
		"all but the record":    {[]string{"bin/mcp-bash", "VERSION", ".vendor.json.ABCDEFGHIJ"}, true},
		"of another system":     {[]string{"bin/mcp-bash.exe"}, true},
		"a file":                {[]string{"bin/mcp-bash", "notes"}, false},
		"a file in bin":         {[]string{"bin/tool"}, false},
		"a folder":              {[]string{"VERSION/"}, false},
		"bin is a file":         {[]string{"bin"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			dir := filepath.Join(t.TempDir(), Dir)
			for _, f := range c.files {
				path := filepath.Join(dir, f)
				if strings.HasSuffix(f, "/") {
					is.NoErr(os.MkdirAll(path, 0o755))
					continue
				}
				is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
				is.NoErr(os.WriteFile(path, nil, 0o755))
			}
			is.Equal(Check(dir, false) == nil, c.ours)
			is.Equal(Check(dir, true) == nil, c.ours) // the answer does not depend on the flag
		})
	}
}

func TestWithoutACopyThereIsNothingToVerify(t *testing.T) {
	is := is.New(t)
	_, _, err := Verify(t.TempDir())
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "make one with `mcp-bash vendor`"))
}

func TestACopyIsNotWrittenThroughALink(t *testing.T) {
	for _, linked := range []string{".", "bin"} {
		is := is.New(t)
		elsewhere := t.TempDir()
		precious := filepath.Join(elsewhere, "precious")
		is.NoErr(os.WriteFile(precious, nil, 0o600))
		dir := filepath.Join(t.TempDir(), Dir)
		if linked == "bin" {
			is.NoErr(os.Mkdir(dir, 0o755))
		}
		link := filepath.Join(dir, linked)
		err := os.Symlink(elsewhere, link)
		if info, missing := os.Lstat(link); err != nil || missing != nil || info.Mode()&os.ModeSymlink == 0 { // Wine reports success, and makes none
			t.Skip("the system does not allow this user to make links: ", errors.Join(err, missing))
		}
		program := filepath.Join(t.TempDir(), "program")
		is.NoErr(os.WriteFile(program, []byte("program"), 0o755))
		_, err = Copy(t.Context(), dir, Source{Program: program, Version: "1.0.0"})
		is.True(err != nil && strings.Contains(err.Error(), "is a symbolic link"))
		is.True(Check(dir, true) != nil)
		left, err := os.ReadDir(elsewhere)
		is.NoErr(err)
		is.Equal(len(left), 1) // neither written to nor emptied
	}
}
