package check

import (
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// about are the findings of a rule.
func about(r Report, rule string) string {
	var all []string
	for _, m := range r.Messages {
		if m.Rule == rule {
			all = append(all, string(m.Level)+" "+m.File+" "+m.Message)
		}
	}
	return strings.Join(all, "\n")
}

func TestAnArgumentThatCanBeTakenForAnOption(t *testing.T) {
	const taken = "warning tools/a/tool.meta.json a: a value of x that begins with - can be taken for an option"
	for name, c := range map[string]struct{ argv, schema, want string }{
		"a bare word":                   {`["sort", "{x}"]`, `{}`, taken},
		"a list":                        {`["sort", "{x...}"]`, `{"type": "array", "items": {"type": "string"}}`, taken},
		"behind --":                     {`["sort", "--", "{x}"]`, `{}`, ""},
		"before --":                     {`["sort", "{x}", "--", "a"]`, `{}`, taken},
		"in a word with its option":     {`["sort", "--key={x}"]`, `{}`, ""},
		"behind an option":              {`["sort", ["-k", "{x}"]]`, `{}`, ""},
		"a number":                      {`["sort", "{x}"]`, `{"type": "integer"}`, ""},
		"one of a few":                  {`["sort", "{x}"]`, `{"enum": ["a", "b"]}`, ""},
		"a pattern that refuses it":     {`["sort", "{x}"]`, `{"type": "string", "pattern": "^([^-]|$)"}`, ""},
		"a pattern that lets it in":     {`["sort", "{x}"]`, `{"type": "string", "pattern": "x"}`, taken},
		"a folder before it":            {`["sort", "./{x}"]`, `{}`, ""},
		"an option that is not bare":    {`["sort", "{v?-v}", "a{x}"]`, `{}`, ""},
		"no places, so nothing to tell": {`["sort", "-n"]`, `{}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r := checked(t, folderOf(t, "-- tools/a/tool.meta.json --\n{\"description\": \"d\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\"v\": {\"type\": \"boolean\"}, \"x\": "+c.schema+"}, \"required\": [\"x\"]}, \"argv\": "+c.argv+"}\n"), options())
			is.Equal(about(r, "argument-as-option"), c.want)
		})
	}
	is := is.New(t)
	r := checked(t, folderOf(t, "-- tools/a/tool.sh --\n#!/bin/sh\necho \"$1\"\n-- tools/a/tool.meta.json --\n{\"description\": \"d\", \"inputSchema\": {\"properties\": {\"x\": {}}, \"required\": [\"x\"]}, \"argv\": [\"{x}\"]}\n"), options())
	is.Equal(about(r, "argument-as-option"), "") // a script without options
}

func TestAProgramThatIsNotThere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sort and /bin/sh, which it takes for granted, are programs of Unix")
	}
	is := is.New(t)
	r := checked(t, folderOf(t, "-- tools/a.meta.json --\n{\"argv\": [\"no-such-program\"]}\n-- tools/b.meta.json --\n{\"argv\": [\"scripts/b.sh\"]}\n-- tools/c.meta.json --\n{\"argv\": [\"sort\"]}\n-- tools/d.meta.json --\n{\"argv\": [\"/bin/sh\"]}\n"), options())
	is.Equal(about(r, "no-program"), "warning tools/a.meta.json a: no-such-program is not on the PATH that tools get here\nerror tools/b.meta.json b: argv names scripts/b.sh, which does not exist")
	is.Equal(r.Tools, 4)
	programs := checked(t, folderOf(t, "-- tools/a.meta.json --\n{\"argv\": [\"no-such-program\"]}\n"), options()).Programs()
	is.Equal(len(programs), 1)
	is.Equal(programs[0].Name, "no-such-program") // doctor looks for it
}
