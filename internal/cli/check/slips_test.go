//go:build unix

package check

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// slips are the findings in an archive, as people read them.
func slips(t *testing.T, archive string) string {
	t.Helper()
	o := options()
	o.Helpers = []string{"mcp_args_get", "mcp_progress"}
	o.Readable = func(uri string) error {
		if strings.HasPrefix(uri, "file:///etc") {
			return errors.New("outside of the roots")
		}
		return nil
	}
	r := checked(t, folderOf(t, archive), o)
	lines := strings.Split(rules(r), "\n")
	for i, m := range r.Messages {
		if len(lines) == len(r.Messages) && m.Hint != "" {
			lines[i] += "; " + m.Hint
		}
	}
	return strings.Join(lines, "\n")
}

func TestASlipIsFoundOnceWithItsPlace(t *testing.T) {
	const (
		tool = good + "-- tools/good/tool.sh --\n#!/bin/bash\n"
		argv = `read them with mcp_args_get, or list the words in metadata, as in "argv": ["{name}"]`
	)
	for name, c := range map[string]struct{ archive, want string }{
		"helper": {tool + "mcp_arg_get .x\n",
			"warning unknown-helper tools/good/tool.sh:2:1; did you mean mcp_args_get?"},
		"helper in a word": {tool + "x=\"$(mcp_progres 1)\"\n",
			"warning unknown-helper tools/good/tool.sh:2:6; did you mean mcp_progress?"},
		"other helper":   {tool + "mcp_something_else\n", ""},
		"defined":        {tool + "mcp_arg_get() { :; }\nmcp_arg_get\n", ""},
		"defined in lib": {tool + "mcp_arg_get\n-- lib/a.sh --\nmcp_arg_get() { :; }\n", ""},
		"helper allowed": {tool + "# mcp-bash: allow unknown-helper\nmcp_arg_get\n", ""},
		"in a lib": {good + "-- lib/a.sh --\n\nmcp_arg_get\n",
			"warning unknown-helper lib/a.sh:2:1; did you mean mcp_args_get?"},
		"$1": {tool + "echo \"$1\" \"$2\"\necho $1\n", "warning command-line tools/good/tool.sh:2:7; " + argv},
		"$1 of a plain script": {good + "-- tools/plain.sh --\n#!/bin/bash\necho \"$1\"\n",
			"; run mcp-bash adopt tools/plain.sh, which reads how it takes its arguments"},
		"${1}": {tool + "x=${1}\n", "warning command-line tools/good/tool.sh:2:3; " + argv},
		"$1 with argv": {tool + "echo \"$1\"\n-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\"name\": {\"enum\": " +
			"[\"a\"]}}}, \"argv\": [\"{name?}\"]}\n", ""},
		"$1 with a default":  {tool + "echo \"${1:-x}\"\n", ""},
		"$1 in a function":   {tool + "f() { echo \"$1\"; }\nf x\n", ""},
		"$1 that is counted": {tool + "if [ $# -gt 0 ]; then echo \"$1\"; fi\n", ""},
		"$1 that is set":     {tool + "set -- a b\necho \"$1\"\n", ""},
		"set -e": {tool + "set -euo pipefail\necho \"$1\"\n",
			"warning command-line tools/good/tool.sh:3:7; " + argv},
		"$1 of awk":      {tool + "awk '{print $1}' /dev/null\n", ""},
		"$1 of a prompt": {good + "-- prompts/a.sh --\n#!/bin/bash\necho \"$1\"\n", ""},
		"completion": {good + "-- completions/gret.sh --\n#!/bin/sh\n",
			"warning idle-completion completions/gret.sh; did you mean greet?"},
		"completion of none": {good + "-- completions/x.sh --\n" +
			"#!/bin/sh\n",
			"warning idle-completion completions/x.sh; give it the name of the prompt or resource template whose " +
				"arguments it completes"},
		"completion by path": {good + "-- completions/x.sh --\n" +
			"#!/bin/sh\n" +
			"-- prompts/greet.meta.json --\n" +
			"{\"arguments\": [{\"name\": \"name\", \"completion\": \"completions/x.sh\"}]}\n", ""},
		"no such variable": {good + "-- resources/t.meta.json --\n" +
			"{\"name\": \"t\", \"uriTemplate\": \"x://{city}\",\n" +
			"\"completion\": {\"cty\": [\"a\"]}}\n",
			"warning idle-completion resources/t.meta.json:2; did you mean city?"},
		"every variable": {good + "-- resources/t.meta.json --\n" +
			"{\"name\": \"t\", \"uriTemplate\": \"x://{city}\",\n" +
			"\"completion\": {\"city\": [\"a\"]}}\n", ""},
		"no cwd": {good + "-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\"},\n" +
			"\"cwd\": \"nope\"}\n",
			"error missing-folder tools/good/tool.meta.json:2; create it, or correct the path: it is relative to the " +
				"project's root"},
		"cwd": {good + "-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\"},\n" +
			"\"cwd\": \"tools\"}\n", ""},
		"nothing to write": {good + "-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\"},\n" +
			"\"sandbox\": {\"read\": [\"none\"], \"write\": [\"tools\",\n" +
			"\"nodir\"]}}\n",
			"error missing-folder tools/good/tool.meta.json:3; create it, or remove it from sandbox.write: the tool " +
				"cannot create it itself"},
		"something to write": {good + "-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\"},\n" +
			"\"sandbox\": {\"write\": [\"tools\", \"@roots\", \"~/x\"]}}\n", ""},
		"resource": {good + "-- resources/p.meta.json --\n" +
			"{\n" +
			"\"uri\": \"file:///etc/passwd\"}\n",
			"warning unreadable resources/p.meta.json:2; put the file into resources/, or name its folder in " +
				"MCP_RESOURCES_ROOTS"},
		"folder": {good + "-- tool/x/tool.sh --\n#!/bin/sh\n",
			"warning folder-name tool; move what is in it to tools/"},
		"folder of a letter": {good + "-- b/x.md --\nx\n", ""},
		"folder of rules": {good + "-- interceptor/x.meta.json --\n{}\n",
			"warning folder-name interceptor; move what is in it to interceptors/"},
		"folder of prompts": {good + "-- prompt/x.md --\n" +
			"x\n",
			"warning folder-name prompt; move what is in it to prompts/"},
		"other folders": {good + "-- tests/x.sh --\n" +
			"#!/bin/sh\n" +
			"-- server/x.sh --\n" +
			"#!/bin/sh\n" +
			"-- docs/x.md --\n" +
			"x\n", ""},
		"type": {good + "-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\",\n" +
			"\"inputSchema\": {\"type\": \"object\", \"properties\": {\"a\": {\"minLenght\": 1}}}}\n",
			"warning metadata tools/good/tool.meta.json:2; did you mean minLength?"},
		"required": {good + "-- tools/good/tool.meta.json --\n" +
			"{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\"a\": {}},\n" +
			"\"required\": [\"b\"]}}\n",
			"warning metadata tools/good/tool.meta.json:2; describe it in properties, or remove it from required"},
	} {
		t.Run(name, func(t *testing.T) { is.New(t).Equal(slips(t, c.archive), c.want) })
	}
}

func TestAFolderThatTheOperatorNamesIsNotASlip(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, good+"-- resource/x.md --\nx\n")
	is.NoErr(os.RemoveAll(filepath.Join(root, "resources")))
	o := options()
	o.Project.Folders.Resources = "resource"
	is.Equal(rules(checked(t, root, o)), "")
}

func TestAPythonToolWithoutAFirstLineIsNotReadAsAShellScript(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, good+"-- tools/p/tool.py --\nprint(f(1))\n-- tools/p/tool.meta.json "+
		"--\n{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\"}}\n")
	is.NoErr(os.Chmod(filepath.Join(root, "tools/p/tool.py"), 0o755))
	r := checked(t, root, options())
	is.Equal(rules(r), "warning shebang tools/p/tool.py:1")
	is.Equal(r.Messages[0].Hint, "begin the file with the line #!/usr/bin/env python3")
}

func TestAFileThatMayNotBeReadIsFound(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	r := found(t, good+"-- 200 prompts/a.md --\nHello\n-- 200 resources/b.txt --\nHi\n-- tools/good/tool.sh "+
		"--\n#!/bin/sh\n")
	is.New(t).Equal(rules(r), "error unreadable prompts/a.md\nerror unreadable resources/b.txt")
}
