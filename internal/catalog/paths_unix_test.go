//go:build unix

package catalog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// Each change is of a path to a file of the project, and not of a file in a folder that is scanned.
func TestAListAskedForRightAfterAPathLeadsElsewhereShowsIt(t *testing.T) {
	const icons = `-- p/tools/icons/tool.sh --
-- p/tools/icons/tool.meta.json --
{"icons":[{"src":"../../art/of/icon.svg"}]}
`
	for _, c := range []struct {
		name, files, before, change string
		asUser                      bool // root is denied nothing
	}{
		{name: "the project is a link", files: "-- 1/tools/one.sh --\n-- 2/tools/two.sh --\n",
			before: `ln -s 1 p`, change: `ln -sfn 2 p`},
		{name: "a link above the project has another name", files: "-- 1/p/tools/one.sh --\n-- 2/p/tools/two.sh --\n",
			before: `ln -s 1 above; ln -P above copy; mkdir p; rmdir p; ln -s above/p p`, change: `ln -sfn 2 above`},
		{name: "a link to an icon's folder", files: icons +
			"-- p/1/of/icon.svg --\n<svg>1</svg>\n-- p/2/of/icon.svg --\n<svg>2</svg>\n",
			before: `ln -s 1 p/art`, change: `ln -sfn 2 p/art`},
		{name: "a folder takes the place of a link to another",
			files:  "-- p/tools/g/a/tool.sh --\n-- p/tools/.x/b/tool.sh --\n-- new/tool.sh --\n-- new/tool.meta.json --\n{\"title\":\"new\"}\n",
			before: `ln -s ../.x/b p/tools/g/b`, change: `mv p/tools/g/b old; mv new p/tools/g/b`},
		{name: "a folder above an icon may not be searched", files: icons + "-- p/art/of/icon.svg --\n<svg>1</svg>\n",
			change: `chmod 0 p/art`, asUser: true},
		{name: "a folder above the target of tools/ may not be searched",
			files:  "-- x/y/tools/one.sh --\n-- p/prompts/p.md --\n",
			before: `ln -s "$PWD/x/y/tools" p/tools`, change: `chmod 0 x`, asUser: true},
		{name: "a folder of tools may be read again", files: "-- p/tools/g/a/tool.sh --\n",
			before: `chmod 0 p/tools/g/a`, change: `chmod 755 p/tools/g/a`, asUser: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.asUser && os.Geteuid() == 0 {
				t.Skip("root is denied nothing")
			}
			is := is.New(t)
			above := folderOf(t, c.files)
			t.Cleanup(func() { sh(t, above, `chmod -R u+rwX .`) })
			sh(t, above, c.before)
			p := opened(t, filepath.Join(above, "p"), Options{})
			p.debounce = time.Millisecond
			watching(t, p)
			waittest.Until(t, "the watch rests", func() bool { return p.monitor.Load() == nil || p.rests() })
			before := snapshot(t, p).Hash
			sh(t, above, c.change)
			now := snapshot(t, p).Hash
			is.True(now != before)
			is.Equal(now, snapshot(t, opened(t, p.Root(), Options{})).Hash)
		})
	}
}

func TestAProjectThatIsRemovedWhileAProcessIsInItIsSeenAtOnce(t *testing.T) {
	is := is.New(t)
	root := filepath.Join(t.TempDir(), "p")
	is.NoErr(os.Mkdir(root, 0o755))
	inside, err := os.Open(root)
	is.NoErr(err)
	defer inside.Close()
	p := opened(t, root, Options{})
	p.debounce = time.Millisecond
	watching(t, p)
	is.NoErr(os.Remove(root))
	put(t, root, "tools/one.sh", "")
	is.Equal(names(snapshot(t, p)), "one")
}
