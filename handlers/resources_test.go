package handlers_test

import (
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAResourceMayBeLeftOutOfTheList(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "tools", "a", "tool.sh"), "")
	write(t, filepath.Join(root, "tools", "a", "ui", "index.html"), "")
	write(t, filepath.Join(root, "resources", "b.md"), "")
	p, err := catalog.Open(root, catalog.Options{})
	is.NoErr(err)
	r := handlers.Resources{Session: &mcp.Session{}, Catalog: p}
	names := func() (names []string, total any) {
		page, err := r.List(t.Context(), mcp.ListParams{})
		is.NoErr(err)
		var result struct {
			Resources []struct {
				Name string `json:"name"`
			} `json:"resources"`
			Meta map[string]any `json:"_meta"`
		}
		is.NoErr(page.Decode(&result))
		for _, one := range result.Resources {
			names = append(names, one.Name)
		}
		return names, result.Meta["mcpbash/total"]
	}
	shown, total := names()
	is.Equal(shown, []string{"a", "b"}) // all, by default
	is.Equal(total, 2.0)

	r.Listed = func(o *catalog.Resource) bool { return o.UI == nil || o.UI.Tool != "a" }
	shown, total = names()
	is.Equal(shown, []string{"b"})
	is.Equal(total, 1.0)
}
