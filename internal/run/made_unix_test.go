//go:build unix

package run

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAResultOfAHelperIsTheResultWhateverElseIsPrinted(t *testing.T) {
	r := newRuntime(t)
	installSDK(t, r)
	for name, c := range map[string]struct {
		script  string
		isError bool
		last    string // text
		blocks  int
	}{
		"an error after words":        {"echo looking; mcp_error not_found x", true, "looking\n", 2},
		"a success before words":      {`mcp_result_success '{"a":1}'; echo done`, false, "done\n", 2},
		"the last of two":             {`mcp_result_success 1; mcp_error gone x`, true, "", 2},
		"alone":                       {`mcp_error gone x`, true, "x", 1},
		"a success that failed later": {`mcp_result_success 1; false`, true, "", 2},
		"one that it keeps":           {`x=$(mcp_error gone x); echo fine`, false, "fine\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\n"+c.script)))
			is.NoErr(err)
			is.Equal(result.IsError, c.isError)
			is.Equal(len(result.Content), c.blocks)
			if c.last != "" {
				is.Equal(string(result.Content[c.blocks-1].JSON()), string(mcp.Text(c.last).JSON()))
			}
		})
	}
}
