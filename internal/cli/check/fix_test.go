//go:build unix

package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestFixMendsWhatNeedsNoAuthor(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, good+`
-- 640 tools/a/tool.sh --
<BOM>#!/bin/sh<CR>
echo a<CR>
-- 600 tools/b/tool.sh --
#!/bin/sh
`)
	o := options()
	o.Fix = true
	steps := 0
	o.Step = func(done, total int) { steps = total - done }
	r := checked(t, root, o)
	is.Equal(rules(r),
		"info fixed tools/a/tool.sh\ninfo fixed tools/a/tool.sh\ninfo fixed tools/a/tool.sh\ninfo fixed tools/b/tool.sh")
	is.Equal(r.Fixes, 4)
	is.Equal(r.Errors, 0)
	is.Equal(steps, 0) // all scripts were counted
	text, err := os.ReadFile(filepath.Join(root, "tools/a/tool.sh"))
	is.NoErr(err)
	is.Equal(string(text), "#!/bin/sh\necho a\n")
	for name, want := range map[string]os.FileMode{"a": 0o750, "b": 0o700} {
		info, err := os.Stat(filepath.Join(root, "tools", name, "tool.sh"))
		is.NoErr(err)
		is.Equal(info.Mode().Perm(), want) // who may read it may execute it
	}
	is.Equal(rules(checked(t, root, o)), "") // and once is enough
}

func TestFixWritesThroughNoLink(t *testing.T) {
	is := is.New(t)
	outside := filepath.Join(t.TempDir(), "outside.sh")
	is.NoErr(os.WriteFile(outside, []byte("#!/bin/sh\r\n"), 0o644))
	for _, target := range []string{outside, "inside.sh"} {
		root := folderOf(t, "-- 644 tools/a/inside.sh --\n#!/bin/sh\n")
		is.NoErr(os.Symlink(target, filepath.Join(root, "tools/a/tool.sh")))
		notes, err := mend(root, []Message{
			{File: "tools/a/tool.sh", Fixable: true, repair: toLF},
			{File: "tools/a/tool.sh", Fixable: true, repair: setExec},
		})
		is.NoErr(err)
		is.Equal(len(notes), 2)
		for _, n := range notes {
			is.Equal(n.Level, Warning)                        // it is not done
			is.True(strings.Contains(n.Message, "is a link")) // and says why
		}
		text, err := os.ReadFile(outside)
		is.NoErr(err)
		is.Equal(string(text), "#!/bin/sh\r\n") // nothing was written
	}
	notes, err := mend(t.TempDir(), []Message{{File: filepath.ToSlash(outside), Fixable: true, repair: toLF}})
	is.NoErr(err)
	is.True(strings.Contains(notes[0].Message, "outside of the project"))
}
