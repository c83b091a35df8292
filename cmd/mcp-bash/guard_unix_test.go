//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTheProgramOfTheTestsIsAGuardToo(t *testing.T) {
	is := is.New(t)
	command := guardCommand()
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	is.True(err != nil) // and not all tests once more
	is.True(strings.Contains(string(out), "the guard is started by the server, with 2 arguments, not 0"))
}
