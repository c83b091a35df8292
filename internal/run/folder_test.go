package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAFolderIsUsedAgainWithNothingOfTheLastCallInIt(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, "#!/bin/sh\nls \"${MCP_PROGRESS_STREAM%/*}\"; : >\"$MCP_TOOL_RESOURCES_FILE\"; mkdir \"${MCP_PROGRESS_STREAM%/*}/d\"")
	for range 3 {
		result, err := r.Call(t.Context(), new(heard).call(tool))
		is.NoErr(err)
		is.Equal(string(result.Content[0].JSON()), string(mcp.Text("stream\n").JSON())) // as new
	}
	is.Equal(len(callFolders(t, r)), 1) // one for all
}

func TestWhatAToolLeavesInAFolderThatWasLongTheSameIsFound(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, `#!/bin/sh
ls "${MCP_PROGRESS_STREAM%/*}"
case $MCP_TOOL_ARGS_JSON in *leave*)
  : >"${MCP_PROGRESS_STREAM%/*}/file"
  echo '{"code":1,"message":"refused"}' >"$MCP_TOOL_ERROR_FILE"
esac`)
	for range 3 {
		for _, leaves := range []bool{false, false, true} {
			c := new(heard).call(tool)
			if leaves {
				c.Args = json.RawMessage(`{"leave":true}`)
			}
			result, err := r.Call(t.Context(), c)
			is.Equal(err != nil, leaves) // what it wrote to its error file
			if err == nil {
				is.Equal(string(result.Content[0].JSON()), string(mcp.Text("stream\n").JSON())) // as new
			}
			long := time.Now().Add(-time.Hour)
			is.NoErr(os.Chtimes(filepath.Join(r.State, callsName, callFolders(t, r)[0].Name()), long, long))
		}
	}
	is.Equal(len(callFolders(t, r)), 1) // one for all
}

func TestAFolderWithoutItsStreamIsNotUsedAgain(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, "#!/bin/sh\nrm \"$MCP_PROGRESS_STREAM\"")
	_, err := r.Call(t.Context(), new(heard).call(tool))
	is.NoErr(err)
	streams, _ := filepath.Glob(filepath.Join(r.State, callsName, "*", streamName))
	is.Equal(len(streams), 1)           // that of a new folder
	is.Equal(len(callFolders(t, r)), 1) // the other is gone
}

func TestTheFolderOfACallIsGoneAfterIt(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	_, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\n")))
	is.NoErr(err)
	is.Equal(len(callFolders(t, r)), 0) // nothing left
}

func TestTheFolderOfEachCallStaysIfItIsToBeLookedInto(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse, r.Keep = true, true
	tool := newTool(t, r, "#!/bin/sh\necho file >\"$MCP_TOOL_RESOURCES_FILE\"")
	for range 2 {
		_, err := r.Call(t.Context(), new(heard).call(tool))
		is.NoErr(err)
	}
	written, _ := filepath.Glob(filepath.Join(r.State, callsName, "*", "*"))
	is.Equal(len(written), 4) // a stream and what the tool wrote, of each
}

func TestAFolderIsTidiedUpWhenTheClientHasItsResult(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, "#!/bin/sh\necho left >\"${MCP_PROGRESS_STREAM%/*}/file\"")
	var rest []func()
	c := new(heard).call(tool)
	c.Later = func(f func()) { rest = append(rest, f) }
	_, err := r.Call(t.Context(), c)
	is.NoErr(err)
	before := callFolders(t, r)
	left, _ := filepath.Glob(filepath.Join(r.State, callsName, "*", "file"))
	is.Equal(len(left), 1) // it waits
	for _, f := range rest {
		f()
	}
	after := callFolders(t, r)
	is.Equal(len(after), 1)
	is.True(after[0].Name() != before[0].Name()) // kept for the next call, under another name
	left, _ = filepath.Glob(filepath.Join(r.State, callsName, "*", "file"))
	is.Equal(len(left), 0)
	is.NoErr(r.Close())
}
