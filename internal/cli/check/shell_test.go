package check

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestWhichShellAScriptIsFor(t *testing.T) {
	for line, want := range map[string]string{
		"#!/bin/sh": "/bin/sh", "#!/usr/bin/env bash": "bash", "#! /bin/bash -e": "/bin/bash -e", "#!/usr/bin/env -S bash -u": "bash -u",
		"#!/usr/local/bin/ksh": "/usr/local/bin/ksh", "#!/usr/bin/python3": "", "#!/usr/bin/env": "", "#!": "", "echo": "bash", "#!/bin/sh\r": "/bin/sh",
	} {
		is := is.New(t)
		_, interpreter, ok := dialect([]byte(line + "\n"))
		is.Equal(strings.Join(interpreter, " "), want)
		is.Equal(ok, want != "")
	}
}

// FuzzScript holds that no text makes a check fail, and that what it finds has a place in it.
func FuzzScript(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/sh\necho $1\n", "#!/usr/bin/env bash\nx=$(mcp_arg_get .x)\neval $1 ${x[@]}\n", "\xef\xbb\xbf#!/bin/sh\r\n", "#!/bin/dash\na=(1)\n",
		"if", "$(", "<<EOF\n$1", "#!/bin/ksh\n", "\x00", "bash -c", "mcp_arg_get -v", "set", "eval $1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := target{}.endings(text)
		s, ok := target{}.parse(text)
		switch {
		case !ok:
		case s.err != nil:
			all = append(all, s.fault())
		default:
			all = append(all, append(s.misspelt([]string{"mcp_args_get"}, nil), s.positional()...)...)
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, m := range all {
			if m.Line < 0 || m.Line > lines || m.Message == "" || m.Hint == "" || m.Rule == "" {
				t.Errorf("%+v is no finding in %d lines", m, lines)
			}
		}
	})
}
