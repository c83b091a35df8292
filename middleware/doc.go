// Package middleware contains the stages of the chain, one a file. Each is a constructor that
// returns a [pipeline.Middleware]; their order is decided where the chain is listed, not here. A
// server with five of them:
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
// Each stage has one concern and its own file, with a test and an Example beside it. A stage can be
// deleted without changing another.
//
// Stages communicate only through the message, the context and the answer. State that two stages
// share is created where the chain is listed and passed to both.
//
// Inbound doors run concurrently as soon as messages yield, so state needs a lock or is kept in the
// context. State of a call ends with it.
//
// Outbound doors run one message at a time under the lock of the wire: they are quick, they send
// only through next, and state that only they use needs no other lock. A door that does not let a
// call of ours leave returns an error, as the caller waits for the response.
//
// A stage that logs takes a logger; nil is [slog.Default].
//
// A message cannot change. A stage that wants another one creates it and passes that on. An error
// still refuses the message that came; a stage that makes a readable message of an unreadable line
// has it answered under its own id with [pipeline.Split].
//
// Clean up with defer: later stages may panic.
package middleware
