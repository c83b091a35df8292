package run

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Completion asks a completion script. It prints a JSON array of texts, an object
// {suggestions, hasMore}, or one text a line. The number is how many values there
// are in all.
func (r *Runtime) Completion(ctx context.Context, c project.Completion, p mcp.CompleteParams) ([]string, int, error) {
	name := p.Ref.Name
	if name == "" {
		name = p.Ref.URI
	}
	asked, err := json.Marshal(map[string]any{
		"query":    p.Argument.Value,
		"prefix":   p.Argument.Value,
		"argument": map[string]any{"name": *p.Argument.Name, "value": p.Argument.Value},
		"context":  map[string]any{"arguments": p.Context.Arguments},
		"ref":      p.Ref,
	})
	if err != nil {
		return nil, 0, err
	}
	env, err := r.scriptEnvironment(
		"MCP_COMPLETION_NAME="+name, "MCP_COMPLETION_ARGS_JSON="+string(asked),
		"MCP_COMPLETION_ARGUMENT="+*p.Argument.Name, "MCP_COMPLETION_VALUE="+p.Argument.Value,
		"MCP_COMPLETION_LIMIT=100", "MCP_COMPLETION_OFFSET=0",
	)
	if err != nil {
		return nil, 0, err
	}
	limit := or(r.Limits.Script, defaultScript)
	if c.Timeout != nil {
		limit = *c.Timeout
	}
	out, err := r.printed(ctx, job{path: c.Path, env: env, times: times{limit: limit}})
	if err != nil {
		return nil, 0, err
	}
	return suggestions(out)
}

// suggestions reads what a completion script printed.
func suggestions(out []byte) (values []string, total int, err error) {
	text := strings.TrimSpace(string(out))
	switch {
	case text == "":
		return nil, 0, nil
	case text[0] == '[':
		err = json.Unmarshal([]byte(text), &values)
	case text[0] == '{':
		var o struct {
			Suggestions, Values []string
			HasMore             bool
			Total               int
		}
		err = json.Unmarshal([]byte(text), &o)
		values, total = append(o.Suggestions, o.Values...), o.Total
		if o.HasMore {
			total = max(total, len(values)+1)
		}
	default:
		values = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	}
	if err != nil {
		return nil, 0, errors.New("the completion script must print a JSON array of texts, an object with suggestions, or one text a line")
	}
	return values, max(total, len(values)), nil
}
