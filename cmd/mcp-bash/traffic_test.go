package main

import (
	"errors"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
)

// traffic is the variable with the folder where a server of a script leaves what passed between it and its client; see
// recorded.go.
const traffic = "MCP_BASH_TEST_TRAFFIC"

// checkTraffic has what the servers of a script write held against the schemas
// of the protocol when the script is over. The files of the script are older than any server.
func checkTraffic(env *testscript.Env) error {
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("the script is not run by a test")
	}
	folder := t.TempDir()
	env.Setenv(traffic, folder)
	env.Defer(func() { mcptest.Kept(t, folder) })
	rig.Settle(t)
	return nil
}
