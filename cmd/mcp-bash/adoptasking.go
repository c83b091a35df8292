package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// askNames asks what the arguments are that only have a number: their names, types, and whether they are
// required.
func (a *adoption) askNames(out *console.Console, r *adopt.Reading) {
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
