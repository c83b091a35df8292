package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// maxPayload is the longest payload that is read, as long as a message.
const maxPayload = 64 << 20

func interceptCommand(p program) *cobra.Command {
	var q interceptor.Question
	var config string
	cmd := p.asks(&cobra.Command{
		Use:   "intercept NAME [PAYLOAD.json]",
		Short: "Ask an interceptor about a message",
		Example: `  mcp-bash intercept no-secrets --phase response result.json
  echo '{"name":"rm"}' | mcp-bash intercept read-only --event tools/call`,
		Long: `Ask an interceptor about the params of a request, or the result of a response, in a file or
on stdin, and print what it answers as JSON.`,
	}, 1, 2, "the name of an interceptor, and a file at most",
		func(a *clientCommand, words []string) (func(context.Context) error, error) {
			a.lends, a.JSON, q.Name = true, true, words[0]
			var payload []byte
			var err error
			if len(words) < 2 {
				payload, err = files.ReadAll(a.in, maxPayload)
			} else {
				payload, err = files.Read(words[1], maxPayload)
			}
			switch {
			case err != nil:
				return nil, console.UsageError{Err: err}
			case !json.Value(payload).IsValid():
				return nil, console.Usagef("the payload is not JSON; give the params of a call, as in {\"name\": \"hello\"}")
			case config != "" && !json.Value(config).IsValid():
				return nil, console.Usagef("--config is not JSON")
			}
			q.Payload, q.Config = payload, json.RawMessage(config)
			return func(ctx context.Context) error { return a.Print(q.Put(ctx, a.Server.Call)) }, nil
		})
	cmd.Flags().StringVar(&q.Event, "event", "tools/call", "`method` of the message")
	cmd.Flags().StringVar(&q.Phase, "phase", interceptor.Request, "`phase` of the message: request or response")
	cmd.Flags().StringVar(&config, "config", "", "`object` to use as its config, instead of that in its metadata")
	completes(cmd, "phase", []string{interceptor.Request, interceptor.Response})
	return cmd
}
