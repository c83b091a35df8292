// Command relay runs the usual chain of stages in front of any server, whatever it is written in:
// relay COMMAND ARG..., or relay -lsp COMMAND ARG... for servers that speak with Content-Length.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func relay(ctx context.Context, in io.Reader, out io.Writer, args []string) error {
	var client jsonrpc2.ObjectStream = pipeline.NewNDJSON(in, out, 64<<20)
	w := server.Wrapping{Command: args, Stderr: os.Stderr}
	if args[0] == "-lsp" {
		w.Command, w.Dialect, w.ContentLength = args[1:], &pipeline.LSP, true
		client = pipeline.NewContentLength(in, out, 64<<20)
	}
	all := server.Limits{Progress: -1, Logs: -1} // what the server reports passes, however much it is
	wrapped, err := server.Wrap(ctx, w, server.Options{Environ: os.Environ(), Limits: all})
	if err != nil {
		return err
	}
	defer wrapped.Close()
	return wrapped.Serve(ctx, client)
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: relay [-lsp] COMMAND ARG...")
	}
	if err := relay(context.Background(), os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}
