//go:build unix

package script

import (
	"os"
	"testing"

	"github.com/matryer/is"
)

func TestAScriptThatTheSystemWouldNotStartIsRunByItsInterpreter(t *testing.T) {
	env := []string{"PATH=" + os.Getenv("PATH")}
	const says = `echo "${BASH_VERSION:+bash} $1 ${0##*/}"`
	for _, c := range []struct {
		name, text, want string
		mode             os.FileMode
	}{
		{"lost", "#!/usr/bin/env bash\n" + says, "bash one lost\n", 0o644},
		{"lost.sh", "#!/usr/bin/env bash\n" + says, "bash one lost.sh\n", 0o600},
		{"direct", "#!/bin/bash -e\nfalse\n" + says, "", 0o644},
		{"split", "#!/usr/bin/env -S A=1 bash\n" + says + "\necho $A", "bash one split\n1\n", 0o644},
		{"bare.sh", says, "bash one bare.sh\n", 0o755},
		{"barelost.sh", says, "bash one barelost.sh\n", 0o644},
		{"bare.bash", says, "bash one bare.bash\n", 0o644},
		{"windows.sh", "#!/usr/bin/env bash\r\n" + says, "bash one windows.sh\n", 0o644},
		{"with a blank's.sh", says, "bash one with a blank's.sh\n", 0o644},
		{"-e.sh", says, "bash one -e.sh\n", 0o644},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			path := file(t, c.name, c.text, c.mode)
			out := Head{Limit: 1 << 10}
			_, err := runner.Run(t.Context(), Command{Path: path, Args: []string{"one"}, Env: env, Stdout: &out})
			is.NoErr(err)
			is.Equal(string(out.Bytes()), c.want)
		})
	}
}
