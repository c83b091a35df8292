package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestWhichProgramsTheScriptsCall(t *testing.T) {
	is := is.New(t)
	report := checked(t, folderOf(t, `
-- tools/a/tool.sh --
#!/usr/bin/env bash
. lib/helpers.sh
helper "$(date)"
if command -v rg >/dev/null; then rg x; else grep x; fi
x=1 env -i A=1 curl x | jq .
exec node x.js
command git status
/usr/bin/absolute
"$dynamic" x
mcp_args_get .x
-- tools/b/tool.py --
#!/usr/bin/env python3
import os
-- lib/helpers.sh --
helper() { sort; }
-- tools/broken/tool.sh --
#!/bin/sh
if nothing
`), options())
	var lines []string
	for _, p := range report.Programs() {
		lines = append(lines, fmt.Sprintf("%s %s:%d %v", p.Name, p.File, p.Line, p.Optional))
	}
	is.Equal(strings.Join(lines, "\n"), `bash tools/a/tool.sh:1 false
curl tools/a/tool.sh:5 false
date tools/a/tool.sh:3 false
env tools/a/tool.sh:5 false
git tools/a/tool.sh:7 false
grep tools/a/tool.sh:4 false
jq tools/a/tool.sh:5 false
node tools/a/tool.sh:6 false
python3 tools/b/tool.py:1 false
rg tools/a/tool.sh:4 true
sort lib/helpers.sh:1 false`)
}
