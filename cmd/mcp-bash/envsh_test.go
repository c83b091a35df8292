package main

import (
	"slices"
	"testing"

	"github.com/mcp-bash/mcp-bash/internal/serverenv"
)

func TestWhatAProjectMaySetIsRead(t *testing.T) {
	known := append(variableNames(), "MCP_ROOTS")
	for _, name := range serverenv.Settable() {
		if !slices.Contains(known, name) {
			t.Errorf("server.d/env.sh may set %s, which nothing reads", name)
		}
	}
}
