package bundle

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

// folder makes a folder of files, by path. Those that begin with #! can be executed.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	is := is.New(t)
	root := filepath.Join(t.TempDir(), "demo")
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
		mode := os.FileMode(0o644)
		if len(text) > 1 && text[:2] == "#!" {
			mode = 0o755
		}
		is.NoErr(os.WriteFile(path, []byte(text), mode))
	}
	return root
}

// source is what a bundle of a folder is made of. The program is the test itself, which Go built.
func source(t *testing.T, root string) Source {
	t.Helper()
	is := is.New(t)
	self, err := os.Executable()
	is.NoErr(err)
	p, err := catalog.Open(root, catalog.Options{})
	is.NoErr(err)
	tools, err := p.Tools(context.Background())
	is.NoErr(err)
	prompts, err := p.Prompts(context.Background())
	is.NoErr(err)
	s := Source{Root: root, Tools: tools.Items, Prompts: prompts.Items, Programs: map[Platform]string{here: self}}
	s.Identity, _ = p.Identity()
	s.Author.Name = "Ada"
	if text, err := os.ReadFile(filepath.Join(root, "mcpb.conf")); err == nil {
		is.NoErr(parseConfig(text, "mcpb.conf", &s.Config))
	}
	return s
}

var here = PlatformOf(runtime.GOOS)

// paths are those of the files of a bundle.
func (b *Bundle) paths() map[string]bool {
	all := make(map[string]bool)
	for _, f := range b.Files {
		all[f.Path] = true
	}
	return all
}

const hello = "#!/bin/sh\necho hello\n"
