package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
)

// The kernel enforces the settings of the metadata or the operator.
func TestAToolReachesWhatItsSandboxSays(t *testing.T) {
	if err := cage.Available(); err != nil {
		t.Skip("this kernel has no sandbox for tools, so what it keeps out is not tested: ", err)
	}
	is := is.New(t)
	root := t.TempDir()
	const probe = "#!/bin/sh\n(: > x) 2>/dev/null && echo wrote || echo kept\necho '{\"a\":1}' | jq -c .a\n"
	is.NoErr(os.Mkdir(filepath.Join(root, "tools"), 0o755))
	for name, metadata := range map[string]string{
		"free": `{}`, "auto": `{"sandbox":"auto","annotations":{"readOnlyHint":true}}`, "named": `{"sandbox":{"write":["."]}}`,
	} {
		rig.WriteProgram(t, filepath.Join(root, "tools", name+".sh"), probe, 0o755)
		is.NoErr(os.WriteFile(filepath.Join(root, "tools", name+".meta.json"), []byte(metadata), 0o644))
	}
	for _, c := range []struct{ tool, operator, want string }{
		{"free", "", "wrote"}, {"auto", "", "kept"}, {"named", "", "wrote"},
		{"free", "auto", "kept"}, {"named", "auto", "wrote"},
	} {
		cmd := command(t, "run-tool", c.tool, "--project-root", root)
		cmd.Env = append(cmd.Env, "MCPBASH_SANDBOX="+c.operator)
		out, err := cmd.Output()
		is.NoErr(err)
		if !strings.Contains(string(out), c.want+`\n1\n`) {
			t.Errorf("%s with MCPBASH_SANDBOX=%s: %s", c.tool, c.operator, out)
		}
	}
}
