package streamable_test

import (
	"context"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
)

var greeting = map[string]string{
	"tools/greet/tool.sh":        "#!/bin/sh\necho hello\n",
	"tools/greet/tool.meta.json": `{"name":"greet","description":"greets"}`,
}

func TestAProjectIsServedToTheOfficialClient(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			url := serve(t, handler(t, backend.Project{Server: open(t, greeting)}))
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			is.NoErr(err)
			is.Equal(s.InitializeResult().ProtocolVersion, version)
			tools, err := s.ListTools(ctx, nil)
			is.NoErr(err)
			is.Equal(len(tools.Tools), 1)
			result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "greet"})
			is.NoErr(err)
			is.Equal(result.Content[0].(*mcp.TextContent).Text, "hello\n")
			is.NoErr(s.Close())
		})
	}
}
