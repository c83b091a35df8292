package handlers

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// GettingStarted is the catalog of a server without a project: one tool that explains how to create
// one.
type GettingStarted struct {
	Why string // why no project was found; a sentence
}

var gettingStarted = &Tool{
	Described: Described{
		Name:        "getting_started",
		Title:       "Getting started",
		Description: "Explains how to give this MCP server tools. It has no project folder yet.",
	},
	InputSchema: []byte(`{"type":"object","additionalProperties":false}`),
	Annotations: []byte(`{"readOnlyHint":true,"openWorldHint":false}`),
}

// Tools lists the one tool.
func (GettingStarted) Tools(context.Context) (Snapshot[*Tool], error) {
	return Snapshot[*Tool]{Items: []*Tool{gettingStarted}}, nil
}

// Tool returns the one tool.
func (GettingStarted) Tool(_ context.Context, name string) (*Tool, error) {
	if name != gettingStarted.Name {
		return nil, fmt.Errorf("%w: %s", ErrUnknownTool, name)
	}
	return gettingStarted, nil
}

// Run returns the explanation of how to create a project.
func (g GettingStarted) Run(context.Context, ToolCall) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(strings.TrimLeft(g.Why+"\n\n"+howToStart, "\n"))}}, nil
}

const howToStart = `A project is a folder with a tools/ folder in it. Create one, and add it to a client:

    mcp-bash new my-tools
    cd my-tools
    mcp-bash call hello
    mcp-bash install --client claude-desktop

or set its path in the configuration of this client, and restart the server:

    "command": "mcp-bash",
    "args": ["serve"],
    "env": {"MCPBASH_PROJECT_ROOT": "/path/to/my-tools"}
`
