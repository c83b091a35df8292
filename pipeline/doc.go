// Package pipeline runs every message of a JSON-RPC 2.0 stream through a chain
// of small stages before a handler answers it. It knows JSON-RPC and nothing of
// the protocol that is spoken on it. A whole server:
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//		"os"
//
//		"github.com/mcp-bash/mcp-bash/v2/pipeline"
//	)
//
//	// brief is a stage: it refuses long messages.
//	var brief = pipeline.Middleware{
//		Name: "brief",
//		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
//			if len(m.Line()) > 1000 {
//				return nil, fmt.Errorf("%w: be brief", pipeline.ErrInvalidRequest)
//			}
//			return next(ctx, m)
//		},
//	}
//
//	type numbers struct {
//		A int `json:"a"`
//		B int `json:"b"`
//	}
//
//	func add(_ context.Context, n numbers) (int, error) { return n.A + n.B, nil }
//
//	func main() {
//		stream := pipeline.NewNDJSON(os.Stdin, os.Stdout, 64<<20)
//		methods := pipeline.Mux{"add": pipeline.Method(add)}
//		p := pipeline.New(stream, []pipeline.Middleware{brief}, methods.Serve, pipeline.Options{})
//		if err := p.Run(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// It answers {"jsonrpc":"2.0","id":1,"method":"add","params":{"a":2,"b":3}} with
// {"jsonrpc":"2.0","id":1,"result":5}.
//
// # The path of a message
//
// A line becomes a [Message]. It enters the chain at the first stage and passes the Inbound door of
// each until the handler answers; the answer travels back as the doors return. Then it leaves
// through the Leaving and then the Outbound doors, last stage first, as do notifications and our own calls:
//
//	wire ─▶ first ─▶ second ─▶ … ─▶ handler     Inbound: a round trip
//	        first ◀─ second ◀─ … ◀─ send        Leaving: may wait
//	wire ◀─ first ◀─ second ◀─ …                Outbound: the one way out
//
// # Order
//
// One goroutine at a time holds the baton: it reads a line, takes it through the chain, sends the
// answer and reads the next line. So everything happens in order and without queues. A message that
// will take long calls [Yield]: the baton passes on, and this message is answered when its answer
// is ready. So does one that awaits a [Promise], which somebody else settles. A message that only
// waits for the other side to read what it sends passes the baton on after a moment, so that the end
// of the input is always seen.
//
// # The end
//
// Messages that were read before the input ended, or before [Pipeline.Finish], are still answered;
// [Pipeline.Stop] cancels them. Nothing that is stuck delays the end for ever; see [Pipeline.Run].
package pipeline
