//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestTheProgramOfTheTestsIsAGuardToo(t *testing.T) {
	is := is.New(t)
	command := server.GuardCommand()
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	is.True(err != nil) // and not all tests once more
	is.True(strings.Contains(string(out), "the guard is started by the server, with 2 arguments, not 0"))
}
