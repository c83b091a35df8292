//go:build unix

package catalog

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestPipesDoNotHang(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/a.sh --\n-- server.d/x --\n")
	for _, name := range []string{"tools/a/a.meta.json", "tools/b.sh", "server.d/server.meta.json", "tools/a/i.png",
		"VERSION"} {
		is.NoErr(syscall.Mkfifo(filepath.Join(root, filepath.FromSlash(name)), 0o755))
	}
	link(t, root, "b.sh", "tools/c.sh")
	p := opened(t, root, Options{})
	is.Equal(only(t, snapshot(t, p)).Name, "a") // they are neither tools nor metadata
	put(t, root, "tools/a/a.sh", `# mcp: {"icons":[{"src":"i.png"}]}`)
	is.Equal(faults(snapshot(t, p)),
		`tools/a/a.sh:1: the icon "i.png" is left out: is not a regular file; name a file of the project`)
	id, told := p.Identity()
	is.Equal(id.Version, "0.0.0")
	is.Equal(lines(told), "VERSION: is not a regular file")
}
