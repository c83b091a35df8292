package catalog

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/matryer/is"
)

func TestWhichFilesAreTools(t *testing.T) {
	script := "\n#!/bin/sh\n"
	cases := []struct {
		name, files, want string
	}{
		{"a script called tool is named like its folder", "-- tools/hello/tool.sh --" + script, "hello"},
		{"a script called like its folder", "-- tools/hello/hello.sh --" + script, "hello"},
		{"a script directly in tools", "-- tools/hello.sh --" + script, "hello"},
		{"a script called tool directly in tools", "-- tools/tool.sh --" + script, "tool"},
		{"a script without an ending", "-- tools/hello/hello --" + script, "hello"},
		{"a script of another language", "-- tools/hello/tool.py --\n#!/usr/bin/env python3\n", "hello"},
		{"a group of scripts", "-- tools/git/log.sh --" + script + "-- tools/git/show.sh --" + script, "log show"},
		{"tools in a group", "-- tools/git/log/tool.sh --" + script, "log"},
		{"nothing", "-- other/x.sh --" + script, ""},

		{"what lies beside the main script helps it", "-- tools/a/tool.sh --" + script + "-- tools/a/other.sh --" + script,
			"a"},
		{"and so does what lies below it", "-- tools/a/a.sh --" + script + "-- tools/a/bin/x.sh --" + script, "a"},
		{"unless it has metadata", "-- tools/a/a.sh --" + script + "-- tools/a/b.sh --" + script +
			"-- tools/a/b.meta.json --\n{}\n", "a b"},
		{"or says so inline", "-- tools/a/a.sh --" + script + "-- tools/a/b.sh --" + script + "# mcp: {}\n", "a b"},
		{"tool comes before the folder's name", "-- tools/a/a.sh --" + script + "-- tools/a/tool.py --" + script, "a"},
		{"the shell script comes before what it starts", "-- tools/a/tool.py --" + script + "-- tools/a/tool.sh --" + script,
			"a"},

		{"hidden files and folders", "-- tools/.a/tool.sh --" + script + "-- tools/b/.x.sh --" + script, ""},
		{"too deep", "-- tools/a/b/c/x.sh --" + script, ""},
		{"metadata alone", "-- tools/a/README --\n", ""},
		{"smoke tests", "-- tools/g/x.sh --" + script + "-- tools/g/smoke.sh --" + script, "x"},
		{"tests", "-- tools/g/x.sh --" + script + "-- tools/g/x_test.sh --" + script + "-- tools/g/x.bats --" + script, "x"},
		{"a tool that is a test", "-- tools/load_test/load_test.sh --" + script, "load_test"},
		{"a tool that is a smoke test", "-- tools/smoke/smoke.sh --" + script, "smoke"},
		{"copies of editors", "-- tools/g/x.sh --" + script + "-- tools/g/x.sh~ --" + script + "-- tools/g/x.sh.bak --" +
			script + "-- tools/g/#x.sh# --" + script, "x"},
		{"documents that may be started", "-- tools/g/x.sh --" + script + "-- tools/g/README.md --" + script +
			"-- tools/g/data.json --" + script, "x"},
		{"libraries", "-- tools/lib/common.sh --" + script + "-- tools/lib/lib.sh --" + script, ""},
		{"user interfaces", "-- tools/ui/a/x.sh --" + script, ""},
		{"packages", "-- tools/node_modules/a.sh --" + script + "-- tools/x/node_modules/a.sh --" + script + "# mcp: {}\n",
			""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(names(found(t, c.files)), c.want) // the tools
		})
	}
}

func TestAScriptWithoutTheModeToBeStarted(t *testing.T) {
	if !executableBits {
		t.Skip("Windows files have no mode that allows starting them")
	}
	cases := []struct {
		name, file, text, tools, faults string
	}{
		{"is a tool in a folder", "tools/a/tool.sh", "echo", "a", ""},
		{"is one if it begins like a script", "tools/a/a", "#!/bin/sh", "a", ""},
		{"is none directly in tools", "tools/a.sh", "echo", "",
			"tools/a.sh: cannot be started, so it is not a tool; chmod +x it, or move it to lib/ if it is not meant to be one"},
		{"is one there with metadata", "tools/a.sh", "# mcp: {}", "a", ""},
		{"is none without any sign of a script", "tools/a/a.py", "print()", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			put(t, root, c.file, c.text)
			chmod(t, root, c.file, 0o644)
			s := snapshot(t, opened(t, root, Options{}))
			is.Equal(names(s), c.tools)   // the tools
			is.Equal(faults(s), c.faults) // what its author is told
		})
	}
}

func TestAScriptThatOnlyItsMetadataTellsOf(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/a/fetch.py --\nprint()\n-- tools/a/fetch.txt --\n-- tools/a/fetch.meta.json --\n{}\n")
	is.Equal(only(t, s).Name, "fetch") // the metadata says that it is one
}

func TestMetadataWithoutAScript(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/a/tool.meta.json --\n{}\n-- tools/a/ui/ui.meta.json --\n{}\n-- tools/b/b.sh --\n-- tools/b/ui/ui.meta.json --\n{\"template\":\"form\"}\n")
	is.Equal(names(s), "b")
	is.Equal(faults(s), "tools/a/tool.meta.json: belongs to no script; give it the name of its script: hello.meta.json for hello.sh")
}

func TestAToolThatLiesTooDeepIsPointedOut(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/b/c/other --\n-- tools/a/b/d/other --\n-- tools/x/x.sh --\n-- tools/x/y/z/z.sh --\n")
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(faults(snapshot(t, p)), "") // what belongs to a tool may lie anywhere
	put(t, root, "tools/a/b/c/tool.sh", "")
	is.Equal(faults(snapshot(t, p)),
		"tools/a/b/c: is nested too deep for a tool to be found; put it at most 2 folders below tools/")
}

func TestAToolIsPointedOutAlsoSomeLevelsTooDeep(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a/b/c/d/other --\n-- tools/a/b/c/lib/x.sh --\n#!/bin/sh\n")
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(faults(snapshot(t, p)), "")
	put(t, root, "tools/a/b/c/d/e/f/tool.sh", "")
	is.Equal(faults(snapshot(t, p)),
		"tools/a/b/c/d/e/f: is nested too deep for a tool to be found; put it at most 2 folders below tools/")
	is.NoErr(os.Remove(filepath.Join(root, "tools/a/b/c/d/e/f/tool.sh")))
	is.Equal(faults(snapshot(t, p)), "")
}

func TestOfManyFoldersThatAreTooDeepFewAreLookedAt(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/hello.sh --\n#!/bin/sh\n")
	for i := range 1000 {
		is.NoErr(os.MkdirAll(filepath.Join(root, "tools/data/a/b", strconv.Itoa(i), "c"), 0o755))
	}
	p := opened(t, root, Options{})
	is.Equal(len((&scan{tree: p.tools}).walk()), 4+2*mostDeep)
}

func TestMetadataBelongsToOneScript(t *testing.T) {
	is := is.New(t)
	s := found(t, `
-- tools/g/run.py --
#!/usr/bin/env python3
-- tools/g/run.sh --
-- tools/g/run.meta.json --
{"name":"shell"}
-- tools/g/run.py.meta.json --
{"name":"snake"}
`)
	is.Equal(names(s), "shell snake") // each has its own
	is.Equal(faults(s), "")
}
