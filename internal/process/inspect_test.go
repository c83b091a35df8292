//go:build unix

package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestWhatIsWrongIsToldWithoutAStartAsAStartTellsIt(t *testing.T) {
	for _, c := range []struct {
		name, text string
		mode       os.FileMode
		want       string // a part of the reason; "" for none
	}{
		{"good.sh", "#!/bin/sh\n", 0o755, ""},
		{"env.sh", "#!/usr/bin/env sh\n", 0o755, ""},
		{"empty.sh", "", 0o755, "the file is empty"},
		{"idle.sh", "#!/bin/sh\n", 0o644, ""},
		{"idle", "#!/bin/sh\n", 0o644, ""},
		{"idle.txt", "echo\n", 0o644, "not executable"},
		{"bare.sh", "echo\n", 0o755, ""},
		{"bare", "echo\n", 0o755, "names no interpreter"},
		{"cr.sh", "#!/bin/sh\r\n", 0o755, "CR LF"},
		{"idlecr.sh", "#!/bin/sh\r\n", 0o644, ""},
		{"marked", "\xef\xbb\xbf#!/bin/sh\n", 0o755, "byte order mark"},
		{"idlegone.sh", "#!/no/such/shell\n", 0o644, "/no/such/shell in its #! line does not exist"},
		{"idlelost.sh", "#!/usr/bin/env no-such-shell\n", 0o644, `"no-such-shell" in its #! line is not on PATH`},
		{"idle.lua", "os.exit()\n", 0o644, "lua that the ending of its name asks for is not on PATH"},
		{"gone.sh", "#!/no/such/shell\n", 0o755, "/no/such/shell in its #! line does not exist"},
		{"folder.sh", "#!/tmp\n", 0o755, "is a folder"},
		{"nothing.sh", "#!\n", 0o755, "names no interpreter"},
		{"lost.sh", "#!/usr/bin/env no-such-shell\n", 0o755, `"no-such-shell" in its #! line is not on PATH`},
		{"program", "\x7fELF", 0o755, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			path := filepath.Join(t.TempDir(), c.name)
			is.NoErr(os.WriteFile(path, []byte(c.text), c.mode))
			is.NoErr(os.Chmod(path, c.mode))
			env := []string{"PATH=/usr/bin:/bin"}
			found := Inspect(path, env)
			is.Equal(found != nil, c.want != "")
			if found != nil {
				is.True(strings.Contains(found.Reason, c.want)) // says why
			}
			if c.name == "program" {
				return // what it was built for, only a start tells
			}
			_, err := runner.Run(t.Context(), Command{Path: path, Env: env})
			is.Equal(err != nil, found != nil) // a start says the same
			if err != nil {
				is.Equal(err.Error(), found.Error()) // in the same words
			}
		})
	}
}
