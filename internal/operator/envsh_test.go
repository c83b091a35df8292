package operator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestHooksGetTheEnvironmentWithoutSecrets(t *testing.T) {
	is := is.New(t)
	env := HookEnvironment(map[string]string{
		"READ_ONLY": "1", "MCPBASH_TOOL_ALLOWLIST": "a", "PATH": "/bin",
		"MCPBASH_REMOTE_TOKEN": "s", "MCP_REGISTRY_TOKEN": "s", "MCP_TOOL_ARGS_JSON": "{}",
	})
	env = process.With(env, "PATH=/bin:/jq")
	slices.Sort(env)
	is.Equal(strings.Join(env, " "), "MCPBASH_TOOL_ALLOWLIST=a PATH=/bin:/jq READ_ONLY=1") // each once
}

func TestTheOlderNamesOfTheSpecificationWorkInEnvSh(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.Mkdir(filepath.Join(root, "server.d"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "server.d", "env.sh"),
		[]byte("PAGE_SIZE=7\nLOG_LEVEL_DEFAULT=debug\nDEFAULT_TOOL_TIMEOUT=3\nMAX_CONCURRENT_REQUESTS=2\n"), 0o644))
	s, _, complaints := ReadProject(map[string]string{}, root)
	is.Equal(complaints, nil)
	is.Equal(s.Limits.Page, 7)
	is.Equal(s.Limits.ToolTimeout, 3*time.Second)
	_, env, _ := ReadProject(map[string]string{"PAGE_SIZE": "5"}, root)
	is.Equal(env["MCPBASH_PAGE_SIZE"], "") // the operator's is used
	is.Equal(env["MCPBASH_LOG_LEVEL"], "debug")
	is.Equal(env["MCPBASH_MAX_CONCURRENT_REQUESTS"], "2")
}
