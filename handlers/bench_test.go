package handlers_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// BenchmarkPage is a page of 100 tools that was shown before, and one that is encoded.
func BenchmarkPage(b *testing.B) {
	root := b.TempDir()
	for i := range 100 {
		write(b, filepath.Join(root, "tools", fmt.Sprintf("t%d", i), "tool.sh"), "")
		write(b, filepath.Join(root, "tools", fmt.Sprintf("t%d", i), "tool.meta.json"), fmt.Sprintf(`{"description":"Looks up the entry with the number %d and prints what is known about it.",
			"inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"Which entry to look up"},"count":{"type":"integer","minimum":1,"maximum":100}}}}`, i))
	}
	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	found, err := p.Tools(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for name, pages := range map[string]*handlers.Pages{"kept": {}, "encoded": nil} {
		tools := handlers.Tools{Session: &mcp.Session{}, Catalog: fixed{found}, Policy: &hooks.Policy{}, Pages: pages}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tools.List(b.Context(), mcp.ListParams{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fixed is a catalog that never changes.
type fixed struct {
	tools handlers.Snapshot[*handlers.Tool]
}

func (f fixed) Tools(context.Context) (handlers.Snapshot[*handlers.Tool], error) { return f.tools, nil }
func (f fixed) Tool(_ context.Context, name string) (*handlers.Tool, error) {
	for _, tool := range f.tools.Items {
		if tool.Name == name {
			return tool, nil
		}
	}
	return nil, handlers.ErrUnknownTool
}
