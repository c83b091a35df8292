// Package project creates, reads and runs folders of tools for all servers that the
// benchmark compares. It does as little as possible, so that the measured differences
// are those of the servers.
package project

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A Tool is the content of tools/NAME/tool.meta.json, and the script beside it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`

	Script string `json:"-"`
}

// Load reads the tools of the project in dir, in the order of their folders.
func Load(dir string) ([]Tool, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "tools"))
	if err != nil {
		return nil, err
	}
	tools := make([]Tool, 0, len(entries))
	for _, e := range entries {
		folder := filepath.Join(dir, "tools", e.Name())
		data, err := os.ReadFile(filepath.Join(folder, "tool.meta.json"))
		if err != nil {
			return nil, err
		}
		t := Tool{Script: filepath.Join(folder, "tool.sh")}
		if err := json.Unmarshal(data, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// inVariable is the maximum size of arguments in an environment variable. The kernel
// allows 128 KiB per variable; larger arguments are passed in a file.
const inVariable = 64 << 10

// Run runs the tool's script and returns what it printed.
func (t Tool) Run(ctx context.Context, arguments []byte) (string, error) {
	c := exec.CommandContext(ctx, t.Script)
	if len(arguments) <= inVariable {
		c.Env = append(os.Environ(), "MCP_TOOL_ARGS_JSON="+string(arguments))
	} else {
		f, err := os.CreateTemp("", "arguments-")
		if err != nil {
			return "", err
		}
		defer os.Remove(f.Name())
		_, err = f.Write(arguments)
		f.Close()
		if err != nil {
			return "", err
		}
		c.Env = append(os.Environ(), "MCP_TOOL_ARGS_FILE="+f.Name())
	}
	var out bytes.Buffer
	c.Stdout = &out
	err := c.Run()
	return out.String(), err
}
