package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func readCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	cmd := &cobra.Command{
		Use:   "read URI",
		Short: "Read a resource and print its contents",
		Long: `Read a resource as a client would and print its contents: text as it is, and binary
contents as bytes where stdout is not a terminal.`,
		Example: `  mcp-bash read file:///srv/notes/today.md
  mcp-bash read file:///srv/logo.png >logo.png
  mcp-bash read memo://insights --json -- npx some-server`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completeResources,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 1, 1, "one URI")
			if err != nil {
				return err
			}
			return a.ask(func(ctx context.Context) error { return a.read(ctx, words[0]) })
		},
	}
	a.flags(cmd)
	return cmd
}

func (a *clientCommand) read(ctx context.Context, uri string) error {
	result, err := a.session.Call(ctx, "resources/read", map[string]any{"uri": uri})
	if err != nil {
		return err
	}
	if a.json {
		return a.raw(result)
	}
	var r struct{ Contents []contents }
	if err := json.Unmarshal(result, &r); err != nil {
		return fmt.Errorf("the contents of %s: %w", uri, err)
	}
	for _, c := range r.Contents {
		if err := a.contents(c); err != nil {
			return fmt.Errorf("the contents of %s: %w", c.URI, err)
		}
	}
	return nil
}

func (a *clientCommand) contents(c contents) error {
	switch {
	case c.Text != nil && (a.atTerminal || a.asText):
		a.write(*c.Text)
	case c.Text != nil:
		_, err := io.WriteString(a.results, *c.Text)
		return err
	case c.Blob != nil:
		data, err := base64.StdEncoding.DecodeString(*c.Blob)
		if err != nil {
			return err
		}
		if a.atTerminal || a.asText {
			a.write(fmt.Sprintf("[%s, %d bytes; `mcp-bash read %s >FILE` writes them into a file]", c.MimeType, len(data), c.URI))
			return nil
		}
		_, err = a.results.Write(data)
		return err
	}
	return nil
}
