//go:build unix

package run

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAFailureShowsWhereTheToolFailed(t *testing.T) {
	const sdk = "#!/bin/bash\n. \"$MCP_SDK/tool-sdk.sh\"\n"
	for name, test := range map[string]struct{ script, want string }{
		"with a message":         {sdk + "no() { echo 'no such file' >&2; return 2; }\nx=$(no)", `{"content":[{"type":"text","text":"Tool failed: no such file (tool.sh, line 4: x=$(no))"}],"isError":true,"_meta":{"at":"tool.sh:4","exitCode":2,"stderr":"no such file\n"}}`},
		"without one":            {sdk + "echo out\nfalse x", `{"content":[{"type":"text","text":"Tool failed: exit code 1 (tool.sh, line 4: false x)"},{"type":"text","text":"out\n"}],"isError":true,"_meta":{"at":"tool.sh:4","exitCode":1}}`},
		"that the shell names":   {sdk + "nosuch x 2>&2", `"at":"tool.sh:3","exitCode":127`},
		"that it has chosen":     {sdk + "echo no >&2\nexit 3", `{"content":[{"type":"text","text":"Tool failed: no"}],"isError":true,"_meta":{"exitCode":3,"stderr":"no\n"}}`},
		"that another one names": {sdk + "bash -c '. \"$MCP_SDK/tool-sdk.sh\"\nfalse' || exit 3", `{"content":[{"type":"text","text":"Tool failed: exit code 3"}],"isError":true,"_meta":{"exitCode":3}}`},
		"without the SDK":        {"#!/bin/bash\nset -e\nfalse", `{"content":[{"type":"text","text":"Tool failed: exit code 1"}],"isError":true,"_meta":{"exitCode":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r := newRuntime(t)
			installSDK(t, r)
			result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, test.script)))
			is.NoErr(err)
			got := string(encode(result))
			is.True(strings.Contains(got, test.want)) // see below
			if t.Failed() {
				t.Log(got)
			}
			is.True(strings.Count(got, "nosuch") <= 2) // its line is named once, in the text and in stderr
		})
	}
}
