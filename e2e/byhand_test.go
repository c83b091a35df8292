package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

func TestAToolThatIsRunByHandAsksTheProgram(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, so no tool in it can be run by hand")
	}
	is := is.New(t)
	sdk, err := filepath.Abs("../internal/sdk/shell")
	is.NoErr(err)
	tool := filepath.Join(t.TempDir(), "tool.sh")
	rig.WriteProgram(t, tool, `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_args_require -v name .name
mcp_progress 50 "half way"
mcp_result_success "$(mcp_json_obj hello "$name")"
`, 0o755)
	for arguments, want := range map[string]string{
		`{"name":"Ada"}`: "progress 50 half way\n" + `{"content":[{"type":"text","text":"{\"success\":true,\"result\":{\"hello\":\"Ada\"}}"}],"structuredContent":{"success":true,"result":{"hello":"Ada"}},"isError":false}` + "\n",
		`{}`:             `{"code":-32602,"message":".name is required"}` + "\n.name is required\n",
	} {
		cmd := exec.Command(bash, tool)
		cmd.Env = append(bare(), "MCP_SDK="+sdk, "MCP_TOOL_ARGS_JSON="+arguments,
			"PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, _ := cmd.CombinedOutput() // the code is 1 for what is missing
		is.Equal(strings.ReplaceAll(string(out), "\r", ""), want)
	}
}
