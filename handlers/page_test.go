package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// counting counts the calls of Tools.
type counting struct {
	*catalog.Project
	asked int
}

func (c *counting) Tools(ctx context.Context) (handlers.Snapshot[*handlers.Tool], error) {
	c.asked++
	return c.Project.Tools(ctx)
}

func TestAWalkOverAListTakesOneLook(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	for i := range 10 {
		write(t, filepath.Join(root, "tools", fmt.Sprintf("t%d", i), "tool.sh"), "")
	}
	p, err := catalog.Open(root, catalog.Options{})
	is.NoErr(err)
	looks := true
	catalog := &counting{Project: p}
	tools := handlers.Tools{Session: &mcp.Session{}, Catalog: catalog, Policy: &hooks.Policy{},
		Pages: &handlers.Pages{Looks: func() bool { return looks }}}
	walk := func() (names string) {
		var params mcp.ListParams
		params.Limit = 3
		for {
			page, err := tools.List(t.Context(), params)
			is.NoErr(err)
			var result struct {
				Tools []struct {
					Name   string          `json:"name"`
					Schema json.RawMessage `json:"inputSchema"`
				} `json:"tools"`
				Next string `json:"nextCursor"`
			}
			is.NoErr(page.Decode(&result))
			for _, one := range result.Tools {
				names += one.Name
			}
			if result.Next == "" {
				return names
			}
			params.Cursor = &result.Next
		}
	}
	is.Equal(walk(), "t0t1t2t3t4t5t6t7t8t9")
	is.Equal(catalog.asked, 1) // for four pages
	write(t, filepath.Join(root, "tools", "t10", "tool.sh"), "")
	is.Equal(walk(), "t0t1t10t2t3t4t5t6t7t8t9") // each walk sees the files as they are
	is.Equal(catalog.asked, 2)
	looks = false
	is.Equal(walk(), "t0t1t10t2t3t4t5t6t7t8t9")
	is.Equal(catalog.asked, 6) // once per page, where a look costs nothing
}

func TestAVeryLongListIsWalkedLikeAnyOther(t *testing.T) {
	is := is.New(t)
	var found handlers.Snapshot[*handlers.Tool]
	for i := range 300 { // about 3 MB, more than is kept
		found.Items = append(found.Items, &handlers.Tool{Described: handlers.Described{
			Name: fmt.Sprintf("t%03d", i), Description: strings.Repeat("long ", 2000)}, InputSchema: []byte(`{"type":"object"}`)})
	}
	tools := handlers.Tools{Session: &mcp.Session{}, Catalog: fixed{found}, Policy: &hooks.Policy{}, Pages: &handlers.Pages{}}
	for range 2 {
		var params mcp.ListParams
		var names []string
		for more := true; more; {
			page, err := tools.List(t.Context(), params)
			is.NoErr(err)
			var result struct {
				Tools []struct {
					Name string `json:"name"`
				} `json:"tools"`
				Next string `json:"nextCursor"`
			}
			is.NoErr(page.Decode(&result))
			for _, one := range result.Tools {
				names = append(names, one.Name)
			}
			params.Cursor, more = &result.Next, result.Next != ""
		}
		is.Equal(len(names), 300)
		is.Equal(names[299], "t299")
	}
}
