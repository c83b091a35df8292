package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// lists returns the names in all lists of a project, or their errors.
func lists(t testing.TB, p *Project) string {
	t.Helper()
	return strings.Join([]string{says(t, p.Tools), says(t, p.Resources), says(t, p.Templates), says(t, p.Prompts),
		says(t, p.Completers)}, "|")
}

// allFaults returns the faults of all lists.
func allFaults(t testing.TB, p *Project) string {
	t.Helper()
	return faults(snapshot(t, p)) + "\n" + faults(all(t, p.Resources)) + "\n" + faults(all(t, p.Templates)) + "\n" +
		faults(all(t, p.Prompts)) + "\n" + faults(all(t, p.Completers))
}

const everything = `
-- tools/found.sh --
-- tools/sub/x.sh --
-- resources/found.md --
-- resources/found2.meta.json --
{"name": "shape", "uriTemplate": "x:{y}"}
-- prompts/found.md --
-- completions/found.sh --
`

func TestRegisteredListsReplaceWhatIsFound(t *testing.T) {
	cases := []struct{ name, register, want string }{
		{"nothing is registered", `{"version": 1}`, "found x|found|shape|found|found"},
		{"null is nothing", `{"version": 1, "tools": null, "_meta": {"a": 1}}`, "found x|found|shape|found|found"},
		{"an empty list is one",
			`{"version": 1, "tools": [], "resources": [], "resourceTemplates": [], "prompts": [], "completions": []}`, "||||"},
		{"one kind", `{"version": 1, "tools": [{"name": "own", "path": "found.sh"}]}`, "own|found|shape|found|found"},
		{"all kinds", `{"version": 1,
			"tools": [{"name": "b", "path": "found.sh"}, {"name": "a", "path": "tools/sub/x.sh"}],
			"resources": [{"name": "a", "path": "found.md"}, {"name": "b", "uri": "x:1"}, {"name": "c", "uri": "x:2", "path": "gone.txt"}],
			"resourceTemplates": [{"name": "a", "uriTemplate": "y:{z}", "path": "tools/found.sh"}],
			"prompts": [{"name": "a", "path": "found.md"}, {"name": "b", "messages": [{"content": "b"}]}],
			"completions": [{"name": "a", "path": "completions/found.sh"}]}`, "a b|a b c|a shape|a b|a"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			p := opened(t, folderOf(t, everything+"-- server.d/register.json --\n"+c.register), Options{})
			is.Equal(lists(t, p), c.want)
		})
	}
}

func TestARegisteredEntryIsAsGoodAsAFoundOne(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.json --
{"version": 1,
 "tools": [{"name": "t", "path": "found.sh", "arguments": {"properties": {"a": {}}}, "timeoutSecs": 1, "icons": [{"src": "i.svg"}], "title": "T"}],
 "resources": [{"name": "r", "path": "found.md", "title": "R"}],
 "prompts": [{"name": "p", "path": "found.md", "arguments": [{"name": "a", "values": ["x"]}], "role": "assistant"}]}
-- tools/i.svg --
`)
	p := opened(t, root, Options{})
	tool, err := p.Tool(t.Context(), "t")
	is.NoErr(err)
	is.Equal(tool.Path, filepath.Join(root, "tools", "found.sh"))
	is.Equal(string(tool.InputSchema), `{"type":"object","properties":{"a":{}}}`)
	is.True(strings.HasPrefix(string(tool.Icons), `[{"src":"data:image/svg+xml`))
	is.Equal(tool.MetadataFile, filepath.Join(root, "server.d", "register.json"))
	is.True(strings.HasPrefix(string(tool.Metadata), `{"name":"t","path":"found.sh"`)) // its own object only
	r, err := p.ResourceNamed(t.Context(), "r")
	is.NoErr(err)
	is.Equal(r.URI, files.URI(filepath.Join(root, "resources", "found.md")))
	is.Equal(r.MIMEType, "text/markdown")
	prompt, err := p.Prompt(t.Context(), "p")
	is.NoErr(err)
	is.Equal(prompt.Path+" "+prompt.Role, filepath.Join(root, "prompts", "found.md")+" assistant")
	is.Equal(printed(prompt.Completions["a"].Values), "[x]")
	_, err = p.Tool(t.Context(), "found")
	is.True(errors.Is(err, ErrUnknownTool)) // nothing else is served
}

func TestAFaultInARegistrationIsToldByEveryListThatItSpoils(t *testing.T) {
	const at = "registration failed: server.d/register.json"
	all := func(text string) string { return strings.Repeat(text+"|", 4) + text }
	cases := []struct{ name, register, want string }{
		{"no JSON", "{\n\"version\": 1,\n}",
			all(at + `:3: is not valid JSON: invalid character '}' at start of string (expecting '"'); remove the last comma`)},
		{"no object", "[]", all(at + ":1: must be an object; begin with a field, such as description")},
		{"nothing", "", all(at + ":1: is empty; begin with a field, such as description, or remove the file")},
		{"a byte order mark", "\uFEFF{\"version\": 1}", all(at +
			":1: begins with a byte order mark; save it as UTF-8 without one")},
		{"no version", "{}", all(at + `:1: version: is missing; write "version": 1`)},
		{"another version", "{\n\"version\": 2}", all(at + `:2: version: must be 1; write "version": 1`)},
		{"a version in quotes", `{"version": "1"}`, all(at + `:1: version: must be 1; write "version": 1`)},
		{"another key", "{\"version\": 1,\n\"tool\": []}", all(at +
			":2: tool: is not a known field; use version, tools, resources, resourceTemplates, prompts, completions, interceptors or _meta")},
		{"no list", "{\"version\": 1, \"tools\": {}}", all(at + ":1: tools: must be an array, not an object")},
		{"no object in a list", "{\"version\": 1, \"tools\": [\n1]}",
			all(at + ":2: tools.0: must be an object, not a number")},
		{"a key twice", "{\"version\": 1, \"tools\": [],\n\"tools\": []}",
			all(at + ":2: tools: is a duplicate; keep one of the two")},
		{"two faults", "{\"version\": 2, \"tool\": 1}", all(at + `:1: version: must be 1; write "version": 1 (and 1 more)`)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, everything)
			put(t, root, "server.d/register.json", c.register)
			p := opened(t, root, Options{})
			is.Equal(lists(t, p), c.want)
			is.Equal(lists(t, p), c.want) // the same the next time
		})
	}
}

func TestAListWithAnEntryThatCannotBeServedFails(t *testing.T) {
	const good, at = `, {"name": "good", "path": "sub/x.sh"}]}`, "registration failed: server.d/register.json"
	cases := []struct{ name, tools, want string }{
		{"no name", `{"path": "found.sh"}`, at + `:1: tools.0.name: is missing; write "name": "hello"`},
		{"no path", `{"name": "a"}`, at + `:1: tools.0.path: is missing; write "path": "hello/tool.sh"`},
		{"no text", `{"name": "a", "path": 5}`, at + ":1: tools.0.path: must be a string, not a number; write \"5\""},
		{"no file", "{\"name\": \"a\",\n\"path\": \"gone.sh\"}", at +
			":2: tools.0.path: cannot be used: file does not exist; write it relative to tools/ or to the project"},
		{"a folder", `{"name": "a", "path": "sub"}`, at +
			":1: tools.0.path: cannot be used: is not a regular file; write it relative to tools/ or to the project"},
		{"a file outside", `{"name": "a", "path": "/etc/passwd"}`, at +
			":1: tools.0.path: is outside of the project; put the file, or a small script, into the project"},
		{"a name twice", "{\"name\": \"a\", \"path\": \"found.sh\"},\n{\"name\": \"a\", \"path\": \"sub/x.sh\"}", at +
			`:2: tools.1.name: "a" is a duplicate; keep one of the two`},
		{"two faults", `{"name": "a"}, {"name": "b"}`, at +
			`:1: tools.0.path: is missing; write "path": "hello/tool.sh" (and 1 more)`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			p := opened(t, folderOf(t,
				everything+"-- server.d/register.json --\n{\"version\": 1, \"tools\": ["+c.tools+good+"\n"), Options{})
			for range 2 {
				is.Equal(lists(t, p), c.want+"|found|shape|found|found") // where, what and what to do; the other lists work
			}
			_, err := p.Tool(t.Context(), "good")
			is.True(errors.Is(err, ErrRegistration)) // what is served is not known
		})
	}
}

func TestAnEntryOfARegistrationIsServedWithoutItsOddValues(t *testing.T) {
	cases := []struct{ name, tool, want, names string }{
		{"a bad name", `{"name": "a b", "path": "found.sh"}`,
			"tools.0.name: is not a name for a tool; use 1 to 128 of A-Z a-z 0-9 _ . -", "found"},
		{"a number in quotes", `{"name": "a", "path": "found.sh", "timeoutSecs": "1"}`,
			"tools.0.timeoutSecs: should be a number, not a string; write a number, without quotes", "a"},
		{"a bad field", `{"name": "a", "path": "found.sh", "annotations": {"readOnlyHint": 1}}`,
			"tools.0.annotations.readOnlyHint: must be true or false, not a number", "a"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			p := opened(t, folderOf(t, everything+"-- server.d/register.json --\n{\"version\": 1, \"tools\": ["+c.tool+"]}\n"),
				Options{})
			s := snapshot(t, p)
			is.Equal(names(s), c.names)
			is.True(strings.Contains(faults(s), "server.d/register.json:1: "+c.want))
		})
	}
}

func TestFaultsOfOtherKindsOfRegistrations(t *testing.T) {
	cases := []struct{ register, fault string }{
		{`"resources": [{"name": "a"}]`,
			`resources.0.uri: is missing; write "uri": "notes://today", or "path": "today.md" for a file`},
		{`"resources": [{"name": "a", "uri": "x:1"}, {"name": "b", "uri": "x:1"}]`,
			`resources.1.uri: "x:1" is a duplicate; keep one of the two`},
		{`"resources": [{"name": "a", "path": "gone.md"}]`,
			"resources.0.path: cannot be used: file does not exist; write it relative to resources/ or to the project"},
		{`"tools": [{"name": "x", "path": "found.sh"}, {"name": "found", "path": "sub/x.sh"}, {"name": "b"}]`,
			`tools.2.path: is missing; write "path": "hello/tool.sh"`},
		{`"resourceTemplates": [{"name": "a"}]`,
			`resourceTemplates.0.uriTemplate: is missing; write "uriTemplate": "notes://{day}"`},
		{`"prompts": [{"name": "a"}]`, `prompts.0.path: is missing; write "path": "hello.md", or the "messages"`},
		{`"completions": [{"name": "a"}]`, `completions.0.path: is missing; write "path": "completions/city.sh"`},
	}
	for _, c := range cases {
		t.Run(c.register, func(t *testing.T) {
			is := is.New(t)
			p := opened(t, folderOf(t, everything+"-- server.d/register.json --\n{\"version\": 1, "+c.register+"}\n"), Options{})
			is.Equal(strings.Count(lists(t, p), "registration failed: server.d/register.json:1: "+c.fault), 1)
			is.Equal(strings.Count(lists(t, p), "registration failed"), 1) // the other lists are as they were
		})
	}
}

func TestARegistrationThatOthersCanWrite(t *testing.T) {
	if !executableBits {
		t.Skip("Windows files have no mode that lets other users write them")
	}
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.json --\n{\"version\": 1, \"tools\": []}\n")
	p := opened(t, root, Options{})
	is.Equal(says(t, p.Tools), "")
	for _, name := range []string{"server.d/register.json", "server.d", "."} {
		info, err := os.Stat(filepath.Join(root, name))
		is.NoErr(err)
		chmod(t, root, name, 0o777)
		put(t, root, "server.d/register.json.new", "{\"version\": 1, \"tools\": [] }")
		if name != "server.d/register.json" { // it is looked at when it has changed
			is.NoErr(os.Rename(filepath.Join(root, "server.d", "register.json.new"),
				filepath.Join(root, "server.d", "register.json")))
		}
		path := filepath.Join(root, name)
		is.Equal(says(t, p.Tools),
			"registration failed: server.d/register.json: "+path+" can be written by others; run chmod go-w "+path)
		chmod(t, root, name, info.Mode().Perm())
		is.Equal(says(t, p.Tools), "") // mended
	}
}

func TestARegistrationThatIsTooLarge(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.json --\n{\"version\": 1}\n")
	p := opened(t, root, Options{MaxRegistration: 10})
	is.Equal(says(t, p.Tools),
		"registration failed: server.d/register.json: is larger than 10 bytes; raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES")
}

func TestAFileInPlaceOfTheServerFolder(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, everything+"-- server.d --\n"), Options{})
	is.Equal(lists(t, p), "found x|found|shape|found|found") // there is no registration in it
}

func TestARegistrationIsKeptUpWith(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything)
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(says(t, p.Tools), "found x")
	put(t, root, "server.d/register.json", `{"version": 1, "tools": [{"name": "a", "path": "found.sh"}]}`)
	_, err := p.Tool(t.Context(), "found")
	is.True(errors.Is(err, ErrUnknownTool)) // not even by its own files
	is.Equal(says(t, p.Tools), "a")
	_, err = p.Tool(t.Context(), "a")
	is.NoErr(err)
	is.NoErr(os.Remove(filepath.Join(root, "tools", "found.sh")))
	for range 3 {
		is.True(strings.HasPrefix(says(t, p.Tools),
			"registration failed: server.d/register.json:1: tools.0.path: cannot be used"))
	}
	_, err = p.Tool(t.Context(), "a")
	is.True(errors.Is(err, ErrRegistration))
	put(t, root, "tools/found.sh", "")
	is.Equal(says(t, p.Tools), "a") // it is there again
	is.NoErr(os.Remove(filepath.Join(root, "tools", "found.sh")))
	is.NoErr(os.Remove(filepath.Join(root, "server.d", "register.json")))
	is.Equal(says(t, p.Tools), "x") // what is found, as before
}

func TestUnchangedRegistrationsAreNotReadAgain(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.json --\n{\"version\": 1, \"tools\": [{\"name\": \"a\", \"path\": \"found.sh\"}]}\n")
	settle(t, root)
	p := opened(t, root, Options{})
	first := snapshot(t, p)
	is.True(&snapshot(t, p).Items[0] == &first.Items[0]) // the very same list
}

func TestAllFaultsOfARegistrationAreTold(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, `
-- server.d/register.json --
{
  "version": 1,
  "tools": [
    5,
    6
  ]
}
`), Options{})
	_, err := p.Tools(t.Context())
	var failed *RegistrationError
	is.True(errors.As(err, &failed))                // with its faults
	is.True(errors.Is(err, ErrRegistration))        // and what callers ask for
	is.True(len(failed.Faults) > 1)                 // not the first alone
	is.Equal(failed.Faults[0].Line, 4)              // each at its place
	is.True(strings.Contains(err.Error(), "more)")) // the text counts the others
}
