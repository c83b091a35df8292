package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAProjectIsFoundFromAnywhereInsideIt(t *testing.T) {
	root := folderOf(t, "-- server.d/server.meta.json --\n{}\n-- tools/a/deep/down/x --\n")
	for _, inside := range []string{".", "server.d", "tools", "tools/a/deep/down"} {
		t.Run(inside, func(t *testing.T) {
			is := is.New(t)
			at, err := Find("", filepath.Join(root, inside))
			is.NoErr(err)
			is.Equal(at, root) // the folder with server.d/ and tools/
		})
	}
}

func TestToolsAloneMakeAProject(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/x --\n")
	at, err := Find("", root)
	is.NoErr(err)
	is.Equal(at, root) // server.d/ is not needed
}

func TestAProjectMayHaveResourcesOrPromptsOnly(t *testing.T) {
	root := folderOf(t, "-- a/resources/x --\n-- a/b/x --\n-- c/prompts/x --\n")
	if _, err := Find("", root); err == nil {
		t.Skip("the folder for temporary files is inside a project, so a folder outside of one cannot be made")
	}
	for _, at := range []string{"a", "c"} {
		is := is.New(t)
		found, err := Find("", filepath.Join(root, at))
		is.NoErr(err)
		is.Equal(found, filepath.Join(root, at))
	}
	is := is.New(t)
	_, err := Find("", filepath.Join(root, "a", "b"))
	is.True(errors.Is(err, ErrNone)) // such names are too common to look for above
}

func TestTheNearestProjectWins(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/x --\n-- sub/server.d/x --\n")
	at, err := Find("", filepath.Join(root, "sub", "server.d"))
	is.NoErr(err)
	is.Equal(at, filepath.Join(root, "sub")) // not the one around it
}

func TestAFileCalledToolsMakesNoProject(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools --\n")
	if _, err := Find("", filepath.Dir(root)); err == nil {
		t.Skip("the folder for temporary files is inside a project, so a folder outside of one cannot be made")
	}
	_, err := Find("", root)
	is.True(errors.Is(err, ErrNone))                               // there is none here or above
	is.True(strings.Contains(err.Error(), "make a tools/ folder")) // and it says what to do
}

func TestAnExplicitProjectNeedNotHaveAnythingInIt(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	at, err := Find(root, "/")
	is.NoErr(err)
	is.Equal(at, root) // as it was named
}

func TestAnExplicitProjectMustExist(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- file --\n")
	_, err := Find(filepath.Join(root, "nowhere"), root)
	is.True(errors.Is(err, ErrNone) == false) // it is not looked for elsewhere
	is.True(errors.Is(err, fs.ErrNotExist))   // it says why
	_, err = Find(filepath.Join(root, "file"), root)
	is.True(strings.Contains(err.Error(), "is a file")) // a file is no project
	_, err = Open(filepath.Join(root, "nowhere"), Options{})
	is.True(errors.Is(err, fs.ErrNotExist)) // nor does it open
}

func TestARelativeProjectBecomesAbsolute(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	t.Chdir(root)
	here, err := os.Getwd()
	is.NoErr(err)
	at, err := Find(".", "/")
	is.NoErr(err)
	is.Equal(at, here) // whatever happens to the working folder later
}
