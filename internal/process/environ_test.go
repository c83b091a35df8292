package process

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAVariableStandsOnceInAnEnvironment(t *testing.T) {
	is := is.New(t)
	env := []string{"A=1", "B=2", "A=3"}
	is.Equal(strings.Join(With(env, "A=4", "C=5"), " "), "B=2 A=4 C=5")
	is.Equal(strings.Join(env, " "), "A=1 B=2 A=3") // which is not changed
}

func TestTheLoginShellIsThatOfTheUser(t *testing.T) {
	is := is.New(t)
	const users = "root:x:0:0:root:/root:/bin/bash\nodd:x:1\n\nnoshell:x:5:5:,,,:/:\nme:x:10:0::/home/me:/usr/bin/fish"
	is.Equal(loginShell(users, "0"), "/bin/bash")
	is.Equal(loginShell(users, "10"), "/usr/bin/fish")
	is.Equal(loginShell(users, "5"), "/bin/sh")
	is.Equal(loginShell(users, "1"), "")
	is.Equal(loginShell(users, "7"), "")
}
