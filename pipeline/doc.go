// Package pipeline runs every message of a JSON-RPC 2.0 stream through a chain
// of small stages before a handler answers it. It knows JSON-RPC and nothing of
// the protocol that is spoken on it.
//
//	stream := pipeline.NewNDJSON(os.Stdin, out, 64<<20)
//	chain := []pipeline.Middleware{middleware.Sanitize(), middleware.Recover(log)}
//	methods := pipeline.Mux{"ping": pipeline.Method(ping)}
//	err := pipeline.New(stream, chain, methods.Serve, pipeline.Options{}).Run(ctx)
//
// # The way of a message
//
// A line becomes a [Message]. It enters the chain at the first stage and passes
// the Inbound door of each until the handler answers; the answer travels back
// as the doors return. Then it leaves through the Outbound doors, last stage
// first, as do notifications and calls of our own:
//
//	wire ─▶ first ─▶ second ─▶ … ─▶ handler     Inbound: a round trip
//	wire ◀─ first ◀─ second ◀─ … ◀─ send        Outbound: the one way out
//
// # Order
//
// One goroutine at a time holds the baton: it reads a line, takes it through
// the chain, sends the answer and reads the next. So everything happens in
// order and without queues. A message that will take long calls [Yield]: the
// baton passes on, and this message answers when it is ready.
package pipeline
