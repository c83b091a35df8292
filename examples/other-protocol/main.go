// Command other-protocol is a small language server. It shows that the pipeline
// and the general stages can serve protocols other than MCP.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// maxMessage is the maximum size of a message in bytes.
const maxMessage = 16 << 20

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	stream := pipeline.NewContentLength(os.Stdin, os.Stdout, maxMessage)
	if err := serve(context.Background(), stream, log); err != nil {
		fmt.Fprintln(os.Stderr, "other-protocol:", err)
		os.Exit(1)
	}
}

// serve serves one editor until it disconnects.
func serve(ctx context.Context, stream jsonrpc2.ObjectStream, log *slog.Logger) error {
	chain := []pipeline.Middleware{
		middleware.OutputGuard(maxMessage),
		middleware.Workers(middleware.NewSlots(4, 64), slow, nil),
		middleware.Timeout(limit),
		middleware.Recover(log),
	}
	e := &editor{texts: make(map[string]string)}
	return pipeline.New(stream, chain, e.methods().Serve, pipeline.Options{Log: log}).Run(ctx)
}
