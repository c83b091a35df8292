package handlers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAToolThatNeedsScopesIsThereForCallersWhoseTokensHaveThem(t *testing.T) {
	shop := fixed{handlers.Snapshot[*handlers.Tool]{Items: []*handlers.Tool{
		{Described: handlers.Described{Name: "deploy"}, InputSchema: []byte(`{}`),
			Settings: &handlers.ToolSettings{RequiredScopes: []string{"ops", "deploy"}}},
		{Described: handlers.Described{Name: "look"}, InputSchema: []byte(`{}`), Settings: &handlers.ToolSettings{}},
	}}}
	tools := handlers.Tools{Session: &mcp.Session{}, Catalog: shop, Policy: &hooks.Policy{}, Pages: &handlers.Pages{}}
	for range 2 { // the pages of one caller are not another's
		for _, c := range []struct {
			who  string
			ctx  context.Context
			sees int
		}{
			{"who has started the server", t.Context(), 2},
			{"a caller with both", mcp.WithCaller(t.Context(), mcp.Caller{Scopes: []string{"read", "deploy", "ops"}}), 2},
			{"a caller with one", mcp.WithCaller(t.Context(), mcp.Caller{Scopes: []string{"ops"}}), 1},
			{"a caller without a token", mcp.WithCaller(t.Context(), mcp.Caller{}), 1},
		} {
			t.Run(c.who, func(t *testing.T) {
				is := is.New(t)
				page, err := tools.List(c.ctx, mcp.ListParams{})
				is.NoErr(err)
				var result struct {
					Tools []struct {
						Name string `json:"name"`
					} `json:"tools"`
				}
				is.NoErr(page.Decode(&result))
				is.Equal(len(result.Tools), c.sees)
				if c.sees == 1 {
					_, err := tools.Call(c.ctx, mcp.CallToolParams{Name: "deploy"})
					is.True(strings.Contains(err.Error(), "Tool 'deploy' needs the scope "))
					is.Equal(result.Tools[0].Name, "look")
				}
			})
		}
	}
}
