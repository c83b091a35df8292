package handlers_test

import (
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAResourceMayBeLeftOutOfTheList(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "tools", "a", "tool.sh"), "")
	write(t, filepath.Join(root, "tools", "a", "ui", "index.html"), "")
	write(t, filepath.Join(root, "resources", "b.md"), "")
	p, err := project.Open(root, project.Options{})
	is.NoErr(err)
	r := handlers.Resources{Session: &mcp.Session{}, Catalog: p}
	listed, err := r.List(t.Context(), mcp.ListParams{})
	is.NoErr(err)
	is.Equal(len(listed.Resources), 2) // all, unless told otherwise

	r.Listed = func(o *project.Resource) bool { return o.UI == nil || o.UI.Tool != "a" }
	listed, err = r.List(t.Context(), mcp.ListParams{})
	is.NoErr(err)
	is.Equal(len(listed.Resources), 1)
	is.Equal(listed.Resources[0].Name, "b")
	is.Equal(listed.Result.Meta["mcpbash/total"], 1)
}
