package server

import (
	"slices"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestScriptsUseTheShellOfTheServerOrOfTheUser(t *testing.T) {
	is := is.New(t)
	o := Options{Environ: []string{"PATH=/bin", "SHELL=/bin/mine"}}
	is.Equal(o.toolEnvironment(), []string{"PATH=/bin", "SHELL=/bin/mine"})

	o.Environ = []string{"PATH=/bin"}
	want := []string{"PATH=/bin"}
	if shell := process.LoginShell(); shell != "" {
		want = append(want, "SHELL="+shell)
	}
	is.Equal(o.toolEnvironment(), want)

	o.ProjectEnv = []string{"SHELL=/bin/theirs"}
	is.True(slices.Contains(o.toolEnvironment(), "SHELL=/bin/theirs"))
}
