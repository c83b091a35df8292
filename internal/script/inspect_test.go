//go:build unix

package script

import (
	"errors"
	"io/fs"
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
		want       string // a part of each reason, with | between; "" for none
	}{
		{"good.sh", "#!/bin/sh\n", 0o755, ""},
		{"env.sh", "#!/usr/bin/env sh\n", 0o755, ""},
		{"empty.sh", "", 0o755, "the file is empty"},
		{"idle.sh", "#!/bin/sh\n", 0o644, "no permission"},
		{"bare.sh", "echo\n", 0o755, "names no interpreter"},
		{"both.sh", "#!/bin/sh\r\n", 0o644, "no permission|CR LF"},
		{"marked.sh", "\xef\xbb\xbf#!/bin/sh\n", 0o755, "byte order mark"},
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
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "|")
			}
			is.Equal(len(found), len(want)) // as many faults
			for i, f := range found {
				is.True(strings.Contains(f.Reason, want[i]))                                             // says why
				is.Equal(errors.Is(f, fs.ErrPermission), f.Reason == found[0].Reason && c.mode == 0o644) // permissions are told apart
			}
			if c.name == "program" {
				return // what it was built for, only a start tells
			}
			var r Runner
			_, err := r.Run(t.Context(), Command{Path: path, Env: env})
			is.Equal(err != nil, len(found) > 0) // a start says the same
			if err != nil {
				is.Equal(err.Error(), found[0].Error()) // in the same words
			}
		})
	}
}
