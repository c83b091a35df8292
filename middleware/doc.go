// Package middleware holds the stages of the chain, one a file. Each is a
// constructor that returns a [pipeline.Middleware]; their order is decided where
// the chain is listed, not here. A server with five of them:
//
//	package main
//
//	import (
//		"context"
//		"log"
//		"log/slog"
//		"os"
//		"time"
//
//		"github.com/mcp-bash/mcp-bash/v2/middleware"
//		"github.com/mcp-bash/mcp-bash/v2/pipeline"
//	)
//
//	func main() {
//		slow := func(m *pipeline.Message) bool { return m.Method() == "add" }
//		chain := []pipeline.Middleware{
//			middleware.OutputGuard(64 << 20),
//			middleware.Sanitize(),
//			middleware.Workers(middleware.NewSlots(4, 100), slow, nil),
//			middleware.Timeout(func(*pipeline.Message) time.Duration { return time.Minute }),
//			middleware.Recover(slog.Default()),
//		}
//		add := func(_ context.Context, n struct{ A, B int }) (int, error) { return n.A + n.B, nil }
//		methods := pipeline.Mux{"add": pipeline.Method(add)}
//		p := pipeline.New(pipeline.NewNDJSON(os.Stdin, os.Stdout, 64<<20), chain, methods.Serve, pipeline.Options{})
//		if err := p.Run(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # Rules for stages
//
// One concern a stage, one stage a file, with a test and an Example beside it.
// A stage could be deleted without touching another.
//
// A stage knows those around it only through the message, the context and the
// answer. What two stages share is made where the chain is listed and handed to
// both.
//
// Inbound doors run concurrently as soon as messages yield, so state has a lock
// or lives in the context. State that belongs to a call ends with it.
//
// Outbound doors run one message at a time under the lock of the wire: they are
// quick, they never send but through next, and what only they touch needs no
// other lock. A door that keeps a call of ours from leaving returns an error,
// for who sent it waits for the response.
//
// A stage that logs is given its log; nil is [slog.Default].
//
// A message cannot change. A stage that wants another one makes it and passes
// that on. An error still refuses the message that came; a stage that makes a
// readable message of an unreadable line lets it be answered in its own name,
// with [pipeline.Split].
//
// Clean up with defer: what is behind a stage may panic.
package middleware
