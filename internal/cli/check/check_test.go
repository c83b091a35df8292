//go:build unix

package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// good is a project that nothing can be said against.
const good = `
-- server.d/server.meta.json --
{"name": "good", "title": "Good", "version": "1.0.0", "description": "Says hello"}
-- tools/good/tool.meta.json --
{"description": "Says hello.", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
-- tools/good/tool.sh --
#!/bin/sh
echo "hello, you"
-- resources/note.md --
a note
-- prompts/greet.md --
Greet {{name}}.
-- prompts/greet.meta.json --
{"arguments": [{"name": "name"}]}
`

func TestAGoodProjectHasNoMessages(t *testing.T) {
	is := is.New(t)
	r := found(t, good)
	is.Equal(len(r.Messages), 0) // nothing to say
	is.Equal(r.Errors+r.Warnings, 0)
}

// served are the names in the lists of the server.
func served(t *testing.T, root string, o Options) []string {
	t.Helper()
	p, err := catalog.Open(root, o.Project)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, list := range []func(context.Context) ([]string, error){
		of(p.Tools, func(t *catalog.Tool) string { return t.Name }),
		of(p.Resources, func(r *catalog.Resource) string { return r.Name }),
		of(p.Templates, func(t *catalog.Template) string { return t.Name }),
		of(p.Prompts, func(p *catalog.Prompt) string { return p.Name }),
		of(p.Completers, func(c *catalog.Completer) string { return c.Name }),
	} {
		if more, err := list(t.Context()); err == nil { // a list that fails serves nothing
			names = append(names, more...)
		}
	}
	return names
}

func of[T catalog.Entry](list func(context.Context) (catalog.Snapshot[T], error),
	name func(T) string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) (names []string, err error) {
		s, err := list(ctx)
		for _, one := range s.Items {
			names = append(names, name(one))
		}
		return names, err
	}
}

func TestTheVerdictAndTheServersNeverDiffer(t *testing.T) {
	const tool = "#!/bin/sh\n"
	for name, c := range map[string]struct {
		archive string
		entries string // NAME=FILE of each entry: the file is the one that an error names
		out     string // the names of those that are left out
	}{
		"good": {good, "good=tools/good/tool.sh note=resources/note.md greet=prompts/greet.md", ""},
		"not JSON": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\n",
			"a=tools/a/tool.meta.json", "a"},
		"wrong type": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"description\": 1}\n",
			"a=tools/a/tool.meta.json", ""},
		"not an object": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n[]\n",
			"a=tools/a/tool.meta.json", "a"},
		"schema": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"inputSchema\": \"x\"}\n",
			"a=tools/a/tool.meta.json", "a"},
		"schema refused": {"-- tools/a/tool.sh --\n" + tool +
			"-- tools/a/tool.meta.json --\n{\"inputSchema\": {\"type\": \"object\", \"required\": 1}}\n",
			"a=tools/a/tool.meta.json", "a"},
		"bad name": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"name\": \"a b\"}\n",
			"a=tools/a/tool.meta.json", ""},
		"bad file name": {"-- tools/ö.sh --\n" + tool, "ö=tools/ö.sh", "ö"},
		"same name": {"-- tools/a/tool.sh --\n" + tool + "-- tools/b/tool.sh --\n" + tool +
			"-- tools/b/tool.meta.json --\n{\"name\": \"a\"}\n", "a=tools/a/tool.sh b=tools/b/tool.sh", "b"},
		"case": {"-- tools/a/tool.sh --\n" + tool + "-- tools/b/tool.sh --\n" + tool +
			"-- tools/b/tool.meta.json --\n{\"name\": \"A\"}\n", "a=tools/a/tool.sh A=tools/b/tool.meta.json", ""},
		"cwd": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"cwd\": \"../x\"}\n",
			"a=tools/a/tool.meta.json", ""},
		"env": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"env\": {\"1\": \"x\"}}\n",
			"a=tools/a/tool.meta.json", ""},
		"inline": {"-- tools/a/tool.sh --\n" + tool + "# mcp: {\"name\": 1}\n", "a=tools/a/tool.sh", ""},
		"inline works": {"-- tools/a/tool.sh --\n" + tool + "# mcp: {\"name\": \"other\"}\n",
			"other=tools/a/tool.sh", ""},
		"YAML": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.yaml --\na: [\n",
			"a=tools/a/tool.meta.yaml", "a"},
		"both metadata": {"-- tools/a/tool.sh --\n" + tool +
			"-- tools/a/tool.meta.yaml --\na: [\n-- tools/a/tool.meta.json --\n{}\n", "a=tools/a/tool.meta.json", ""},
		"near miss": {"-- tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"descripton\": \"x\"}\n",
			"a=tools/a/tool.meta.json", ""},
		"not executable": {"-- 644 tools/a/tool.sh --\n" + tool, "a=tools/a/tool.meta.json", ""},
		"others go on": {good + "-- tools/b/tool.sh --\n" + tool + "-- tools/b/tool.meta.json --\nno\n",
			"good=tools/good/tool.sh b=tools/b/tool.meta.json", "b"},
		"URI": {"-- resources/a.md --\na\n-- resources/a.md.meta.json --\n{\"uri\": \"no uri\"}\n",
			"a=resources/a.md.meta.json", ""},
		"resource alone": {"-- resources/a.meta.json --\n{\"description\": \"x\"}\n", "a=resources/a.meta.json", "a"},
		"media type":     {"-- resources/a.md --\na\n-- resources/a.md.meta.json --\n{\"name\": \"a\", \"mimeType\": \"md\"}\n", "a=resources/a.md.meta.json", ""},
		"same URI":       {"-- resources/a.meta.json --\n{\"uri\": \"x:y\"}\n-- resources/b.meta.json --\n{\"uri\": \"x:y\"}\n", "a=resources/a.meta.json b=resources/b.meta.json", "b"},
		"template": {"-- resources/a.meta.json --\n{\"name\": \"a\", \"uriTemplate\": \"x:{y\"}\n",
			"a=resources/a.meta.json", "a"},
		"template constant": {"-- resources/a.meta.json --\n{\"name\": \"a\", \"uriTemplate\": \"x:y\"}\n",
			"a=resources/a.meta.json", "a"},
		"template works": {"-- resources/a.meta.json --\n{\"name\": \"a\", \"uriTemplate\": \"notes://{day}\"}\n",
			"a=resources/a.meta.json", ""},
		"prompt role": {"-- prompts/a.md --\na\n-- prompts/a.meta.json --\n{\"role\": \"system\"}\n",
			"a=prompts/a.meta.json", ""},
		"prompt arguments": {"-- prompts/a.md --\na\n-- prompts/a.meta.json --\n{\"arguments\": 3}\n",
			"a=prompts/a.meta.json", ""},
		"prompt alone": {"-- prompts/a.meta.json --\n{}\n", "a=prompts/a.meta.json", "a"},
		"registration": {good +
			"-- server.d/register.json --\n{\"version\": 1, \"tools\": [{\"name\": \"x\"}], \"prompts\": []}\n",
			"x=server.d/register.json note=resources/note.md", "x"},
		"registration not JSON": {good + "-- server.d/register.json --\n{\n",
			"good=server.d/register.json note=server.d/register.json", "good note"},
		"registration works": {good +
			"-- server.d/register.json --\n{\"version\": 1, \"tools\": [{\"name\": \"x\", \"path\": \"good/tool.sh\"}]}\n",
			"x=server.d/register.json", ""},
		"registration others write": {good + "-- 666 server.d/register.json --\n{\"version\": 1}\n",
			"good=server.d/register.json", "good"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			o := options()
			root := folderOf(t, c.archive)
			r := checked(t, root, o)
			names := served(t, root, o)
			for entry := range strings.FieldsSeq(c.entries) {
				name, file, _ := strings.Cut(entry, "=")
				leftOut := slices.Contains(strings.Fields(c.out), name)
				is.Equal(slices.Contains(names, name), !leftOut) // the server leaves out what is broken
				told := slices.ContainsFunc(r.Messages, func(m Message) bool {
					return m.Level == Error && m.Rule == "left-out" && m.File == file && m.Message != ""
				})
				is.Equal(told, leftOut) // the check says so, and nothing else
			}
		})
	}
}

// Icons that are not written as the protocol has them cannot be meant, whatever they belong to; one that
// is missing may come later.
func TestIconsOfAnotherShapeAreErrors(t *testing.T) {
	files := map[string]string{
		"server.d/server.meta.json": `"name": "x", "title": "X", "version": "1.0.0", "description": "d"`,
		"tools/good/tool.meta.json": `"description": "d", "inputSchema": {"type": "object", "properties": {}}`,
		"resources/note.meta.json":  `"description": "d"`,
		"prompts/greet.meta.json":   `"arguments": [{"name": "name"}]`,
	}
	for file, fields := range files {
		for icons, want := range map[string]string{
			`["icon.png"]`:                            "error",
			`{"src": "https://example.com/i.png"}`:    "error",
			`[{"source": "https://x.example/i.png"}]`: "error",
			`[{"src": 1}]`:                            "error",
			`[{"src": "missing.png"}]`:                "warning",
			`[{"src": "https://example.com/i.png"}]`:  "",
		} {
			t.Run(file+" "+icons, func(t *testing.T) {
				is := is.New(t)
				root := folderOf(t, good)
				is.NoErr(os.WriteFile(filepath.Join(root, filepath.FromSlash(file)),
					[]byte("{"+fields+`, "icons": `+icons+"}"), 0o600))
				report := checked(t, root, options())
				if want == "" {
					is.Equal(rules(report), "")
					return
				}
				is.True(strings.HasPrefix(rules(report), want+" metadata "+file+":1")) // how bad, and where
			})
		}
	}
}

func TestAdvice(t *testing.T) {
	long := strings.Repeat("n", 65)
	many := ""
	for i := range 101 {
		many += fmt.Sprintf("-- tools/t%d/tool.sh --\n#!/bin/sh\n", i)
	}
	for name, c := range map[string]struct{ archive, rule, file string }{
		"no description":    {"-- tools/a/tool.sh --\n#!/bin/sh\n", "no-description", "tools/a/tool.sh"},
		"default of a type": {"-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/a/tool.meta.json --\n{\"inputSchema\": {\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\", \"default\": \"x\"}}}}\n", "default", "tools/a/tool.meta.json"},
		"default of none":   {"-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/a/tool.meta.json --\n{\"inputSchema\": {\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"string\", \"enum\": [\"a\"], \"default\": \"b\"}}}}\n", "default", "tools/a/tool.meta.json"},
		"broken server": {"-- server.d/server.meta.json --\n{\"name\": \"x\",\n", "left-out",
			"server.d/server.meta.json"},
		"says nothing": {"-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/a/tool.meta.json --\n{\"description\": \"Runs tool.sh\"}\n", "no-description", "tools/a/tool.meta.json"},
		"double brackets": {"-- tools/a/tool.sh --\n#!/bin/sh\nif [[ $1 == a* ]]; then echo; fi\n", "bashism",
			"tools/a/tool.sh"},
		"no schema": {"-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/a/tool.meta.json --\n{}\n", "no-schema",
			"tools/a/tool.meta.json"},
		"long name":   {"-- tools/" + long + "/tool.sh --\n#!/bin/sh\n", "long-name", "tools/" + long + "/tool.sh"},
		"second page": {many, "second-page", ""},
		"dot":         {"-- tools/a.b/tool.sh --\n#!/bin/sh\n", "dotted-name", "tools/a.b/tool.sh"},
		"alike": {"-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/b/tool.sh --\n#!/bin/sh\n# mcp: {\"name\": \"A\"}\n",
			"alike", "tools/a/tool.sh"},
		"no server": {"-- tools/a/tool.sh --\n#!/bin/sh\n", "server-metadata", ""},
		"nameless": {"-- server.d/server.meta.json --\n{\"title\": \"x\"}\n", "server-metadata",
			"server.d/server.meta.json"},
		"optional": {"-- server.d/server.meta.json --\n{\"name\": \"x\", \"title\": \"x\"}\n-- VERSION --\n1.0.0\n",
			"server-optional", "server.d/server.meta.json"},
		"unread": {"-- resources/a.meta.json --\n{\"uri\": \"odd://x\"}\n", "no-provider",
			"resources/a.meta.json"},
		"no page":           {"-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/a/tool.meta.json --\n{\"_meta\": {\"ui\": {\"resourceUri\": \"ui://x/b\"}}}\n", "no-page", "tools/a/tool.meta.json"},
		"policy not run":    {"-- server.d/policy.sh --\n", "hook-not-allowed", "server.d/policy.sh"},
		"register not run":  {"-- server.d/register.sh --\n", "server", "server.d/register.sh"},
		"the operator says": {"-- tools/secret/tool.sh --\n#!/bin/sh\n", "not-allowed", "tools/secret/tool.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			o := options()
			o.Provides = func(scheme string) bool { return scheme == "file" }
			o.Listed = func(tool string) bool { return tool != "secret" }
			r := checked(t, folderOf(t, c.archive), o)
			is.True(slices.ContainsFunc(r.Messages, func(m Message) bool {
				return m.Rule == c.rule && m.File == c.file && m.Hint+m.Message != ""
			})) // is told, with its file
		})
	}
}

func TestAPageThatIsThereIsNoAdvice(t *testing.T) {
	const tool = "-- tools/a/tool.sh --\n#!/bin/sh\n-- tools/a/tool.meta.json --\n{\"_meta\": {\"ui\": {\"resourceUri\": \"ui://another/b\"}}}\n"
	for name, archive := range map[string]string{
		"in ui/":          "-- ui/b/index.html --\n",
		"of another tool": "-- tools/b/tool.sh --\n#!/bin/sh\n-- tools/b/ui/index.html --\n",
		"a resource":      "-- resources/b.html --\nx\n-- resources/b.html.meta.json --\n{\"uri\": \"ui://x/b\"}\n",
		"of a template":   "-- resources/b.meta.json --\n{\"name\": \"b\", \"uriTemplate\": \"ui://another/{page}\"}\n",
		"by a provider":   "-- providers/ui.sh --\n#!/bin/sh\n",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			root, o := folderOf(t, tool+archive), options()
			o.Script = func(name string) bool { return files.Exists(filepath.Join(root, "providers", name+".sh")) }
			is.True(!strings.Contains(rules(checked(t, root, o)), "no-page"))
		})
	}
}

func TestAProviderInMetadataMustReadTheURI(t *testing.T) {
	for name, c := range map[string]struct{ metadata, want string }{
		"its own": {`{"uri": "notes://x",
"provider": "notes"}`, ""},
		"that of a scheme": {`{"uri": "https://docs.test/x", "provider": "https"}`, ""},
		"another":          {`{"uri": "odd://x", "provider": "notes"}`, ""},
		"unknown": {`{"uri": "notes://x",
"provider": "nots"}`, `error no-provider resources/a.meta.json:2; provider: unknown provider "nots"`},
		"of another scheme": {`{"uri": "notes://x", "provider": "git"}`,
			`error no-provider resources/a.meta.json:1; provider: git reads only git+https: URIs, not notes:`},
		"template": {`{"name": "a", "uriTemplate": "odd://{x}", "provider": "notes"}`, ""},
		"unknown template": {`{"name": "a", "uriTemplate": "odd://{x}", "provider": "nots"}`,
			`error no-provider resources/a.meta.json:1; provider: unknown provider "nots"`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			o := options()
			o.Provides = func(scheme string) bool { return slices.Contains([]string{"notes", "https", "git+https"}, scheme) }
			o.Script = func(name string) bool { return name == "notes" }
			r := checked(t,
				folderOf(t, good+"-- providers/notes.sh --\n#!/bin/sh\n-- resources/a.meta.json --\n"+c.metadata+"\n"), o)
			got := rules(r)
			if len(r.Messages) == 1 {
				got += "; " + r.Messages[0].Message
			}
			is.Equal(got, c.want)
		})
	}
}

func TestACheckWritesNothing(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, good)
	o := options()
	o.Project.Folders.Registry = ".registry"
	checked(t, root, o)
	_, err := os.Stat(filepath.Join(root, ".registry"))
	is.True(os.IsNotExist(err))
}

func TestACheckEndsWithItsContext(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Project(ctx, folderOf(t, good), options())
	is.True(err != nil)
}
