package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// counts matches what values are called that are most often numbers, as in -n NUM. But -n NUM may take 10K, too.
var counts = lazyregexp.New(`(?i)^(?:n|num|nr|number|count|sec|secs|seconds|minutes|hours|days|lines|limit|` +
	`max|min|port|width|height|depth|level|retries|timeout|size)$`)

// askNames asks what the arguments are that only have a number: their names, types, and whether they are
// required; and whether the values of options are numbers that are called so.
func (a *adoption) askNames(out *console.Console, r *adopt.Reading) {
	for i := range r.Options {
		o := &r.Options[i]
		name := strings.TrimLeft(o.Long, "-")
		if !o.Takes || o.Type != "" || o.Enum != nil || !counts.Get().MatchString(cmp.Or(o.Variable, name)) {
			continue
		}
		text, _ := a.ask(out, "what is the value of %s %s? string, integer or number [string]: ", cmp.Or(o.Long, o.Short),
			strings.ToUpper(cmp.Or(o.Variable, name)))
		if text == "integer" || text == "number" {
			o.Type = text
		}
	}
	for i := range r.Positions {
		p := &r.Positions[i]
		if !strings.HasPrefix(p.From, "$") || p.Name != fmt.Sprintf("arg%d", i+1) {
			continue
		}
		text, _ := a.ask(out, "what is %s in line %d? a name, or also type and need, as in count integer optional [%s]: ",
			p.From, p.Line, p.Name)
		for _, word := range strings.Fields(text) {
			switch word {
			case "string", "integer", "number", "boolean":
				p.Type = word
			case "required", "optional":
				p.Required = word == "required"
			default:
				p.Name = cmp.Or(adopt.ArgumentName(word), p.Name)
			}
		}
	}
}

// askDescription asks what a script does that does not say so.
func (a *adoption) askDescription(out *console.Console, r *adopt.Reading, usual string) {
	if r.Description == "" {
		r.Description, _ = a.ask(out, "\nwhat does it do, and when is it of use? (one sentence for models) [%s]: ", usual)
	}
}

// asksToTry returns the arguments to call the new tool with; none if it is not to be called.
func (a *adoption) asksToTry(out *console.Console, example string) json.RawMessage {
	for a.try == "" {
		text, _ := a.ask(out, "\ntry it? its arguments, such as %s (Enter: not now): ", example)
		if text == "" {
			return nil
		}
		given, err := a.given(text)
		if err == nil {
			return given
		}
		out.Hint("%v", err)
	}
	return a.arguments
}

// given returns arguments that are written as a JSON object, or as key=value with blanks between.
func (a *adoption) given(text string) (json.RawMessage, error) {
	if strings.HasPrefix(text, "{") {
		return readArguments(text, a.in)
	}
	arguments, err := ask.ParseArguments(strings.Fields(text), nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(arguments)
}

// trial shows the command line of a call of the tool, and calls it.
func (a *adoption) trial(out *console.Console, root, tool string, arguments json.RawMessage) error {
	t, err := a.tool(root, tool)
	if err != nil {
		return err
	}
	values, err := argv.ReadArguments(arguments, t.Defaults)
	if err == nil {
		var words []string
		if words, err = t.Argv.Fill(values); err == nil { // the call itself reports what is wrong
			line := console.Quote(cmp.Or(t.Program, t.Path))
			for _, word := range words {
				line += " " + console.Quote(word)
			}
			out.Text("\n$ " + line)
		}
	}
	c := &clientCommand{program: a.program}
	c.root = root
	return c.ask(func(ctx context.Context) error {
		failed, err := c.Call(ctx, tool, arguments, nil, 0)
		if failed {
			a.exit(1)
		}
		return err
	})
}

// agrees asks a question to which most say yes.
func (a *adoption) agrees(out *console.Console, question string, args ...any) bool {
	text, ok := a.ask(out, question, args...)
	return ok && !strings.HasPrefix(strings.ToLower(text), "n")
}

// ask asks the user at the terminal; ok is false if no questions are asked, or at the end of input.
func (a *adoption) ask(out *console.Console, format string, args ...any) (text string, ok bool) {
	if a.answers == nil {
		return "", false
	}
	return out.Ask(a.answers, format, args...)
}
