package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func printed(v any) string { return fmt.Sprint(v) }

func promptsOf(t testing.TB, archive string) Snapshot[*Prompt] {
	t.Helper()
	return all(t, opened(t, folderOf(t, archive), Options{}).Prompts)
}

func TestWhichFilesArePrompts(t *testing.T) {
	is := is.New(t)
	s := promptsOf(t, `
-- prompts/review.md --
-- prompts/git/commit.txt --
-- prompts/script.sh --
-- prompts/.hidden --
-- prompts/README.md --
-- prompts/git/readme --
-- prompts/lib/common.sh --
-- prompts/lib/described.md --
-- prompts/lib/described.meta.json --
{}
-- prompts/icon.png --
-- prompts/review.md~ --
-- prompts/review.md.completion.sh --
-- prompts/script.completion --
-- prompts/demo.completion.txt --
-- prompts/demo.completion.meta.json --
{"description": "no script that completes"}
`)
	is.Equal(names(s), "commit demo.completion described review script")
	is.Equal(faults(s), "")
	// someone means it
	is.Equal(only(t, promptsOf(t, "-- prompts/README.md --\n-- prompts/README.meta.json --\n{\"title\":\"x\"}\n")).Name,
		"README")
}

func TestMetadataCalledAfterItsKindDescribesTheFileCalledLikeItsFolder(t *testing.T) {
	is := is.New(t)
	s := promptsOf(t, `
-- prompts/review/prompt.meta.json --
{"name": "code-review"}
-- prompts/review/review.txt --
-- prompts/review/other.txt --
-- prompts/own/prompt.meta.json --
{"messages": [{"role": "user", "content": "hello"}]}
-- prompts/own/own.txt --
-- prompts/own/own.meta.json --
{"name": "mine"}
`)
	is.Equal(names(s), "code-review mine other prompt")
	is.Equal(faults(s), "")
}

func TestAPromptSaysAllThatItsMetadataSays(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- prompts/review.md --
Review {{code}}.
-- prompts/review.meta.json --
{
  "name": "code review", "title": "Review", "description": "Reviews code.", "role": "assistant",
  "arguments": [
    {"name": "code", "title": "Code", "description": "What to review.", "required": true},
    {"name": "lang", "values": ["go", "bash"], "default": "go"},
    {"name": "style", "completion": "styles.sh"}
  ],
  "icons": [{"src": "https://x/a.png"}], "_meta": {"a": 1}, "metadata": {"own": true}
}
-- prompts/styles.sh --
#!/bin/sh
-- prompts/review.completion.sh --
#!/bin/sh
`)
	s := all(t, opened(t, root, Options{}).Prompts)
	is.Equal(names(s), "code review styles")
	p := s.Items[0]
	dir := filepath.Join(root, "prompts")
	usual := "go"
	want := &Prompt{
		Described: Described{Name: "code review", Title: "Review", Description: "Reviews code.",
			Icons: []byte(`[{"src":"https://x/a.png"}]`), Meta: []byte(`{"a":1}`),
			MetadataFile: filepath.Join(dir, "review.meta.json"), Metadata: p.Metadata}, Role: "assistant",
		Arguments: []Argument{{Name: "code", Title: "Code", Description: "What to review.", Required: true},
			{Name: "lang", Default: &usual}, {Name: "style"}},
		Path: filepath.Join(dir, "review.md"), Dir: dir,
		Completions: map[string]Completion{
			"":      {Path: filepath.Join(dir, "review.completion.sh")},
			"lang":  {Values: []string{"go", "bash"}},
			"style": {Path: filepath.Join(dir, "styles.sh")},
		},
	}
	is.Equal(cmp.Diff(want, p), "") // every field
}

func TestAPromptWithoutMetadataHasDefaults(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- prompts/hello.md --\nHello\n")
	dir := filepath.Join(root, "prompts")
	want := &Prompt{Described: Described{Name: "hello"}, Role: "user", Path: filepath.Join(dir, "hello.md"), Dir: dir}
	is.Equal(cmp.Diff(want, only(t, all(t, opened(t, root, Options{}).Prompts))), "") // nothing else is set
}

func TestADefaultIsWhatASchemaSays(t *testing.T) {
	is := is.New(t)
	s := promptsOf(t, `-- prompts/p.md --
-- prompts/p.meta.json --
{"arguments": {"properties": {"a": {"default": ""}, "b": {"type": "integer", "default": 7}, "c": {"default": null}, "d": {}}}}
`)
	a := only(t, s).Arguments
	is.Equal(*a[0].Default, "")
	is.Equal(*a[1].Default, "7") // values are strings
	is.True(a[2].Default == nil) // as if absent
	is.True(a[3].Default == nil)
	is.Equal(faults(s), "")
}

func TestArgumentsAreASchemaOrAList(t *testing.T) {
	cases := []struct{ name, arguments, want, completions, faults string }{
		{"a list", `[{"name":"a","required":true},{"name":"b","title":"B","description":"b"}]`,
			"[{a   true <nil>} {b B b false <nil>}]", "map[]", ""},
		{"a schema", `{"type":"object","properties":{"b":{"title":"B","description":"b"},"a":{"type":"string","enum":["x",1,true,null]}},"required":["a"]}`,
			"[{b B b false <nil>} {a   true <nil>}]", "map[a:{[x 1 true]  <nil>}]", ""},
		{"a schema with a wide property", `{"properties":{"a":true}}`, "[{a   false <nil>}]", "map[]", ""},
		{"an empty schema", `{}`, "[]", "map[]", ""},
		{"an object property", `{"properties":{"a":{"required":["b"]}}}`, "[{a   false <nil>}]", "map[]", ""},
		{"no schema", `{"a":{"type":"string"}}`, "[]", "map[]",
			`arguments: looks like a list of arguments, not like a schema, so it checks nothing; write {"type":"object","properties":{…}} around it`},
		{"values that are a list", `[{"name":"a","completion":["x"]}]`, "[{a   false <nil>}]", "map[a:{[x]  <nil>}]", ""},
		{"no values", `[{"name":"a","values":[]}]`, "[{a   false <nil>}]", "map[a:{[]  <nil>}]", ""},
		{"a word", `"a"`, "[]", "map[]", "arguments: must be an array, not a string"},
		{"a list of words", `["a", {"name":"b"}]`, "[{b   false <nil>}]", "map[]",
			"arguments.0: must be an object, not a string"},
		{"no name", `[{"required":true}]`, "[]", "map[]", `arguments.0: has no name; write "name": "city"`},
		{"a name twice", `[{"name":"a"},{"name":"a"}]`, "[{a   false <nil>}]", "map[]",
			`arguments.1: "a" is a duplicate; keep one of the two`},
		{"required by a word", `[{"name":"a","required":"yes"}]`, "[{a   false <nil>}]", "map[]",
			"arguments.0.required: must be true or false, not a string; write true or false, without quotes"},
		{"a misspelt field", `[{"name":"a","desciption":"x"}]`, "[{a   false <nil>}]", "map[]",
			"arguments.0.desciption: is not a known field, so it has no effect; did you mean description?"},
		{"an odd default", `[{"name":"a","default":[]}]`, "[{a   false <nil>}]", "map[]",
			"arguments.0.default: must be a string, not an array"},
		{"a property that is none", `{"properties":{"a":"string","b":{}}}`, "[{a   false <nil>} {b   false <nil>}]", "map[]",
			"arguments.properties.a: must be an object, not a string"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			s := promptsOf(t, "-- prompts/p.md --\n-- prompts/p.meta.json --\n{\"arguments\": "+c.arguments+"}\n")
			is.Equal(strings.TrimPrefix(faults(s), "prompts/p.meta.json:1: "), c.faults)
			is.Equal(printed(s.Items[0].Arguments), c.want)
			is.Equal(printed(s.Items[0].Completions), c.completions)
		})
	}
}

func TestAPromptThatIsAScript(t *testing.T) {
	cases := []struct {
		name, text string
		executable bool
		want       bool
	}{
		{"a.sh", "echo hi", true, true},
		{"a", "#!/usr/bin/env python3\n", true, true},
		{"a.sh", "echo hi", false, true},
		{"a", "#!/usr/bin/env python3\n", false, true}, // it lost its mode in an archive
		{"a", "Hello", true, false},                    // a disk where everything may be started
		{"a.md", "#!/bin/sh\n", true, false},           // a text about scripts
	}
	for _, c := range cases {
		t.Run(printed(c), func(t *testing.T) {
			if !executableBits {
				t.Skip("Windows files have no mode that allows starting them")
			}
			is := is.New(t)
			root := t.TempDir()
			put(t, root, "prompts/"+c.name, c.text)
			chmod(t, root, "prompts/"+c.name, 0o644)
			if c.executable {
				chmod(t, root, "prompts/"+c.name, 0o755)
			}
			is.Equal(only(t, all(t, opened(t, root, Options{}).Prompts)).Executable, c.want)
		})
	}
}

func TestAPromptOfMessages(t *testing.T) {
	is := is.New(t)
	p := only(t, promptsOf(t, `
-- prompts/chat.meta.yaml --
messages:
  - {role: user, content: Hello}
  - role: assistant
    content: {type: text, text: "Hi {{name}}"}
`))
	is.Equal(string(p.Messages),
		`[{"role":"user","content":"Hello"},{"role":"assistant","content":{"type":"text","text":"Hi {{name}}"}}]`)
	is.Equal(p.Name+p.Path, "chat") // it needs no file
	const missing = "messages: is missing; write them, or give the metadata the name of its prompt: hello.meta.json for hello.md"
	const none = `messages: has no message, so this entry is left out; write [{"role": "user", "content": "the text"}]`
	const types = `write "type": "text", or image, audio, resource or resource_link`
	cases := []struct{ metadata, messages, faults string }{
		{`{}`, "", missing},
		{`{"messages": {}}`, "", "messages: must be an array, not an object"},
		{`{"messages": ["a"]}`, "", "messages.0: must be an object, not a string|" + none},
		{`{"messages": ["a", {"role": "user", "content": "b"}]}`, `[{"role":"user","content":"b"}]`,
			"messages.0: must be an object, not a string"},
		{`{"messages": [{"role": "user"}]}`, "", `messages.0: has no content; write "content": "the text"|` + none},
		{`{"messages": [{"content": "a"}]}`, `[{"content":"a"}]`, ""},
		{`{"messages": [{"role": "system", "content": "a"}]}`, `[{"content":"a"}]`,
			`messages.0.role: must be one of user, assistant, not "system"`},
		{`{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}`, "",
			`messages.0.content: must be a string or a content block, not an array, so this message is left out; write "content": "the text"|` + none},
		{`{"messages": [{"role": "user", "content": {"text": "a"}}]}`, "",
			"messages.0.content: has no type, so this message is left out; " + types + "|" + none},
		{`{"messages": [{"content": {"type": "bogus"}}, {"content": "b"}]}`, `[{"content":"b"}]`,
			`messages.0.content: has the unknown type "bogus", so this message is left out; ` + types},
		{`{"messages": [{"content": 5}, {"content": "b"}]}`, `[{"content":"b"}]`,
			"messages.0.content: must be a string or a content block, not a number"},
		{`{"messages": []}`, "", none},
		{`{"messages": [{"content": "a"}], "role": "robot"}`, `[{"content":"a"}]`,
			`role: must be one of user, assistant, not "robot"`},
	}
	for _, c := range cases {
		s := promptsOf(t, "-- prompts/a.meta.json --\n"+c.metadata+"\n")
		for fault := range strings.SplitSeq(c.faults, "|") {
			is.True(strings.Contains(faults(s), fault)) // of c.metadata
		}
		if c.faults != "" {
			is.Equal(len(s.Faults), strings.Count(c.faults, "|")+1) // each is reported once
		}
		messages := ""
		for _, p := range s.Items {
			messages = string(p.Messages)
			is.Equal(p.Role, "user")
		}
		is.Equal(messages, c.messages) // nothing where the prompt is left out
	}
}

func TestTheTextOfAPrompt(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"as it is", "Hello {{name}}\r\n\n  x \n\n", "Hello {{name}}\r\n\n  x \n\n"},
		{"without its metadata", "\n<!-- mcp: {\"title\":\"x\"} -->\nHello\n", "\nHello\n"},
		{"without a byte order mark", "\uFEFFHello", "Hello"},
		{"with a heading about mcp", "# mcp: how to\nHello\n", "# mcp: how to\nHello\n"},
		{"metadata alone", "# mcp: {\"title\":\"x\"}", ""},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			put(t, root, "prompts/a.md", c.text)
			text, err := only(t, all(t, opened(t, root, Options{}).Prompts)).Text()
			is.NoErr(err)
			is.Equal(text, c.want)
		})
	}
}

func TestATextThatIsNone(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- prompts/a.md --\n\xff\n-- prompts/b.md --\n")
	put(t, root, "prompts/b.md", strings.Repeat("x", promptBytes+1))
	s := all(t, opened(t, root, Options{}).Prompts)
	_, err := s.Items[0].Text()
	is.True(strings.HasSuffix(err.Error(), "a.md is not valid UTF-8; save it as UTF-8"))
	_, err = s.Items[1].Text()
	is.True(errors.Is(err, files.ErrTooLarge))
}

func TestPromptsAreFoundByName(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, "-- prompts/a.md --\n"), Options{})
	found, err := p.Prompt(t.Context(), "a")
	is.NoErr(err)
	is.Equal(found.Name, "a")
	_, err = p.Prompt(t.Context(), "b")
	is.True(errors.Is(err, ErrUnknownPrompt))
}

func TestTheFirstOfTwoPromptsWithOneNameStays(t *testing.T) {
	is := is.New(t)
	s := promptsOf(t, "-- prompts/b/x.md --\n-- prompts/a/x.txt --\n")
	is.Equal(filepath.Base(s.Items[0].Path), "x.txt")
	is.Equal(faults(s), `prompts/b/x.md: name: "x" is the name of prompts/a/x.txt already, so this prompt is left out; give one of the two another name`)
}

func TestTheHashOfPromptsIsOfWhatClientsSee(t *testing.T) {
	is := is.New(t)
	hash := func(metadata string) string {
		return promptsOf(t, "-- prompts/a.md --\n-- prompts/a.meta.json --\n"+metadata).Hash
	}
	plain := hash(`{}`)
	is.Equal(plain, hash(`{"role":"assistant","own":1}`)) // these they do not see
	for _, other := range []string{
		`{"title":"x"}`, `{"description":"x"}`, `{"arguments":[{"name":"x"}]}`,
		`{"arguments":[{"name":"x","required":true}]}`,
		`{"arguments":[{"name":"x","description":"y"}]}`, `{"icons":[]}`, `{"_meta":{}}`, `{"name":"b"}`,
	} {
		is.True(hash(other) != plain) // these they do
	}
}
