package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// link makes name a link to target, or skips the test where there are no links.
func link(t *testing.T, root, target, name string) {
	t.Helper()
	if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, filepath.FromSlash(name))); err != nil {
		t.Skip("the system does not allow this user to make links: ", err)
	}
}

func TestLinksWithinToolsAreFollowed(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/tool.meta.json --\n{\"title\":\"A\"}\n-- tools/c/x --\n")
	link(t, root, "a", "tools/b")
	link(t, root, "../a/tool.sh", "tools/c/c.sh")
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(faults(s), "")
	is.Equal(names(s), "a b c")                                          // a folder and a file
	is.Equal(s.Items[2].Path, filepath.Join(root, "tools", "c", "c.sh")) // under the name it has here
}

func TestLinksThatLeaveToolsAreRefused(t *testing.T) {
	is := is.New(t)
	elsewhere := folderOf(t, "-- x/x.sh --\n")
	root := folderOf(t, "-- tools/good/good.sh --\n-- other/y.sh --\n-- other/good.meta.json --\n{\"title\":\"no\"}\n")
	link(t, root, filepath.Join(elsewhere, "x"), "tools/folder")
	link(t, root, filepath.Join(elsewhere, "x", "x.sh"), "tools/file.sh")
	link(t, root, "../other/y.sh", "tools/near.sh")
	link(t, root, "../../other/good.meta.json", "tools/good/good.meta.json")
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "good")     // the rest works
	is.Equal(s.Items[0].Title, "") // metadata counts too
	const refused = ": the link leads out of tools/, so it is not followed; put a copy or a small script in its place"
	is.Equal(faults(s), "tools/file.sh"+refused+"\ntools/folder"+refused+"\ntools/good/good.meta.json"+refused+"\ntools/near.sh"+refused)
}

func TestCircularLinksEnd(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/b/x.sh --\n-- tools/c/x --\n-- tools/d/x --\n")
	link(t, root, "../..", "tools/a/b/up")
	link(t, root, ".", "tools/a/self")
	link(t, root, "loop", "tools/loop")
	link(t, root, "../c", "tools/d/c")
	link(t, root, "../d", "tools/c/d")
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "x") // once
	is.Equal(faults(s), strings.TrimSpace(`
tools/a/b/up: the link leads to a folder that contains it, so it is not followed; remove it
tools/a/self: the link leads to a folder that contains it, so it is not followed; remove it
tools/loop: the link cannot be followed: too many links; remove it, or fix it`))
}

func TestALinkThatLeadsNowhere(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/good.sh --\n")
	link(t, root, "gone.sh", "tools/a.sh")
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "good")
	is.Equal(faults(s), "tools/a.sh: the target of the link does not exist; remove it, or fix it")
}

func TestAToolsFolderThatIsALink(t *testing.T) {
	is := is.New(t)
	elsewhere := folderOf(t, "-- x/x.sh --\n-- y.sh --\n")
	root := t.TempDir()
	link(t, root, elsewhere, "tools")
	link(t, root, "y.sh", "tools/z.sh")
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(faults(s), "")     // its owner wants it there
	is.Equal(names(s), "x y z") // and links within it stay within it
}

func TestALinkThatTurnsToTheOutsideIsNoticed(t *testing.T) {
	is := is.New(t)
	elsewhere := folderOf(t, "-- x.sh --\n")
	root := folderOf(t, "-- tools/a/tool.sh --\n")
	link(t, root, "a", "tools/b")
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(names(snapshot(t, p)), "a b")
	is.NoErr(os.Remove(filepath.Join(root, "tools", "b")))
	link(t, root, elsewhere, "tools/b")
	_, err := p.Tool(t.Context(), "b")
	is.True(err != nil)                  // not even by name
	is.Equal(names(snapshot(t, p)), "a") // nor in the list
}

func TestAFolderThatIsALinkToOneAboveTheProjectIsNotLookedThrough(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- shared/note.md --\nx\n-- project/tools/a.sh --\n")
	project := filepath.Join(root, "project")
	link(t, project, "/", "resources")
	link(t, project, "../shared", "prompts")
	p := opened(t, project, Options{})
	found, err := p.Resources(t.Context())
	is.NoErr(err)
	is.Equal(len(found.Items), 0)
	is.True(strings.Contains(found.Faults[0].String(), "that contains the project"))
	prompts, err := p.Prompts(t.Context())
	is.NoErr(err)
	is.Equal(len(prompts.Items), 1) // a folder beside it may be shared
}
