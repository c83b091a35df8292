// Package interview puts the questions of tools to a person at a terminal, as
// clients with windows do.
package interview

import (
	"bufio"
	"encoding/json"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// An Answer is the result of elicitation/create. Content is nil but for an
// accepted form.
type Answer struct {
	Action  string         `json:"action"` // accept, decline or cancel
	Content map[string]any `json:"content,omitempty"`
}

// Ask asks the question of an elicitation/create, field by field in the order of
// its schema, and asks a field again until its answer fits. The end of the input
// cancels the question. The error is that the question cannot be read.
func Ask(in *bufio.Reader, out *console.Console, params json.RawMessage) (Answer, error) {
	var q struct {
		Message string         `json:"message"`
		URL     string         `json:"url"`
		Form    jsontext.Value `json:"requestedSchema"`
	}
	if err := jsonv2.Unmarshal(params, &q); err != nil {
		return Answer{}, err
	}
	out.Say("%s", q.Message)
	if q.URL != "" {
		return consent(in, out, q.URL), nil
	}
	fields, err := fieldsOf(q.Form)
	if err != nil {
		return Answer{}, err
	}
	out.Hint("press Enter for the default in brackets; ctrl-d cancels")
	answer := Answer{Action: "accept", Content: map[string]any{}}
	for _, f := range fields {
		value, given, ended := f.ask(in, out)
		if ended {
			return Answer{Action: "cancel"}, nil
		}
		if given {
			answer.Content[f.name] = value
		}
	}
	return answer, nil
}

// consent asks whether the person opens a page.
func consent(in *bufio.Reader, out *console.Console, url string) Answer {
	out.Say("  %s", url)
	f := field{name: "open this page?", kind: "boolean", fallback: jsontext.Value("true")}
	value, _, ended := f.ask(in, out)
	switch {
	case ended:
		return Answer{Action: "cancel"}
	case value == true:
		return Answer{Action: "accept"}
	}
	return Answer{Action: "decline"}
}

// ask asks for one field. Given is false where it was left out, ended at the end
// of the input.
func (f field) ask(in *bufio.Reader, out *console.Console) (value any, given, ended bool) {
	for i, c := range f.choices {
		out.Say("  %d  %s", i+1, c.title)
	}
	for {
		out.Prompt("%s: ", f.prompt())
		line, err := in.ReadString('\n')
		if err != nil && line == "" {
			out.Say("")
			return nil, false, true
		}
		switch line = strings.TrimSpace(line); {
		case line == "" && f.fallback != nil && f.kind == "boolean":
			return string(f.fallback) == "true", true, false
		case line == "" && f.fallback != nil:
			return f.fallback, true, false
		case line == "" && !f.required:
			return nil, false, false
		}
		value, fault := f.read(line)
		if fault == "" {
			return value, true, false
		}
		out.Hint("%s", fault)
	}
}
