package ask

import (
	"bufio"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An answer is the result of elicitation/create. Content is nil but for an
// accepted form.
type answer struct {
	Action  string                `json:"action"` // accept, decline or cancel
	Content map[string]json.Value `json:"content,omitempty"`
}

// elicit asks the user at a terminal the question of an elicitation/create, field by field in the order of
// its schema, and repeats a field until its answer is valid. The end of the input
// cancels the question. The error is that the params are invalid.
func elicit(in *bufio.Reader, out *console.Console, params json.RawMessage) (answer, error) {
	var q struct {
		Message string     `json:"message"`
		URL     string     `json:"url"`
		Form    json.Value `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &q); err != nil {
		return answer{}, err
	}
	out.Say("%s", q.Message)
	if q.URL != "" {
		return consent(in, out, q.URL), nil
	}
	asked, err := form.Parse(q.Form)
	if err != nil {
		return answer{}, err
	}
	out.Hint("press Enter for the default in brackets; ctrl-d cancels")
	given := answer{Action: "accept", Content: map[string]json.Value{}}
	for _, f := range asked.Fields {
		value, ended := ask(f, in, out)
		if ended {
			return answer{Action: "cancel"}, nil
		}
		if value != nil {
			given.Content[f.Name] = value
		}
	}
	return given, nil
}

// consent asks whether to open a page.
func consent(in *bufio.Reader, out *console.Console, url string) answer {
	out.Say("  %s", url)
	value, ended := ask(form.Field{Name: "open this page?", Type: "boolean", Default: json.Value("true")}, in, out)
	switch {
	case ended:
		return answer{Action: "cancel"}
	case string(value) == "true":
		return answer{Action: "accept"}
	}
	return answer{Action: "decline"}
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
