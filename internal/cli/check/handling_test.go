package check

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestArgumentsThatTheShellTakesApart(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"quoted":              {`x=$(mcp_args_get .x); echo "$x"`, ""},
		"unquoted":            {`x=$(mcp_args_get .x); echo $x`, "unquoted-argument 2:28"},
		"in braces":           {`x=$(mcp_args_require .x); rm ${x}`, "unquoted-argument 2:30"},
		"as a command":        {`x=$(mcp_args_get .x); $x`, "unquoted-argument 2:23"},
		"substitution":        {`rm $(mcp_args_get .x)`, "unquoted-argument 2:4"},
		"into a variable":     {`mcp_args_get -v x .x; echo $x`, "unquoted-argument 2:28"},
		"from JSON":           {`x=$(jq -r .x <<<"$MCP_TOOL_ARGS_JSON"); echo $x`, "unquoted-argument 2:46"},
		"passed on":           {`x=$(mcp_args_get .x); y="a$x"; z=$y; echo $z`, "unquoted-argument 2:43"},
		"local":               {`f() { local x; x=$(mcp_args_get .x); echo $x; }`, "unquoted-argument 2:43"},
		"declared":            {`declare x=$(mcp_args_get .x); echo $x`, "unquoted-argument 2:36"},
		"array":               {`x=("$(mcp_args_get .x)"); echo ${x[@]}`, "unquoted-argument 2:32"},
		"loop":                {`for x in $(mcp_args_get .x); do echo $x; done`, "unquoted-argument 2:38"},
		"read":                {`mcp_args_get .x | while read -r x; do echo $x; done`, "unquoted-argument 2:44"},
		"read from":           {`read -r x < <(mcp_args_get .x); echo $x`, "unquoted-argument 2:38"},
		"read a document":     {"while read -r x; do echo $x; done <<EOF\n$MCP_TOOL_ARGS_JSON\nEOF", "unquoted-argument 2:26"},
		"assigned":            {`x=$(mcp_args_get .x); y=$x`, ""},
		"compared":            {`x=$(mcp_args_get .x); [[ $x == a ]]`, ""},
		"case":                {`x=$(mcp_args_get .x); case $x in a) ;; esac`, ""},
		"its length":          {`x=$(mcp_args_get .x); echo ${#x}`, ""},
		"another word":        {`x=$(mcp_args_get .x); echo ${x:+yes}`, ""},
		"a number":            {`x=$(mcp_args_int .x); echo $x`, ""},
		"true or false":       {`x=$(mcp_args_bool .x); $x && echo`, ""},
		"its own":             {`x=$(date); echo $x`, ""},
		"eval":                {`x=$(mcp_args_get .x); eval "ls $x"`, "eval-of-argument 2:23"},
		"eval of a getter":    {`eval "$(mcp_args_get .code)"`, "eval-of-argument 2:1"},
		"bash -c":             {`x=$(mcp_args_get .x); bash -c "ls $x"`, "eval-of-argument 2:23"},
		"sh -ec":              {`x=$(mcp_args_get .x); /bin/sh -ec "ls $x"`, "eval-of-argument 2:23"},
		"bash -c with words":  {`x=$(mcp_args_get .x); bash -c 'ls "$1"' ls "$x"`, ""},
		"eval of its own":     {`eval "$(date)"`, ""},
		"eval of an escape":   {`x=$(mcp_args_get .x); eval "y=\$x"`, ""},
		"eval of quoted":      {`x=$(mcp_args_get .x); eval "ls $(printf %q "$x")"`, ""},
		"eval of another way": {`x=$(mcp_args_get .x); eval "ls ${x@Q}"`, ""},
		"allowed":             {"x=$(mcp_args_get .x)\n# mcp-bash: allow unquoted-argument\necho $x", ""},
		"allowed in the line": {"x=$(mcp_args_get .x)\necho $x # shellcheck disable=SC2086", ""},
		"allowed elsewhere":   {"x=$(mcp_args_get .x) # shellcheck disable=SC2086\necho $x", "unquoted-argument 3:6"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			s, ok := target{}.parse([]byte("#!/usr/bin/env bash\n" + c.lines + "\n"))
			is.True(ok)     // it is a script for a shell
			is.NoErr(s.err) // that can be read
			var got []string
			for _, m := range s.handling() {
				is.Equal(m.Level, Warning)
				m.Level, m.File, m.Section = "", "", ""
				got = append(got, strings.TrimSpace(rules(Report{Messages: []Message{m}})))
			}
			want := strings.Replace(c.want, " ", " :", 1)
			is.Equal(strings.Join(got, "\n"), want)
		})
	}
}

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
		"#!/bin/sh\necho $1\n", "#!/usr/bin/env bash\nx=$(mcp_args_get .x)\neval $x ${x[@]}\n", "\xef\xbb\xbf#!/bin/sh\r\n", "#!/bin/dash\na=(1)\n",
		"if", "$(", "<<EOF\n$MCP_TOOL_ARGS_JSON", "#!/bin/ksh\n", "\x00", "bash -c", "mcp_args_get -v", "eval $MCP_TOOL_ARGS_JSON",
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
			all = append(all, s.handling()...)
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, m := range all {
			if m.Line < 0 || m.Line > lines || m.Message == "" || m.Hint == "" || m.Rule == "" {
				t.Errorf("%+v is no finding in %d lines", m, lines)
			}
		}
	})
}
