// Package interview asks the user at a terminal the questions of tools, as graphical
// clients do with forms.
package interview

import (
	"bufio"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An Answer is the result of elicitation/create. Content is nil but for an
// accepted form.
type Answer struct {
	Action  string                `json:"action"` // accept, decline or cancel
	Content map[string]json.Value `json:"content,omitempty"`
}

// Ask asks the question of an elicitation/create, field by field in the order of
// its schema, and repeats a field until its answer is valid. The end of the input
// cancels the question. The error is that the params are invalid.
func Ask(in *bufio.Reader, out *console.Console, params json.RawMessage) (Answer, error) {
	var q struct {
		Message string     `json:"message"`
		URL     string     `json:"url"`
		Form    json.Value `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &q); err != nil {
		return Answer{}, err
	}
	out.Say("%s", q.Message)
	if q.URL != "" {
		return consent(in, out, q.URL), nil
	}
	asked, err := form.Parse(q.Form)
	if err != nil {
		return Answer{}, err
	}
	out.Hint("press Enter for the default in brackets; ctrl-d cancels")
	answer := Answer{Action: "accept", Content: map[string]json.Value{}}
	for _, f := range asked.Fields {
		value, ended := ask(f, in, out)
		if ended {
			return Answer{Action: "cancel"}, nil
		}
		if value != nil {
			answer.Content[f.Name] = value
		}
	}
	return answer, nil
}

// consent asks whether to open a page.
func consent(in *bufio.Reader, out *console.Console, url string) Answer {
	out.Say("  %s", url)
	value, ended := ask(form.Field{Name: "open this page?", Type: "boolean", Default: json.Value("true")}, in, out)
	switch {
	case ended:
		return Answer{Action: "cancel"}
	case string(value) == "true":
		return Answer{Action: "accept"}
	}
	return Answer{Action: "decline"}
}

// ask asks for a field. The value is nil if it was left out; ended reports the end of the input.
func ask(f form.Field, in *bufio.Reader, out *console.Console) (value json.Value, ended bool) {
	for i, c := range f.Choices {
		out.Say("  %d  %s", i+1, c.Title)
	}
	for {
		line, ok := out.Ask(in, "%s: ", prompt(f))
		switch {
		case !ok:
			out.Say("")
			return nil, true
		case line == "" && f.Default != nil:
			return f.Default, false
		case line == "" && !f.Required:
			return nil, false
		}
		value, hint := read(f, line)
		if hint == "" {
			return value, false
		}
		out.Hint("%s", hint)
	}
}
