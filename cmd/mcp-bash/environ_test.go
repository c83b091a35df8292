package main

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestNamesOfVariablesHaveNoCaseOnWindows(t *testing.T) {
	is := is.New(t)
	got := windowsEnviron([]string{`=C:=C:\p`, `Path=C:\w`, "mcpbash_Log_Level=debug", "ProgramFiles=x", "Mcp_X=a=b", "PathExt=.EXE"})
	is.Equal(strings.Join(got, " "), `PATH=C:\w MCPBASH_LOG_LEVEL=debug ProgramFiles=x MCP_X=a=b PATHEXT=.EXE`)
}
