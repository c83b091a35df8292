package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
)

func TestWhereMetadataComesFrom(t *testing.T) {
	const (
		script = "-- tools/a/tool.sh --\n#!/bin/sh\n# mcp: {\"title\":\"inline\"}\n"
		json   = "-- tools/a/tool.meta.json --\n{\"title\":\"json\"}\n"
		exact  = "-- tools/a/tool.sh.meta.json --\n{\"title\":\"exact\"}\n"
		yaml   = "-- tools/a/tool.meta.yaml --\ntitle: yaml\n"
		yml    = "-- tools/a/tool.meta.yml --\ntitle: yml\n"
	)
	cases := []struct{ name, files, title, file, fault string }{
		{"inline", script, "inline", "tool.sh", ""},
		{"json before inline", script + json, "json", "tool.meta.json", ""},
		{"yaml before inline", script + yaml, "yaml", "tool.meta.yaml", ""},
		{"yml before inline", script + yml, "yml", "tool.meta.yml", ""},
		{"json before yaml", script + yaml + json, "json", "tool.meta.json",
			"tools/a/tool.meta.yaml: has no effect beside tool.meta.json; keep one of the two"},
		{"yaml before yml", script + yaml + yml, "yaml", "tool.meta.yaml",
			"tools/a/tool.meta.yml: has no effect beside tool.meta.yaml; keep one of the two"},
		{"the full file name before the stem", script + exact + json, "exact", "tool.sh.meta.json",
			"tools/a/tool.meta.json: has no effect beside tool.sh.meta.json; keep one of the two"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			s := found(t, c.files)
			is.Equal(s.Items[0].Title, c.title)                      // the one that holds
			is.Equal(filepath.Base(s.Items[0].MetadataFile), c.file) // and its file
			is.Equal(faults(s), c.fault)                             // the other is no secret
		})
	}
}

func TestInlineMetadata(t *testing.T) {
	cases := []struct{ name, script, title, fault string }{
		{"after the first line", "#!/bin/sh\n# mcp: {\"title\":\"x\"}\n", "x", ""},
		{"without a blank", "#mcp:{\"title\":\"x\"}", "x", ""},
		{"with many", "#!/bin/sh\n   #\t mcp:   {\"title\":\"x\"}  \n", "x", ""},
		{"in JavaScript", "#!/usr/bin/env node\n// mcp: {\"title\":\"x\"}\n", "x", ""},
		{"in Lua", "#!/usr/bin/env lua\n-- mcp: {\"title\":\"x\"}\n", "x", ""},
		{"with carriage returns", "#!/bin/sh\r\n# mcp: {\"title\":\"x\"}\r\n", "x", ""},
		{"after a byte order mark", "\uFEFF# mcp: {\"title\":\"x\"}\n", "x", ""},
		{"on the tenth line", strings.Repeat("\n", 9) + "# mcp: {\"title\":\"x\"}\n", "x", ""},
		{"on the eleventh", strings.Repeat("\n", 10) + "# mcp: {\"title\":\"x\"}\n", "", ""},
		{"the first counts", "# mcp: {\"title\":\"x\"}\n# mcp: {\"title\":\"y\"}\n", "x", ""},
		{"in code", "echo 'mcp: {}'\n", "", ""},
		{"prose", "#!/bin/sh\n# mcp: name: x\n", "",
			`tools/a.sh:2: the mcp: comment has no JSON object after it, so it has no effect; write # mcp: {"description": "…"} on one line`},
		{"over several lines", "#!/bin/sh\n\n# mcp: {\"title\":\n#  \"x\"}\n", "",
			"tools/a.sh:3: is not valid JSON: it ends too early; close what is open"},
		{"of a wrong type", "#!/bin/sh\n# mcp: {\"title\":1}\n", "",
			`tools/a.sh:2: title: must be a string, not a number; write "1"`},
		{"in a program", "# mcp: {\"title\":\"x\"}\n\x00\x01\x02", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			put(t, root, "tools/a.sh", c.script)
			s := snapshot(t, opened(t, root, Options{}))
			is.Equal(faults(s), c.fault) // what its author is told
			title := ""
			if len(s.Items) == 1 {
				title = s.Items[0].Title
			}
			is.Equal(title, c.title) // what holds
		})
	}
}

func TestJSONThatIsNoneIsToldByLine(t *testing.T) {
	cases := []struct{ name, text, fault string }{
		{"a comma too many", "{\n  \"title\": \"x\",\n}",
			`:3: is not valid JSON: invalid character '}' at start of string (expecting '"'); remove the last comma`},
		{"a comma too many, deep down", "{\n  \"a\": [1,\n]}",
			`:3: is not valid JSON: invalid character ']' at start of value; remove the last comma`},
		{"a comma too few", "{\"a\": 1\n\"b\": 2}",
			`:2: is not valid JSON: invalid character '"' after object value (expecting ',' or '}'); a comma may be missing before it`},
		{"a comment", "{\n// x\n}",
			`:2: is not valid JSON: invalid character '/' at start of string (expecting '"'); JSON has no comments; use a .meta.yaml file for those`},
		{"single quotes", "{'a': 1}",
			`:1: is not valid JSON: invalid character '\'' at start of string (expecting '"'); use plain double quotes (")`},
		{"a line break in a string", "{\n\"a\": \"x\ny\"}",
			`:2: is not valid JSON: invalid character '\n' in string (expecting non-control character); write \n for a line break in a string`},
		{"half of it", "{\n\"a\": 1\n\n", ":2: is not valid JSON: it ends too early; close what is open"},
		{"nothing", " \n", ":1: is empty; begin with a field, such as description, or remove the file"},
		{"something else", "[]", ":1: must be an object; begin with a field, such as description"},
		{"null", "null", ":1: must be an object; begin with a field, such as description"},
		{"two of them", "{}\n{}", ":2: is not valid JSON: more text after the end"},
		{"more after it", "{}\nx", ":2: is not valid JSON: more text after the end"},
		{"a name without quotes", "{a: 1}",
			`:1: is not valid JSON: invalid character 'a' at start of string (expecting '"'); write names in double quotes`},
		{"a value of Python", "{\"a\": True}",
			`:1: is not valid JSON: invalid character 'T' at start of value; write text in double quotes; other values are true, false, null, numbers, objects and lists`},
		{"half a value", "{\"a\": tru\n}",
			`:1: is not valid JSON: invalid character '\n' in literal true (expecting 'e'); write text in double quotes; other values are true, false, null, numbers, objects and lists`},
		{"a name twice", "{\"a\":1,\n\"a\":2}", ":2: a: is a duplicate; keep one of the two"},
		{"a name twice, deep down", "{\"a\":{\"b\":{\"c\":1,\n\"c\":2}}}", ":2: a.b.c: is a duplicate; keep one of the two"},
		{"bytes that are not UTF-8", "{\n\"a\":\"\xff\"}", ":2: is not valid JSON: invalid UTF-8"},
		{"too much", `{"a":"` + strings.Repeat("a", metadataBytes) + `"}`, ": is larger than 1024 KiB"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- tools/a.sh --\n-- tools/good.sh --\n")
			put(t, root, "tools/a.meta.json", c.text)
			s := snapshot(t, opened(t, root, Options{}))
			is.Equal(faults(s), "tools/a.meta.json"+c.fault) // where it is, and what to do
			is.Equal(names(s), "good")                       // the others work
		})
	}
}

func TestAByteOrderMarkIsTolerated(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- tools/b.sh --\n")
	put(t, root, "tools/a.meta.json", "\uFEFF{\"title\":\"x\"}")
	put(t, root, "tools/b.meta.yaml", "\uFEFFtitle: y\n")
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(faults(s), "")
	is.Equal(s.Items[0].Title+s.Items[1].Title, "xy") // in both forms
}

func TestMetadataThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 || !executableBits {
		t.Skip("root may read every file, and Windows has no mode that forbids it")
	}
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{}\n-- tools/good.sh --\n")
	chmod(t, root, "tools/a.meta.json", 0)
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "good")
	is.Equal(faults(s), "tools/a.meta.json: permission denied")
}

func TestFaultsNameTheLinesThatTheAuthorSees(t *testing.T) {
	is := is.New(t)
	doc := document.JSON("x.json", []byte("\n{\n \"name\"\n:\n \"a b\",\n\n \"list\": [\n1,\n2]}"))
	o, fault := objectOf(&doc)
	is.True(fault == nil)
	name, _ := o.get("name")
	o.warn(name, "", "")
	list, _ := o.get("list")
	o.warn(o.elements(list)[1], "", "")
	is.Equal([]int{o.faults[0].Line, o.faults[1].Line}, []int{3, 9})
}
