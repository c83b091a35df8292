package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
)

// ask opens a session and lists all tools.
func (r *Report) ask(ctx context.Context, stream io.ReadWriteCloser) error {
	session, err := dial.Open(ctx, stream, dial.Options{Audience: nobody{}, Version: "1"})
	if err != nil {
		return unanswered(ctx, "initialize", err)
	}
	defer session.Close() // ends the server's input, and so the server
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	if err := json.Unmarshal(session.Hello, &hello); err != nil {
		return fmt.Errorf("the result of initialize is invalid: %w", err)
	}
	r.Server, r.Version, r.Protocol = hello.ServerInfo.Name, hello.ServerInfo.Version, hello.ProtocolVersion
	tools, err := dial.All(ctx, session, "tools/list", "tools")
	if err != nil {
		return unanswered(ctx, "tools/list", err)
	}
	r.Tools = []string{}
	for _, tool := range tools {
		var t struct{ Name string }
		if err := json.Unmarshal(tool, &t); err != nil {
			return fmt.Errorf("the result of tools/list is invalid: %w", err)
		}
		r.Tools = append(r.Tools, t.Name)
	}
	return nil
}

// unanswered adds the method to the error of a call that was refused or had no answer.
func unanswered(ctx context.Context, method string, err error) error {
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%s was refused: %s (error %d)", method, refused.Message, refused.Code)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no answer to %s within %v", method, Patience)
	case ctx.Err() != nil:
		return fmt.Errorf("no answer to %s", method)
	case errors.Is(err, dial.ErrGone):
		return fmt.Errorf("no answer to %s: %w", method, err)
	}
	return err
}

// nobody is the user of a client without capabilities.
type nobody struct{}

func (nobody) Notify(string, json.RawMessage)                       {}
func (nobody) Answers() bool                                        { return false }
func (nobody) Elicit(context.Context, json.RawMessage) (any, error) { return nil, nil }
