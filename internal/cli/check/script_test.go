//go:build unix

package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestWhatIsWrongWithScripts(t *testing.T) {
	for name, c := range map[string]struct{ archive, want string }{
		"not executable": {"-- 644 tools/a/tool.sh --\n#!/bin/sh\n", "error exec-bit tools/a/tool.sh"},
		"no shebang":     {"-- 755 tools/a/tool.sh --\necho\n", "warning shebang tools/a/tool.sh:1"},
		"interpreter":    {"-- tools/a/tool.py --\n#!/usr/bin/env no-such-python\n", "error interpreter tools/a/tool.py:1"},
		"other language": {"-- tools/a/tool.awk --\n#!/usr/bin/env awk\nif ((\n", "info syntax tools/a/tool.awk"},
		"CR LF":          {"-- tools/a/tool.sh --\n#!/bin/sh<CR>\necho<CR>\n", "error crlf tools/a/tool.sh:1"},
		"CR LF below":    {"-- tools/a/tool.sh --\n#!/bin/sh\necho<CR>\n", "warning crlf tools/a/tool.sh:2"},
		"BOM":            {"-- 755 tools/a/tool.sh --\n<BOM>#!/bin/sh\n", "warning bom tools/a/tool.sh:1"},
		"empty":          {"-- 755 tools/a/tool.sh --\n\n", "warning shebang tools/a/tool.sh:1"},
		"syntax":         {"-- tools/a/tool.sh --\n#!/bin/bash\nif true; then\n", "error syntax tools/a/tool.sh:2:10"},
		"quote":          {"-- tools/a/tool.sh --\n#!/bin/bash\necho \"\n", "error syntax tools/a/tool.sh:2:6"},
		"bash in sh":     {"-- tools/a/tool.sh --\n#!/bin/dash\na=(1 2)\n", "error bashism tools/a/tool.sh:2:3"},
		"bash in bash":   {"-- tools/a/tool.sh --\n#!/bin/bash\na=(1 2)\n", ""},
		"helper":         {good + "-- lib/a.sh --\nif true; then\n", "warning syntax lib/a.sh:1:10"},
		"hook":           {good + "-- server.d/env.sh --\nif true; then\n", "warning syntax server.d/env.sh:1:10"},
		"completion":     {good + "-- 644 completions/greet.sh --\n#!/bin/sh\n", "error exec-bit completions/greet.sh"},
		"provider":       {good + "-- 644 providers/x.sh --\n#!/bin/sh\n", "error exec-bit providers/x.sh"},
		"prompt":         {"-- prompts/a.sh --\n#!/bin/sh\nif\n", "error syntax prompts/a.sh:2:1"},
		"idle prompt":    {"-- 644 prompts/a.sh --\n#!/bin/sh\n", "error exec-bit prompts/a.sh"},
		"a document":     {good + "-- tools/good/README.md --\n`if`\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			if strings.Contains(c.archive, "/bin/dash") {
				if _, err := os.Stat("/bin/dash"); err != nil {
					t.Skip("/bin/dash is not installed, so syntax that it refuses is not tested")
				}
			}
			is.Equal(rules(found(t, c.archive)), c.want)
		})
	}
}

func TestAScriptThatCannotBeReadIsNotChecked(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("#", maxScript): "not checked: the script has more than 1048576 bytes",
		"echo \x00a\n":                 "not checked: the script has a zero byte in line 2",
		strings.Repeat("a|",
			50_001): "not checked: the script has 50001 of the characters ( | & ? ` {, and with more than 50000 it could be nested too deeply to parse",
	} {
		is := is.New(t)
		r := checked(t, folderOf(t, good+"-- lib/a.sh --\n#!/bin/bash\n"+text), options())
		is.Equal(about(r, "syntax"), "warning lib/a.sh "+want)
	}
	is := is.New(t)
	r := checked(t,
		folderOf(t,
			good+
				"-- tools/b/tool.meta.json --\n{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\"}}\n-- tools/b/tool.sh --\n\x7fELF\x00"), options())
	is.Equal(about(r, "syntax"), "") // nobody expects a program to be checked
}

func TestTheShellHasTheLastWordOnItsSyntax(t *testing.T) {
	is := is.New(t)
	const odd = "-- tools/a/tool.sh --\n#!/bin/bash\nexit\na=b)\n"
	is.Equal(rules(found(t, odd)), "error syntax tools/a/tool.sh:3:4") // bash does not read it either
	o := options()
	is.Equal(rules(found(t, "-- tools/a/tool.sh --\n#!/bin/bash\nif true<CR>\nthen<CR>\ntrue<CR>\nfi<CR>\n")),
		"error crlf tools/a/tool.sh:2") // we read over the CR
	good, bad := filepath.Join(folderOf(t, good), "tools/good/tool.sh"), filepath.Join(folderOf(t, odd), "tools/a/tool.sh")
	for _, c := range []struct {
		interpreter, path string
		reads, asked      bool
	}{
		{"/bin/bash", good, true, true},
		{"bash", bad, false, true}, // found on PATH
		{"/no/such/shell", good, false, false},
	} {
		reads, asked := (&contents{options: o}).ask(t.Context(), []string{c.interpreter}, c.path)
		is.Equal(reads, c.reads)
		is.Equal(asked, c.asked)
	}
	o.Runner = nil
	_, asked := (&contents{options: o}).ask(t.Context(), []string{"bash"}, good)
	is.True(!asked)
}

// A script that the server starts fails exactly if it has an error here.
func TestWhatIsAnErrorFails(t *testing.T) {
	for name, text := range map[string]string{
		"good": "#!/bin/sh\n", "env": "#!/usr/bin/env bash\n", "none": "true\n", "CR": "#!/bin/sh<CR>\n",
		"BOM":  "<BOM>#!/bin/sh\ntrue\n",
		"gone": "#!/no/such/shell\n", "lost": "#!/usr/bin/env no-such-shell\n", "syntax": "#!/bin/bash\nif\n",
		"CR below": "#!/bin/bash\nif true<CR>\nthen<CR>\ntrue<CR>\nfi<CR>\n", "array": "#!/bin/bash\na=(1)\n",
		"comment": "#!/bin/sh\n#<CR>\n",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			root, o := folderOf(t, "-- 755 tools/a/tool.sh --\n"+text), options()
			ended, err := o.Runner.Run(t.Context(), process.Command{Path: filepath.Join(root, "tools/a/tool.sh"), Env: o.Env})
			is.Equal(err != nil || ended.ExitCode != 0, checked(t, root, o).Errors > 0)
		})
	}
}

// Who validates a project that somebody else has written runs nothing of it.
func TestNoScriptSaysWhichProgramReadsIt(t *testing.T) {
	is := is.New(t)
	ran := filepath.Join(t.TempDir(), "ran")
	root := folderOf(t,
		"-- tools/a/tool.sh --\n#!/bin/bash -c touch${IFS}"+ran+";\nif\n-- tools/b/bash --\n#!/bin/sh\ntouch "+ran+"\n")
	is.NoErr(os.MkdirAll(filepath.Join(root, "tools/c"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "tools/c/tool.sh"), []byte("#!"+root+"/tools/b/bash\nif\n"), 0o755))
	r := checked(t, root, options())
	is.Equal(r.Errors, 2) // bash has read both
	_, err := os.Stat(ran)
	is.True(errors.Is(err, fs.ErrNotExist)) // and run none
}
