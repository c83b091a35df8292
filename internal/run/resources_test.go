package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestFilesThatAToolNamesAreEmbedded(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	outside := filepath.Join(t.TempDir(), "secret")
	is.NoErr(os.WriteFile(outside, []byte("s"), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(r.Root, "a.txt"), []byte("text"), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(r.Root, "b.png"), []byte("\x89PNG\r\n\x1a\n\x00"), 0o600))
	is.NoErr(os.Symlink(outside, filepath.Join(r.Root, "link")))
	text := `{"type":"resource","resource":{"uri":"file://` + r.Root + `/a.txt","mimeType":"text/plain","text":"text"}}`
	blob := `"uri":"file://` + r.Root + `/b.png","mimeType":"image/png","blob":"iVBORw0KGgoA"`
	for _, c := range []struct{ list, want string }{
		{"a.txt", text},
		{r.Root + "/a.txt", text},
		{`"a.txt"`, text},
		{`["a.txt"]`, text},
		{`{"path":"a.txt"}`, text},
		{`[{"uri":"file://` + r.Root + `/a.txt"}]`, text},
		{"b.png", blob},
		{"a.txt\ttext/x-mine\tmine://a", `"uri":"mine://a","mimeType":"text/x-mine","text":"text"`},
	} {
		is := is.New(t)
		result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\ncat >\"$MCP_TOOL_RESOURCES_FILE\" <<'E'\n"+c.list+"\nE")))
		is.NoErr(err)
		is.Equal(len(result.Content), 2)
		is.True(strings.Contains(string(result.Content[1].JSON()), c.want)) // the file
	}
	for _, list := range []string{outside, "link", "../" + filepath.Base(outside), "none", ".", `{"mimeType":"x"}`, `["`} {
		is := is.New(t)
		var h heard
		result, err := r.Call(t.Context(), h.call(newTool(t, r, "#!/bin/sh\ncat >\"$MCP_TOOL_RESOURCES_FILE\" <<'E'\n"+list+"\nE")))
		is.NoErr(err)
		is.Equal(len(result.Content), 1) // left out
		is.Equal(len(h.logs), 1)         // and told
	}
}

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
	is.Equal(len(h.logs), maxLoggedFaults+1)
	is.True(strings.Contains(string(encode(h.logs[maxLoggedFaults])), "and 490 more"))
}
