package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/internal/script"
)

// scripts runs the project's scripts that are no tools: prompts and completions.
type scripts struct {
	runner *script.Runner
	root   string
	env    []string
	limit  int // bytes of stdout
}

// usualPatience is how long such a script may take where nothing else is said.
const usualPatience = 30 * time.Second

// run returns what a script prints. A script that fails is an error that tells
// the last line of its stderr.
func (s scripts) run(ctx context.Context, path string, patience *time.Duration, env ...string) ([]byte, error) {
	limit := usualPatience
	if patience != nil {
		limit = *patience
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s did not end within %v", path, limit))
		defer cancel()
	}
	stdout, stderr := script.Head{Limit: s.limit}, script.Tail{Limit: 4 << 10}
	ended, err := s.runner.Run(ctx, script.Command{
		Path: path, Dir: s.root, Env: append(s.env[:len(s.env):len(s.env)], env...), Stdout: &stdout, Stderr: &stderr,
	})
	switch {
	case err != nil:
		return nil, err
	case stdout.Truncated():
		return nil, fmt.Errorf("%s printed more than %d bytes", path, s.limit)
	case ended.ExitCode != 0:
		lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(stderr.Text(), "\ufffd")), "\n")
		return nil, fmt.Errorf("%s failed with exit code %d: %s", path, ended.ExitCode, lines[len(lines)-1])
	}
	return stdout.Bytes(), nil
}

// prompt runs a prompt that is a script.
func (s scripts) prompt(ctx context.Context, p *project.Prompt, arguments map[string]string) ([]byte, error) {
	if arguments == nil {
		arguments = map[string]string{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	return s.run(ctx, p.Path, nil, "MCP_PROMPT_NAME="+p.Name, "MCP_PROMPT_ARGS_JSON="+string(text))
}

// completion asks a completion script. It prints a JSON array of texts, an
// object {suggestions, hasMore}, or one text a line.
func (s scripts) completion(ctx context.Context, c project.Completion, p mcp.CompleteParams) ([]string, int, error) {
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
	out, err := s.run(ctx, c.Path, c.Timeout,
		"MCP_COMPLETION_NAME="+name, "MCP_COMPLETION_ARGS_JSON="+string(asked),
		"MCP_COMPLETION_LIMIT=100", "MCP_COMPLETION_OFFSET=0")
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
