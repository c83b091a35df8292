package catalog

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestWhereTheValuesOfAnArgumentComeFrom(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- prompts/a.md --
-- prompts/a.meta.json --
{"arguments": [{"name": "values", "values": ["x"]}, {"name": "script", "completion": "s/c.sh"}, {"name": "none", "completion": []}, {"name": "plain"}]}
-- prompts/s/c.sh --
-- prompts/a.md.completion.sh --
-- prompts/b.md --
<!-- mcp: {"arguments": [{"name": "x"}]} -->
-- prompts/c.md --
-- prompts/d.md --
-- resources/t.meta.json --
{"name": "t", "uriTemplate": "x:{a}/{b}", "completion": {"a": ["1"]}}
-- resources/t.completion.sh --
-- resources/u.meta.json --
{"name": "u", "uriTemplate": "u:{a}"}
-- resources/plain.txt --
<!-- mcp: {"uri": "x:plain"} -->
-- completions/b.sh --
-- completions/b.meta.json --
{"timeoutSecs": 2.5}
-- completions/u --
#!/usr/bin/env python3
-- completions/notes.md --
-- completions/forNone.sh --
-- server.d/register.json --
{"version": 1}
`)
	p := opened(t, root, Options{})
	is.Equal(names(all(t, p.Completers)), "b forNone u")
	prompt := func(name, argument string) string {
		c, err := p.PromptCompletion(t.Context(), name, argument)
		return shown(root, c, err)
	}
	is.Equal(prompt("a", "values"), "[x]")
	is.Equal(prompt("a", "script"), "prompts/s/c.sh")
	is.Equal(prompt("a", "none"), "[]")                          // nothing, by wish of its author
	is.Equal(prompt("a", "plain"), "prompts/a.md.completion.sh") // the one beside it
	is.Equal(prompt("a", "zzz"), "")                             // it has no such argument
	is.Equal(prompt("b", "x"), "completions/b.sh 2.5s")          // by name
	is.Equal(prompt("b", "zzz"), "")
	is.Equal(prompt("c", "x"), "") // nobody knows
	is.Equal(prompt("zzz", "x"), "unknown prompt: zzz")
	is.Equal(prompt("forNone", "x"), "unknown prompt: forNone") // a script makes no prompt
	template := func(uri, variable string) string {
		c, err := p.TemplateCompletion(t.Context(), uri, variable)
		return shown(root, c, err)
	}
	is.Equal(template("x:{a}/{b}", "a"), "[1]")
	is.Equal(template("x:{a}/{b}", "b"), "resources/t.completion.sh")
	is.Equal(template("x:{a}/{b}", "c"), "")
	is.Equal(template("u:{a}", "a"), "completions/u")
	is.Equal(template("x:plain", "a"), "") // a resource has no variables
	is.Equal(template("x:zzz", "a"), "unknown resource template: x:zzz")

	put(t, root, "server.d/register.json", `{"version": 1, "completions": [
		{"name": "a", "path": "prompts/s/c.sh", "timeoutSecs": 1}, {"name": "own", "path": "completions/b.sh"}]}`)
	is.Equal(prompt("a", "values"), "prompts/s/c.sh 1s") // a registered script comes first
	is.Equal(prompt("a", "zzz"), "")                     // but not for what is none
	is.Equal(prompt("b", "x"), "")                       // and completions/ is not looked at any more
	is.Equal(prompt("own", "x"), "completions/b.sh")     // a client may ask for it by its own name
	put(t, root, "server.d/register.json", `{"version": 1, "completions": []}`)
	is.Equal(prompt("a", "values"), "[x]") // what a prompt says of itself holds all the same
	put(t, root, "server.d/register.json", `{"version": 1, "completions": 1}`)
	_, err := p.PromptCompletion(t.Context(), "c", "x")
	is.True(errors.Is(err, ErrRegistration))
}

// shown is a completion as a test reads it.
func shown(root string, c Completion, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case c.Values != nil:
		return printed(c.Values)
	case c.Path == "":
		return ""
	}
	text, _ := filepath.Rel(root, c.Path)
	if text = filepath.ToSlash(text); c.Timeout != nil {
		text += " " + time.Duration(*c.Timeout).String()
	}
	return text
}

func TestACompletionScriptIsKeptUpWith(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- prompts/a.md --\n")
	settle(t, root)
	p := opened(t, root, Options{})
	completion := func() string {
		c, err := p.PromptCompletion(t.Context(), "a", "x")
		return shown(root, c, err)
	}
	is.Equal(completion(), "")
	put(t, root, "completions/a.sh", "")
	is.Equal(completion(), "completions/a.sh")
	put(t, root, "prompts/a.completion.sh", "")
	is.Equal(completion(), "prompts/a.completion.sh") // a new one
	put(t, root, "prompts/a.md.completion", "#!/bin/sh")
	is.Equal(completion(), "prompts/a.md.completion") // a better one
}
