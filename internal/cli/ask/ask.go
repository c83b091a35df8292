// Package ask calls a server's methods for people, as a client does, and prints what it answers: lists,
// results of tools, prompts, contents of resources and completions.
package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
)

// A Client asks a server. Its methods print results; their errors are those of the server, or that a
// name or an argument is mistyped, which is a [console.UsageError].
type Client struct {
	Server dial.Caller
	People *Audience

	Out      io.Writer               // for results
	Terminal bool                    // Out is a terminal
	Printer  func() *console.Console // returns the console on Out
	Messages *console.Console        // for what is not part of a result

	JSON   bool // results are printed as JSON
	AsText bool // results of tools are printed as text even if Out is not a terminal
	Named  bool // the JSON of a result has the name of its tool, and a refused call is JSON too
}

// Readable returns an error response of a server as a readable error.
func Readable(err error) error {
	if refused := (*jsonrpc2.Error)(nil); errors.As(err, &refused) {
		return fmt.Errorf("%s (%d)", refused.Message, refused.Code)
	}
	return err
}

// ask calls a method. A result that is wanted as JSON is printed; any other is read into v, which people are shown.
func (a *Client) ask(ctx context.Context, method string, params map[string]any, what string, v any) error {
	result, err := a.Server.Call(ctx, method, params)
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.raw(result)
	}
	if err := json.Unmarshal(result, v); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Print prints the result of a method as JSON, or returns its error.
func (a *Client) Print(result json.RawMessage, err error) error {
	if err != nil {
		return err
	}
	return a.raw(result)
}

// raw prints a result as JSON: indented for people, on one line for programs.
func (a *Client) raw(result json.RawMessage) error {
	if a.Terminal {
		return a.Printer().JSON(result)
	}
	_, err := fmt.Fprintf(a.Out, "%s\n", result)
	return err
}

// Write prints text for people, without control sequences on a terminal, and ends the line.
func (a *Client) Write(text string) {
	if text == "" {
		return
	}
	if a.Terminal {
		text = console.Plain(text)
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	_, _ = io.WriteString(a.Out, text) // ignored, as for everything printed for people
}
