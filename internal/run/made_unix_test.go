//go:build unix

package run

import (
	"encoding/json"
	"os/exec"
	"strings"
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
		"an error after words":         {"echo looking; mcp_error not_found x", true, "looking\n", 2},
		"a success before words":       {`mcp_result_success '{"a":1}'; echo done`, false, "done\n", 2},
		"the last of two":              {`mcp_result_success 1; mcp_error gone x`, true, "", 2},
		"an error, then a success":     {`mcp_error gone x; mcp_result_success 1`, true, "", 2},
		"an error, then a long one":    {`mcp_error gone x; printf -v long %1000s; mcp_result_success "[\"$long\"]"`, true, "", 2},
		"an error that it keeps":       {`x=$(mcp_error gone x); mcp_result_success 1; echo fine`, false, "fine\n", 2},
		"alone":                        {`mcp_error gone x`, true, "x", 1},
		"a success that failed later":  {`mcp_result_success 1; false`, true, "", 2},
		"one that it keeps":            {`x=$(mcp_error gone x); echo fine`, false, "fine\n", 1},
		"a long one":                   {`echo looking; printf -v long %1000s; mcp_error gone "$long"`, true, "looking\n", 2},
		"one of two lines":             {"echo looking; mcp_error gone $'two\nlines'", true, "looking\n", 2},
		"a capability that is missing": {`echo looking; mcp_require_capability roots`, true, "looking\n", 2},
		"one that is not":              {`mcp_error gone x; mcp_require_capability sampling; echo on`, true, "on\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			call := new(heard).call(newTool(t, r, "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\n"+c.script))
			call.Supports = func(capability string) bool { return capability == "sampling" }
			result, err := r.Call(t.Context(), call)
			is.NoErr(err)
			is.Equal(result.IsError, c.isError)
			is.Equal(len(result.Content), c.blocks)
			if c.last != "" {
				is.Equal(string(result.Content[c.blocks-1].JSON()), string(mcp.Text(c.last).JSON()))
			}
		})
	}
}

// pythonSource is the beginning of the Python scripts in the tests.
func pythonSource(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so the Python SDK cannot run")
	}
	return "#!" + python + "\nimport os, sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, os.environ[\"MCP_SDK\"])\nimport mcp_sdk as mcp\n"
}

func TestAResultOfAPythonHelperIsTheResultWhateverElseIsPrinted(t *testing.T) {
	r := newRuntime(t)
	installSDK(t, r)
	for name, c := range map[string]struct {
		script  string
		isError bool
		first   string // text
		blocks  int
	}{
		"an error after words":         {`print("looking"); mcp.error("gone", "x", hint="look")`, true, "x\n\nHint: look", 2},
		"a long error":                 {`print("looking"); mcp.error("gone", "é" * 600)`, true, strings.Repeat("é", 600), 2},
		"words in half a pair":         {`print("looking"); mcp.error("gone", "a\ud800")`, true, "a\ufffd", 2},
		"an object before words":       {`mcp.result({"a": "é\0"}); print("done")`, false, `{"success": true, "result": {"a": "é\u0000"}}`, 2},
		"a text that looks like JSON":  {`mcp.result("42"); print("done")`, false, "42", 2},
		"its own text":                 {`mcp.result([1], text="one"); print("done")`, false, "one", 2},
		"the last of two":              {`mcp.result(1); mcp.error("gone", "x")`, true, "x", 2},
		"alone":                        {`mcp.error("gone", "x")`, true, "x", 1},
		"a success that failed later":  {`mcp.result(1); sys.exit(3)`, true, "Tool failed: exit code 3", 2},
		"a capability that is missing": {`print("looking"); mcp.require("roots")`, true, "this needs a client with roots", 2},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, pythonSource(t)+c.script)))
			is.NoErr(err)
			is.Equal(result.IsError, c.isError)
			is.Equal(len(result.Content), c.blocks)
			var first struct{ Text string }
			is.NoErr(json.Unmarshal(result.Content[0].JSON(), &first))
			is.Equal(first.Text, c.first)
		})
	}
}

func TestAPythonToolThatEndsWithAnErrorFailsWhateverElseIsPrinted(t *testing.T) {
	r := newRuntime(t)
	installSDK(t, r)
	for _, script := range []string{`mcp.fail(-32602, "no")`, `mcp.require_arg("id", "no")`} {
		is := is.New(t)
		_, err := r.Call(t.Context(), new(heard).call(newTool(t, r, pythonSource(t)+"print('looking')\n"+script)))
		is.True(err != nil && strings.Contains(err.Error(), "-32602 message: no"))
	}
}
