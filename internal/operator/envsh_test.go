package operator

import (
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"

	"github.com/mcp-bash/mcp-bash/v2/internal/serverenv"
)

func TestWhatAProjectMaySetIsRead(t *testing.T) {
	known := append(Names(), "MCP_ROOTS")
	for _, name := range serverenv.Settable() {
		if !slices.Contains(known, name) {
			t.Errorf("server.d/env.sh may set %s, which nothing reads", name)
		}
	}
}

func TestHooksGetTheEnvironmentWithoutSecrets(t *testing.T) {
	is := is.New(t)
	env := HookEnvironment(map[string]string{
		"READ_ONLY": "1", "MCPBASH_TOOL_ALLOWLIST": "a", "PATH": "/bin",
		"MCPBASH_REMOTE_TOKEN": "s", "MCP_REGISTRY_TOKEN": "s", "MCP_TOOL_ARGS_JSON": "{}",
	})
	env = script.With(env, "PATH=/bin:/jq")
	slices.Sort(env)
	is.Equal(strings.Join(env, " "), "MCPBASH_TOOL_ALLOWLIST=a PATH=/bin:/jq READ_ONLY=1") // each once
}
