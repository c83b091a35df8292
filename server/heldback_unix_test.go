//go:build unix

package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A listener is a log handler that calls heard for each message.
type listener struct {
	slog.Handler
	heard func(message string)
}

func (l listener) Enabled(context.Context, slog.Level) bool { return true }

func (l listener) Handle(_ context.Context, r slog.Record) error {
	l.heard(r.Message)
	return nil
}

func (l listener) WithAttrs([]slog.Attr) slog.Handler { return l }

// cancelledLate begins a call of a tool, and cancels it when its answer is about to leave. It returns when
// the tool no longer runs.
func cancelledLate(t *testing.T, metadata, script string) {
	t.Helper()
	is := is.New(t)
	root := files(t, map[string]string{"tools/asks/tool.sh": script, "tools/asks/tool.meta.json": metadata})
	ours, theirs := net.Pipe()
	cancelled := make(chan struct{})
	var leaving sync.Once
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot: root, Environ: os.Environ(),
		Log: slog.New(listener{slog.DiscardHandler, func(message string) {
			if message == "call cancelled" {
				close(cancelled)
			}
		}}),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append(stages, pipeline.Middleware{Name: "late", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
				if m.Kind() == pipeline.Response {
					leaving.Do(func() {
						waittest.Until(t, "the tool has begun", func() bool { return len(processes(t, root)) > 0 })
						fmt.Fprintln(theirs, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
						<-cancelled
					})
				}
				return next(ctx, m)
			}})
		},
	})
	is.NoErr(err)
	defer srv.Close()
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(context.Background(), pipeline.NewNDJSON(ours, ours, 0)) }()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks",%s}}`+"\n", meta)
	<-cancelled
	waittest.Until(t, "the end of the tool", func() bool { return len(processes(t, root)) == 0 })
	_, err = os.Stat(filepath.Join(root, "done"))
	is.True(os.IsNotExist(err)) // it was ended
	go func() { _, _ = io.Copy(io.Discard, bufio.NewReader(theirs)) }()
	theirs.Close()
	<-ended
}

func TestATaskWhoseClientNeverLearnsOfItIsEnded(t *testing.T) {
	cancelledLate(t, `{"taskSupport":"required","timeoutSecs":600}`, "#!/bin/sh\nsleep 600\n: >done\n")
}

func TestARunWhoseQuestionNeverLeftIsNotKept(t *testing.T) {
	cancelledLate(t, `{"taskSupport":"forbidden"}`, "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\nmcp_elicit_confirm 'Go on?'\n: >done\n")
}
