package handlers

import (
	"context"
	"fmt"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/internal/tool"
)

// GettingStarted is the catalog of a server that found no project: one tool
// that says how to make one.
type GettingStarted struct{}

var gettingStarted = &project.Tool{
	Name:        "getting_started",
	Title:       "Getting started",
	Description: "Explains how to give this MCP server tools. It has found no project folder yet.",
	InputSchema: []byte(`{"type":"object","additionalProperties":false}`),
	Annotations: []byte(`{"readOnlyHint":true,"openWorldHint":false}`),
}

// Tools lists the one tool.
func (GettingStarted) Tools(context.Context) (project.Snapshot[*project.Tool], error) {
	return project.Snapshot[*project.Tool]{Items: []*project.Tool{gettingStarted}}, nil
}

// Tool finds the one tool.
func (GettingStarted) Tool(_ context.Context, name string) (*project.Tool, error) {
	if name != gettingStarted.Name {
		return nil, fmt.Errorf("%w: %s", project.ErrUnknownTool, name)
	}
	return gettingStarted, nil
}

// Run says how to make a project.
func (GettingStarted) Run(context.Context, tool.Call) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(howToStart)}}, nil
}

const howToStart = `This mcp-bash server has found no project, so it has no tools to offer but this one.

A project is a folder with a tools/ folder in it. Each tool is a script:

    mkdir -p my-project/tools/hello
    cat > my-project/tools/hello/tool.sh <<'EOF'
    #!/usr/bin/env bash
    # mcp: {"description":"Says hello"}
    echo "Hello from $(hostname)"
    EOF
    chmod +x my-project/tools/hello/tool.sh

Then tell the server where it is, in the configuration of this MCP client:

    "command": "mcp-bash",
    "args": ["serve", "--project-root", "/path/to/my-project"]

or with the variable MCPBASH_PROJECT_ROOT=/path/to/my-project, and restart the server.
`
