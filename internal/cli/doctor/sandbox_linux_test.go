package doctor

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
)

func TestAScriptDoesNotGetOutOfASandbox(t *testing.T) {
	if err := cage.Available(); err != nil {
		t.Skip("this kernel has no sandbox for tools, so what it keeps out is not tested: ", err)
	}
	is := is.New(t)
	r := examined(t, options(t, ""))
	is.True(r.Runtime.Sandbox)
	is.Equal(r.Runtime.SandboxMissing, "")
	is.Equal(ids(r), "")
}

// Or the attempts would show nothing.
func TestWithoutASandboxEveryWayOutLeadsOut(t *testing.T) {
	is := is.New(t)
	e := &examination{Options: options(t, "")}
	e.report.Runtime.BashPath = bashPath(t)
	ways, err := e.escape(t.Context(), false)
	is.NoErr(err)
	want := 9
	if cage.KeepsSignals() {
		want++
	}
	is.Equal(len(ways), want) // as many as are tried
}

func TestToolsThatAskForASandboxAreToldWhereThereIsNone(t *testing.T) {
	is := is.New(t)
	e := &examination{sandboxed: 2}
	is.Equal(len((&examination{}).unboxed(cage.ErrUnavailable)), 0) // nobody asks
	found := e.unboxed(cage.ErrUnavailable)
	is.Equal(len(found), 1)
	is.Equal(found[0].Severity, check.Error)
}

func TestTheToolsOfAProjectThatAskForASandboxAreCounted(t *testing.T) {
	is := is.New(t)
	root := projectOf(t, "tools/a.sh", "#!/bin/sh\n", "tools/a.meta.json", `{"sandbox":"auto"}`,
		"tools/b.sh", "#!/bin/sh\n", "tools/b.meta.json", `{"sandbox":"none"}`, "tools/c.sh", "#!/bin/sh\n")
	for all, want := range map[bool]int{false: 1, true: 3} {
		e := &examination{Options: options(t, root)}
		e.CageAll = all
		e.report.Project = &Project{Root: root}
		_, err := e.project(t.Context())
		is.NoErr(err)
		is.Equal(e.sandboxed, want)
	}
}
