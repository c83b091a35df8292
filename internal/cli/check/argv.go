package check

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// aboutCommandLine reports a missing program, and arguments that the program may treat as
// options.
func (c *contents) aboutCommandLine(t *project.Tool, o Options) []Message {
	var all []Message
	report := func(level Level, rule, message, hint string) {
		all = append(all, Message{Level: level, Rule: rule, Section: "tools", File: c.project.Rel(t.MetadataFile), Message: t.Name + ": " + message, Hint: hint})
	}
	if t.Program != "" && script.LookPath(t.Program, o.Env) == "" && t.Env["PATH"] == "" {
		report(Warning, "no-program", fmt.Sprintf("%s is not on the PATH that tools get here", t.Program), "install it, or write its path as the first word of argv")
	}
	if t.Alone && t.Path != "" {
		if info, err := os.Stat(t.Path); err != nil || info.IsDir() {
			report(Error, "no-program", fmt.Sprintf("argv names %s, which does not exist", c.project.Rel(t.Path)), "write the path from the project's folder")
		}
	}
	if names := dashed(t); len(names) > 0 {
		name := names[0]
		report(Warning, "argument-as-option", fmt.Sprintf("a value of %s that begins with - can be taken for an option", strings.Join(names, ", ")),
			fmt.Sprintf(`write "--" before it in argv, if the program knows that, or "--%s={%s}"; or give it "pattern": "^([^-]|$)" in inputSchema`, name, name))
	}
	return all
}

// dashed returns the arguments that a program with options gets as separate words, so that their
// text may look like an option.
func dashed(t *project.Tool) (names []string) {
	properties := members(t.InputSchema)["properties"]
	var schemas map[string]json.RawMessage
	_ = json.Unmarshal(properties, &schemas) // was parsed before
	options := t.Alone
	var bare []string
	for _, item := range t.Argv {
		before := "" // the previous word, which may be an option that takes this word as its value
		for _, word := range item.Words {
			text, literal := word.Literal()
			places := word.Places()
			switch {
			case literal && text == "--":
				if options {
					return bare
				}
				return nil
			case strings.HasPrefix(word.Start(), "-"), len(places) > 0 && places[0].Kind == argv.Flag:
				options = true
			case !literal && word.Start() == "" && !strings.HasPrefix(before, "-"):
				if name := places[0].Name; mayBeDashed(schemas[name]) && !slices.Contains(bare, name) {
					bare = append(bare, name)
				}
			}
			before = text
		}
	}
	if !options {
		return nil
	}
	return bare
}

// mayBeDashed reports whether a schema allows a text that begins with a dash.
func mayBeDashed(text json.RawMessage) bool {
	var s struct {
		Type    any
		Enum    []any
		Pattern string
		Items   json.RawMessage
	}
	if json.Unmarshal(text, &s) != nil {
		return true
	}
	switch {
	case s.Type == "array" && s.Items != nil:
		return mayBeDashed(s.Items)
	case s.Type == "integer", s.Type == "number", s.Type == "boolean", s.Type == "object":
		return false
	case s.Enum != nil:
		return slices.ContainsFunc(s.Enum, func(value any) bool { text, ok := value.(string); return ok && strings.HasPrefix(text, "-") })
	case s.Pattern != "":
		pattern, err := regexp.Compile(s.Pattern)
		return err != nil || pattern.MatchString("-x") || pattern.MatchString("--x")
	}
	return true
}
