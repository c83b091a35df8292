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
	const negative = "warning tools/a/tool.meta.json a: a negative value of x can be taken for an option"
	for name, c := range map[string]struct{ argv, schema, want string }{
		"a bare word":                   {`["sort", "{x}"]`, `{}`, taken},
		"a list":                        {`["sort", "{x...}"]`, `{"type": "array", "items": {"type": "string"}}`, taken},
		"behind --":                     {`["sort", "--", "{x}"]`, `{}`, ""},
		"before --":                     {`["sort", "{x}", "--", "a"]`, `{}`, taken},
		"in a word with its option":     {`["sort", "--key={x}"]`, `{}`, ""},
		"behind an option":              {`["sort", ["-k", "{x}"]]`, `{}`, ""},
		"a number behind an option":     {`["kill", "-0", "{x}"]`, `{"type": "integer"}`, negative},
		"a number above zero":           {`["kill", "-0", "{x}"]`, `{"type": "integer", "minimum": 0}`, ""},
		"one of a few numbers":          {`["kill", "-0", "{x}"]`, `{"type": "integer", "enum": [1, 2]}`, ""},
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
}

func TestAScriptMayPassItsWordsToAProgramThatTakesThemForOptions(t *testing.T) {
	is := is.New(t)
	r := checked(t, folderOf(t, `-- tools/a/tool.sh --
#!/bin/sh
sort "$1" | head -n "$2"
-- tools/a/tool.meta.json --
{
  "description": "d",
  "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}, "n": {"type": "integer"}}, "required": ["x", "n"]},
  "argv": [
    "{x}",
    "{n}"
  ]
}
`), options())
	var all []Message
	for _, m := range r.Messages {
		if m.Rule == "argument-as-option" {
			all = append(all, m)
		}
	}
	is.Equal(len(all), 1) // a script reads numbers as they are
	is.Equal(all[0].Place(), "tools/a/tool.meta.json:5: ")
	is.True(strings.Contains(all[0].Message, "a value of x that begins with -"))
	is.True(strings.Contains(all[0].Hint, `"pattern": "^([^-]|$)"`))
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

func TestAnArgumentThatReachesNothing(t *testing.T) {
	const lost = "warning tools/a/tool.meta.json a: nothing gets the argument x: argv does not name it"
	for name, c := range map[string]struct{ rest, script, want string }{
		"argv names another":              {`"argv": ["{y}"]`, "#!/bin/sh\necho $1\n", lost},
		"argv names it":                   {`"argv": ["-n", "{x?}", "{y}"]`, "#!/bin/sh\n", ""},
		"stdin names it":                  {`"argv": ["{y}"], "stdin": "{x?}"`, "#!/bin/sh\ncat\n", ""},
		"a flag of it":                    {`"argv": ["{y}", "{x?-x}"]`, "#!/bin/sh\n", ""},
		"a list of it":                    {`"argv": [["-x", "{x...}"], "{y}"]`, "#!/bin/sh\n", ""},
		"the script reads all arguments":  {`"argv": ["{y}"]`, "#!/bin/sh\necho $MCP_TOOL_ARGS_JSON\n", ""},
		"the script asks the SDK":         {`"argv": ["{y}"]`, "#!/bin/sh\nmcp_args_get .x\n", ""},
		"no argv: it reads all arguments": {`"icons": []`, "#!/bin/sh\ncat\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r := checked(t, folderOf(t, "-- tools/a/tool.sh --\n"+c.script+"-- tools/a/tool.meta.json --\n"+
				`{"description": "d", "inputSchema": {"type": "object", "properties": {"x": {"type": "boolean"},`+
				`"y": {"type": "boolean"}}}, `+c.rest+"}\n"), options())
			is.Equal(about(r, "unplaced-argument"), c.want)
		})
	}
}
