package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

const rich = `
-- server.d/server.meta.json --
{"name": "s"}
-- tools/a/tool.sh --
-- tools/a/tool.meta.json --
{"title": "A", "description": "a\n\"b\"", "inputSchema": {"type": "object", "properties": {"x": {"default": 1.10}}}, "outputSchema": {},
 "annotations": {"readOnlyHint": true}, "icons": [{"src": "i.svg"}], "_meta": {"k": 1},
 "timeoutSecs": 1.5, "maxTimeoutSecs": 0, "timeoutHint": "h", "progressExtendsTimeout": false, "maxOutputBytes": 10, "concurrency": 2, "limits": {"processes": 64, "memory": "1G", "fileSize": 1000}, "taskSupport": "optional", "requiredScopes": ["ops"],
 "env": {"B": "2", "A": "1"}, "cwd": "."}
-- tools/a/i.svg --
-- tools/a/ui/index.html --
-- tools/b.sh --
-- tools/c.meta.json --
{"argv": ["sort", ["-k", "{key}"], "--", "{files...}"], "stdin": "{text?}\n", "inputSchema": {"type": "object", "properties": {"key": {"default": 2}, "files": {}, "text": {}}}}
-- tools/d.meta.json --
{"argv": ["bin/d"]}
-- resources/deep/r.md --
-- resources/deep/r.meta.json --
{"title": "R", "size": 3, "annotations": {"priority": 1}, "icons": [], "_meta": {}}
-- resources/r.txt --
-- resources/status.meta.json --
{"uri": "api:status", "provider": "own"}
-- ui/board/ui.meta.json --
{"template": "kanban", "config": {"a": 1}}
-- resources/deep/t.meta.json --
{"name": "t", "uriTemplate": "x:{a}/{b}", "completion": {"a": ["1", "2"]}, "mimeType": "text/plain"}
-- resources/deep/t.sh --
-- resources/deep/t.completion.sh --
-- prompts/deep/p.md --
-- prompts/deep/p.meta.json --
{"role": "assistant", "arguments": [{"name": "a", "required": true, "values": ["x"]}, {"name": "b", "default": "", "completion": "completions/c.sh"}, {"name": "c", "completion": null}]}
-- prompts/deep/p.completion.sh --
-- prompts/m.meta.json --
{"messages": [{"role": "user", "content": "hi"}]}
-- completions/c.sh --
`

func kept(t testing.TB, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".registry", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsKeptIsServedAsItWas(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, rich)
	found := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	lists(t, found)
	static := opened(t, root, Options{Folders: Folders{Registry: ".registry"}, Static: true})
	sameList(t, found.Tools, static.Tools)
	sameList(t, found.Resources, static.Resources)
	sameList(t, found.Templates, static.Templates)
	sameList(t, found.Prompts, static.Prompts)

	put(t, root, "tools/new.sh", "")
	put(t, root, "resources/new.md", "")
	is.Equal(says(t, static.Tools), "a b c d") // without a look at the project
	is.Equal(says(t, static.Resources), "a board deep/r.md r status")
	is.Equal(says(t, found.Tools), "a b c d new") // until one who looks keeps it
	is.Equal(says(t, static.Tools), "a b c d new")
	tool, err := static.Tool(t.Context(), "new")
	is.NoErr(err)
	is.Equal(tool.Path, filepath.Join(root, "tools", "new.sh"))
}

// sameList expects two lists to be the same but for where they were described.
func sameList[T Entry](t *testing.T, a, b func(context.Context) (Snapshot[T], error)) {
	t.Helper()
	is := is.New(t)
	first, second := all(t, a), all(t, b)
	is.Equal(cmp.Diff(first.Items, second.Items,
		cmpopts.IgnoreFields(Described{}, "MetadataFile", "Metadata"), cmpopts.IgnoreUnexported(Template{}),
		cmp.AllowUnexported(Resource{})), "")
	is.Equal(first.Hash, second.Hash) // cursors work in both
	is.Equal(faults(second), "")
}

func TestTheFormatOfWhatIsKept(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, rich)
	lists(t, opened(t, root, Options{Folders: Folders{Registry: ".registry"}}))
	for name, total := range map[string]int{"tools.json": 4, "resources.json": 5, "resource-templates.json": 1,
		"prompts.json": 2} {
		var file struct {
			FormatVersion int `json:"format_version"`
			Version       int
			GeneratedAt   string
			Hash          string
			Total         int
			Items         []map[string]any
		}
		is.NoErr(json.Unmarshal([]byte(kept(t, root, name)), &file))
		is.Equal(file.FormatVersion, 1)
		is.Equal(file.Version, 1)
		is.Equal(file.Total, total)
		is.Equal(len(file.Items), total)
		is.Equal(len(file.Hash), 64)
		is.True(strings.HasSuffix(file.GeneratedAt, "Z"))
	}
	text := kept(t, root, "tools.json")
	// relative to tools/
	is.True(strings.Contains(text, `{"name":"b","path":"b.sh","inputSchema":{"type":"object","properties":{}}}`))
	// it works elsewhere too
	is.True(!strings.Contains(text, filepath.ToSlash(root)))
	is.Equal(kept(t, root, "completions.json"), "")
}

func TestAProjectThatMovesTakesWhatIsKeptAlong(t *testing.T) {
	is := is.New(t)
	root := filepath.Join(folderOf(t,
		"-- here/resources/a b/c.md --\n-- here/resources/d.md --\n<!-- mcp: {\"uri\": \"file:///srv/d.txt\"} -->\n"), "here")
	lists(t, opened(t, root, Options{Folders: Folders{Registry: ".registry"}}))
	moved := filepath.Join(t.TempDir(), "there")
	is.NoErr(os.Rename(root, moved))
	s := all(t, opened(t, moved, Options{Folders: Folders{Registry: ".registry"}, Static: true}).Resources)
	is.Equal(s.Items[0].URI, files.URI(filepath.Join(moved, "resources", "a b", "c.md")))
	is.Equal(s.Items[1].URI, "file:///srv/d.txt") // which its author gave it
}

func TestOnlyAListThatChangedIsWritten(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n")
	p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	snapshot(t, p)
	path := filepath.Join(root, ".registry", "tools.json")
	settle(t, root)
	before, err := os.Stat(path)
	is.NoErr(err)
	unchanged := func() bool {
		now, err := os.Stat(path)
		is.NoErr(err)
		return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime())
	}
	put(t, root, "tools/lib/x.sh", "")
	snapshot(t, p)
	is.True(unchanged()) // a file that is not a tool
	snapshot(t, opened(t, root, Options{Folders: Folders{Registry: ".registry"}}))
	is.True(unchanged()) // another process
	put(t, root, "tools/b.sh", "")
	snapshot(t, p)
	is.True(!unchanged())
	names, err := os.ReadDir(filepath.Join(root, ".registry"))
	is.NoErr(err)
	is.Equal(len(names), 1) // nothing is left behind
}

func TestNothingIsKeptUnlessItIsAskedFor(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n")
	snapshot(t, opened(t, root, Options{}))
	is.True(!isFolder(filepath.Join(root, ".registry")))
}

func TestAFolderThatCannotBeWrittenIsNoFault(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- .registry --\na file is in the way\n")
	p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	is.Equal(only(t, snapshot(t, p)).Name, "a")
}

func TestWhatCannotBeServedFromIsLookedForInstead(t *testing.T) {
	cases := []struct{ name, file string }{
		{"nothing", ""},
		{"no JSON", "{"},
		{"another format", `{"format_version": 2, "items": []}`},
		{"no format", `{"items": []}`},
		{"no items", `{"format_version": 1}`},
		{"other items", `{"format_version": 1, "items": [1]}`},
		{"a script that is gone", `{"format_version": 1, "items": [{"name": "b", "path": "b.sh"}]}`},
		{"a faulty item", `{"format_version": 1, "items": [{"path": "a.sh"}]}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- tools/a.sh --\n")
			var log bytes.Buffer
			if c.file != "" {
				put(t, root, ".registry/tools.json", c.file)
				settle(t, root)
			}
			p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}, Static: true,
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			for range 3 {
				is.Equal(says(t, p.Tools), "a")
			}
			// someone is told
			is.Equal(strings.Contains(log.String(), "cannot use .registry/tools.json, reading the project instead"),
				c.file != "")
			// nothing is written
			is.Equal(kept(t, root, "tools.json"), c.file)
		})
	}
}

func TestStaticListsAreAfterRegisteredOnesAndRunNothing(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.json --
{"version": 1, "prompts": [{"name": "registered", "path": "found.md"}]}
-- server.d/register.sh --
touch ran
mcp_register_tool '{"name": "scripted", "path": "found.sh"}'
-- .registry/prompts.json --
{"format_version": 1, "items": []}
-- .registry/resources.json --
{"format_version": 1, "version": 1, "generatedAt": "2025-01-01T00:00:00Z", "items": [{"name": "old", "description": "", "path": "found.md",
 "uri": "x:1", "mimeType": "text/plain", "provider": "file", "icons": null}], "hash": "x", "total": 1}
`)
	o := hooked(t)
	o.Folders.Registry, o.Static = ".registry", true
	is.Equal(lists(t, opened(t, root, o)), "found x|old|shape|registered|found")
	is.True(!files.Exists(filepath.Join(root, "ran")))
}

func TestWhatAScriptRegisteredIsKeptToo(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.sh --\nmcp_register_tool '{\"name\": \"scripted\", \"path\": \"found.sh\"}'\n")
	o := hooked(t)
	o.Folders.Registry = ".registry"
	is.Equal(says(t, opened(t, root, o).Tools), "scripted")
	o.Static = true
	is.Equal(says(t, opened(t, root, o).Tools), "scripted")
}

func TestAStaticProjectWithoutAFolderOfListsIsReadAsUsual(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- resources/day.meta.json --
{"name": "day", "uriTemplate": "day://{day}"}
-- server.d/register.json --
{"version": 1, "resourceTemplates": [{"name": "note", "uriTemplate": "note://{id}"}]}
`)
	p := opened(t, root, Options{Static: true})
	is.Equal(names(all(t, p.Templates)), "day note") // the registered one beside the one in the folder
}
