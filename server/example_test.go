package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/providers"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// This serves a project to a client over a pipe.
func Example() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "tools", "hello", "tool.sh")
	os.MkdirAll(filepath.Dir(tool), 0o700)
	os.WriteFile(tool, []byte("#!/bin/sh\n# mcp: {\"description\":\"greets\"}\necho hello\n"), 0o700)

	ctx := context.Background()
	srv, err := server.Open(ctx, server.Options{ProjectRoot: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	var out strings.Builder
	if err := srv.Serve(ctx, pipeline.NewNDJSON(in, &out, 0)); err != nil {
		log.Fatal(err)
	}
	_, list, _ := strings.Cut(out.String(), "\n")
	fmt.Print(list)
	// Output: {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"hello","description":"greets","inputSchema":{"type":"object","properties":{}}}],"_meta":{"mcpbash/total":1}}}
}

// This adds a stage and a method.
func ExampleOptions() {
	quiet := pipeline.Middleware{
		Name: "quiet",
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			if m.Method() == "notifications/message" {
				return nil // no log message is sent
			}
			return next(ctx, m)
		},
	}
	o := server.Options{
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware { return append(stages, quiet) },
		Methods: map[string]pipeline.Handler{
			"example/add": pipeline.Method(func(_ context.Context, p struct{ A, B int }) (int, error) { return p.A + p.B, nil }),
		},
	}
	for _, stage := range server.Stages(o) {
		fmt.Fprintln(io.Discard, stage.Name)
	}
	stages := server.Stages(o)
	fmt.Println(stages[len(stages)-1].Name)
	// Output: quiet
}

// This adds a provider of stock: URIs, and reads one as a client does.
func ExampleOptions_providers() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	stock := func(_ context.Context, uri string) ([]providers.Content, error) {
		if uri != "stock://nails" {
			return nil, fmt.Errorf("%w: nails are all we have", providers.ErrNotFound)
		}
		return []providers.Content{providers.NewContent(uri, "text/plain", []byte("1200"))}, nil
	}
	ctx := context.Background()
	srv, err := server.Open(ctx, server.Options{
		ProjectRoot: dir,
		Log:         slog.New(slog.DiscardHandler),
		Providers:   map[string]providers.Provider{"stock": providers.Func(stock)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"stock://nails"}}
`)
	var out strings.Builder
	if err := srv.Serve(ctx, pipeline.NewNDJSON(in, &out, 0)); err != nil {
		log.Fatal(err)
	}
	_, read, _ := strings.Cut(out.String(), "\n")
	fmt.Print(read)
	// Output: {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"stock://nails","mimeType":"text/plain","text":"1200"}]}}
}
