package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	exact "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// aboutCommandLine reports a missing program, and arguments that the program may treat as
// options.
func (c *contents) aboutCommandLine(t *catalog.Tool) {
	report := func(level Level, rule string, line int, message, hint string) {
		c.report(Message{Level: level, Rule: rule, Section: "tools", File: c.project.Rel(t.MetadataFile), Line: line,
			Message: t.Name + ": " + message, Hint: hint})
	}
	if t.Program != "" && process.LookPath(t.Program, c.options.Env) == "" && t.Env["PATH"] == "" {
		report(Warning, "no-program", 0, t.Program+" is not on the PATH that tools get here",
			"install it, or write its path as the first word of argv")
	}
	if t.Alone && t.Path != "" {
		if info, err := os.Stat(t.Path); err != nil || info.IsDir() {
			report(Error, "no-program", 0, "argv names "+c.project.Rel(t.Path)+", which does not exist",
				"write the path from the project's folder")
		}
	}
	for _, name := range c.unplaced(t) {
		pointer := string(exact.Pointer("/inputSchema/properties").AppendToken(name))
		report(Warning, "unplaced-argument", c.line("tools", t.MetadataFile, t.Metadata, pointer),
			"nothing gets the argument "+name+": argv does not name it",
			`write "{`+name+`?}" where it belongs in argv, or remove it from inputSchema`)
	}
	for _, d := range dashed(t) {
		value, guard := fmt.Sprintf("a value of %s that begins with -", d.name), `"pattern": "^([^-]|$)"`
		if d.number {
			value, guard = "a negative value of "+d.name, `"minimum": 0`
		}
		report(Warning, "argument-as-option", c.line("tools", t.MetadataFile, t.Metadata, fmt.Sprintf("/argv/%d", d.item)),
			value+" can be taken for an option",
			fmt.Sprintf(
				`write "--" before it in argv, if the program knows that, or "--%s={%[1]s}"; or give it %s in inputSchema`,
				d.name, guard))
	}
}

// unplaced returns the arguments of a tool with argv that reach nothing: neither argv nor stdin names them, and what is
// run does not read the variables that have all arguments.
func (c *contents) unplaced(t *catalog.Tool) []string {
	if members(t.Metadata)["argv"] == nil {
		return nil
	}
	all := members([]byte(members(t.InputSchema)["properties"]))
	for _, item := range t.Argv {
		for _, word := range item.Words {
			for _, p := range word.Places() {
				delete(all, p.Name)
			}
		}
	}
	if t.Stdin != nil {
		for _, p := range t.Stdin.Places() {
			delete(all, p.Name)
		}
	}
	if len(all) > 0 && t.Path != "" {
		text, err := files.Read(t.Path, maxScript)
		if err != nil || bytes.Contains(text, []byte("MCP_")) || bytes.Contains(text, []byte("mcp_")) {
			return nil
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// A dash is an argument whose value may begin with one.
type dash struct {
	name   string
	number bool // that may be negative
	item   int  // where it is in argv
}

// dashed returns the arguments that a program gets as words of their own, so that their value may look
// like an option. Numbers count where options are known to be taken: scripts read numbers as they are.
func dashed(t *catalog.Tool) (all []dash) {
	var schemas map[string]json.RawMessage
	_ = json.Unmarshal(members(t.InputSchema)["properties"], &schemas) // was parsed before
	options := t.Alone
	for i, item := range t.Argv {
		if t.Alone {
			i++ // after the program
		}
		before := "" // the previous word, which may be an option that takes this word as its value
		for _, word := range item.Words {
			text, literal := word.Literal()
			places := word.Places()
			switch {
			case literal && text == "--":
				return all
			case strings.HasPrefix(word.Start(), "-"), len(places) > 0 && places[0].Kind == argv.Flag:
				options = true
			case !literal && word.Start() == "" && !strings.HasPrefix(before, "-"):
				name := places[0].Name
				may, number := mayBeDashed(schemas[name])
				known := slices.ContainsFunc(all, func(d dash) bool { return d.name == name })
				if may && (options || !number) && !known {
					all = append(all, dash{name, number, i})
				}
			}
			before = text
		}
	}
	return all
}

// mayBeDashed reports whether a schema allows a value that begins with a dash, and whether that is a
// negative number.
func mayBeDashed(text json.RawMessage) (may, number bool) {
	var s struct {
		Type             any
		Enum             []any
		Pattern          string
		Items            json.RawMessage
		Minimum          *float64
		ExclusiveMinimum *float64
	}
	if json.Unmarshal(text, &s) != nil {
		return true, false
	}
	switch {
	case s.Type == "array" && s.Items != nil:
		return mayBeDashed(s.Items)
	case s.Type == "boolean", s.Type == "object":
		return false, false
	case s.Type == "integer", s.Type == "number":
		from := cmp.Or(s.Minimum, s.ExclusiveMinimum)
		negative := func(n any) bool { f, ok := n.(float64); return ok && f < 0 }
		return (from == nil || *from < 0) && (s.Enum == nil || slices.ContainsFunc(s.Enum, negative)), true
	case s.Enum != nil:
		return slices.ContainsFunc(s.Enum,
			func(value any) bool { text, ok := value.(string); return ok && strings.HasPrefix(text, "-") }), false
	case s.Pattern != "":
		pattern, err := regexp.Compile(s.Pattern)
		return err != nil || pattern.MatchString("-x") || pattern.MatchString("--x"), false
	}
	return true, false
}
