// Command relay runs the usual chain of stages in front of any server, whatever it is written in:
// relay COMMAND ARG..., or relay -lsp COMMAND ARG... for servers that speak with Content-Length.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

func ndjson(r io.Reader, w io.Writer) jsonrpc2.ObjectStream { return pipeline.NewNDJSON(r, w, 64<<20) }

func framed(r io.Reader, w io.Writer) jsonrpc2.ObjectStream {
	return pipeline.NewContentLength(r, w, 64<<20)
}

func relay(ctx context.Context, in io.Reader, out io.Writer, args []string) error {
	dialect, stream := pipeline.MCP, ndjson
	if args[0] == "-lsp" {
		dialect, stream, args = pipeline.LSP, framed, args[1:]
	}
	dialect.Relayed = true // what a stage acts on, the server needs, too
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Stderr = os.Stderr
	stdin, inErr := command.StdinPipe()
	stdout, outErr := command.StdoutPipe()
	if err := errors.Join(inErr, outErr, command.Start()); err != nil {
		return err
	}
	server := behind.New(stream(stdout, stdin), behind.Options{Dialect: dialect})
	chain := append(middleware.Standard(middleware.Settings{Dialect: dialect}), server.Stage())
	p := pipeline.New(stream(in, out), chain, server.Handle, pipeline.Options{Dialect: dialect, CallIDs: "relay-", BeforeClose: func(context.Context) {
		stdin.Close() // asks the server to end
		<-server.Gone()
	}})
	go func() {
		defer p.Finish()
		server.Run(ctx, p)
	}()
	err := p.Run(ctx)
	if err != nil {
		command.Process.Kill()
	}
	return errors.Join(err, command.Wait())
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: relay [-lsp] COMMAND ARG...")
	}
	if err := relay(context.Background(), os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}
