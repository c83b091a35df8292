package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// scripts runs the project's scripts that are no tools: prompts and completions.
type scripts struct {
	runner *script.Runner
	root   string
	env    []string
	limit  int // bytes of stdout

	state  string // a folder for files of the server
	sdk    *sdk.Server
	sdkDir func() (string, error)
}

// usualPatience is how long such a script may take where nothing else is said.
const usualPatience = 30 * time.Second

// patient returns a context that ends after limit, 0 for never.
func patient(ctx context.Context, path string, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, late(path, limit))
}

func late(path string, limit time.Duration) error {
	return fmt.Errorf("%s did not end within %v", path, limit)
}

// run runs a command and returns what it prints. One that fails is an error that
// tells the last line of its stderr.
func (s scripts) run(ctx context.Context, c script.Command) ([]byte, error) {
	stdout, stderr := script.Head{Limit: s.limit}, script.Tail{Limit: 4 << 10}
	c.Dir, c.Stdout, c.Stderr = s.root, &stdout, &stderr
	c.Env = with(s.env, append(c.Env, "MCPBASH_PROJECT_ROOT="+s.root)...)
	ended, err := s.runner.Run(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case stdout.Truncated():
		return nil, fmt.Errorf("%s printed more than %d bytes", c.Path, s.limit)
	case ended.ExitCode != 0:
		lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(stderr.Text(), "\ufffd")), "\n")
		return nil, fmt.Errorf("%s failed with exit code %d: %s", c.Path, ended.ExitCode, lines[len(lines)-1])
	}
	return stdout.Bytes(), nil
}

// prompt runs a prompt that is a script. It has the SDK, with which it can ask
// its client; while it does, its time stands still.
func (s scripts) prompt(ctx context.Context, p *project.Prompt, arguments map[string]string, client sdk.Call) ([]byte, error) {
	if arguments == nil {
		arguments = map[string]string{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.state, "prompt.")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sdkDir, err := s.sdkDir()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(usualPatience, func() { cancel(late(p.Path, usualPatience)) })
	defer timer.Stop()
	client.Dir, client.Args = dir, text
	if client.Ask != nil {
		client.Ask = unhurried(timer, client.Ask)
	}
	channel, err := s.sdk.Open(ctx, client)
	if err != nil {
		return nil, err
	}
	defer channel.Close()
	return s.run(ctx, script.Command{
		Path:       p.Path,
		Env:        append(channel.Env(), "MCP_SDK="+sdkDir, "MCP_PROMPT_NAME="+p.Name, "MCP_PROMPT_ARGS_JSON="+string(text)),
		ExtraFiles: channel.Files(),
	})
}

// unhurried asks as ask does, and lets the time of the script stand still while
// it waits for any answer.
func unhurried(timer *time.Timer, ask func(context.Context, ...sdk.Question) []sdk.Answer) func(context.Context, ...sdk.Question) []sdk.Answer {
	var mu sync.Mutex
	waiting := 0
	change := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
		if waiting += by; waiting == 0 {
			timer.Reset(usualPatience)
		}
	}
	return func(ctx context.Context, questions ...sdk.Question) []sdk.Answer {
		change(+1)
		defer change(-1)
		return ask(ctx, questions...)
	}
}

// completion asks a completion script for limit values from offset on. See
// suggestions for what it prints.
func (s scripts) completion(ctx context.Context, c project.Completion, p mcp.CompleteParams, offset, limit int) (values []string, next, total int, err error) {
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
		return nil, 0, 0, err
	}
	patience := usualPatience
	if c.Timeout != nil {
		patience = *c.Timeout
	}
	ctx, cancel := patient(ctx, c.Path, patience)
	defer cancel()
	out, err := s.run(ctx, script.Command{Path: c.Path, Env: []string{
		"MCP_COMPLETION_NAME=" + name, "MCP_COMPLETION_ARGS_JSON=" + string(asked),
		"MCP_COMPLETION_ARGUMENT=" + holdable(*p.Argument.Name), "MCP_COMPLETION_VALUE=" + holdable(p.Argument.Value),
		"MCP_COMPLETION_LIMIT=" + strconv.Itoa(limit), "MCP_COMPLETION_OFFSET=" + strconv.Itoa(offset),
	}})
	if err != nil {
		return nil, 0, 0, err
	}
	return suggestions(out, offset, limit)
}

// holdable is a text as a variable can hold it.
func holdable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// suggestions reads what a completion script printed that was asked for limit
// values from offset on:
//
//   - an object {suggestions, hasMore, next, total}: a page, next being the offset of the
//     one after it. The last three may be missing;
//   - a JSON array of texts, or one text a line: all there are, or, where those are not
//     more than a page, the page.
//
// next is 0 at the end, total -1 where nobody knows it.
func suggestions(out []byte, offset, limit int) (values []string, next, total int, err error) {
	var page struct {
		Suggestions, Values []string
		HasMore             *bool
		Next, Total         *int
	}
	text := strings.TrimSpace(string(out))
	switch {
	case text == "":
	case text[0] == '[':
		err = json.Unmarshal([]byte(text), &page.Values)
	case text[0] == '{':
		err = json.Unmarshal([]byte(text), &page)
	default:
		page.Values = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	}
	if err != nil {
		return nil, 0, 0, errors.New("the completion script must print a JSON array of texts, an object with suggestions, or one text a line")
	}
	values, total = append(page.Suggestions, page.Values...), -1
	more := page.HasMore != nil && *page.HasMore || page.HasMore == nil && page.Next != nil
	switch {
	case page.HasMore == nil && page.Next == nil && len(values) > limit: // it knows nothing of pages
		total = len(values)
		values = values[min(offset, total):min(offset+limit, total)]
		more = offset+len(values) < total
	case len(values) > limit:
		values, more, page.Next = values[:limit], true, nil
	case !more:
		total = offset + len(values)
	}
	if page.Total != nil {
		total = max(*page.Total, 0)
	}
	if more && (len(values) > 0 || page.Next != nil) {
		if next = offset + len(values); page.Next != nil && *page.Next > offset {
			next = *page.Next
		}
	}
	return values, next, total, nil
}
