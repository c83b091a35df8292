// A server of a folder of tools on mcp-go.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

func main() {
	tools, err := project.Load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	s := server.NewMCPServer("mcpgo", "1", server.WithPaginationLimit(100))
	all := make([]server.ServerTool, len(tools))
	for i, t := range tools {
		all[i] = server.ServerTool{
			Tool: mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema),
			Handler: func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				arguments, err := json.Marshal(r.Params.Arguments)
				if err != nil {
					return nil, err
				}
				text, err := t.Run(ctx, arguments)
				if err != nil {
					return mcp.NewToolResultError(text), nil
				}
				return mcp.NewToolResultText(text), nil
			},
		}
	}
	s.AddTools(all...)
	if len(os.Args) > 2 { // an address: over HTTP
		log.Fatal(server.NewStreamableHTTPServer(s).Start(os.Args[2]))
	}
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
