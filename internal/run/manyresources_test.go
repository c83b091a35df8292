package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAListOfFilesIsReadUpToABound(t *testing.T) {
	is := is.New(t)
	list := strings.Repeat("x\n", maxEmbedded+1)
	files, err := parseEmbedded([]byte(list))
	is.Equal(len(files), maxEmbedded)
	is.Equal(err.Error(), fmt.Sprintf("it names more than %d files; the rest is left out", maxEmbedded))
	files, err = parseEmbedded([]byte("[" + strings.Repeat(`"x",`, maxEmbedded) + `"x"]`))
	is.Equal(len(files), maxEmbedded)
	is.True(err != nil)
}

func TestMissingFilesAreToldUpToABound(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	var h heard
	result, err := r.Call(t.Context(), h.call(newTool(t, r, "#!/bin/sh\ni=0; while [ $i -lt 500 ]; do echo none; i=$((i+1)); done >\"$MCP_TOOL_RESOURCES_FILE\"")))
	is.NoErr(err)
	is.Equal(len(result.Content), 1)
	is.Equal(len(h.logs), maxToldFaults+1)
	is.True(strings.Contains(string(encode(h.logs[maxToldFaults])), "and 490 more"))
}
