package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/preview"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func previewCommand(p program) *cobra.Command {
	var open bool
	var cmd *cobra.Command
	cmd = p.asks(&cobra.Command{
		Use:   "preview TOOL [key=value | key:=json]...",
		Short: "Show the page of a tool in a browser, as clients with MCP Apps do",
		Long: `Call a tool and show its page with the result in a browser: in a sandboxed frame, under
the content security policy that clients enforce, and in the width and theme that you
choose. The tools that the page calls are those of the project, and they really run,
through the same stages, checks and limits as a client's calls. Edits of the page show
when the tool is called again.

The address is printed to stdout, and opened in a browser if that is a terminal or with
--open. It works on this machine only and contains a secret, because anyone who opens it
can call the tools. Ctrl-c ends.`,
		Example: `  mcp-bash preview orders
  mcp-bash preview forecast city=Rome days:=3
  mcp-bash preview orders --open=false`,
		ValidArgsFunction: p.completeCall,
	}, 1, -1, "the name of a tool", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		a.extensions = map[string]any{mcp.ExtensionUI: map[string]any{"mimeTypes": []string{mcp.UIMIMEType}}}
		if !cmd.Flags().Changed("open") {
			open = isTerminal(p.out)
		}
		_, err := ask.ParseArguments(words[1:], nil)
		return func(ctx context.Context) error { return a.preview(ctx, words[0], words[1:], open) }, err
	})
	_ = cmd.Flags().MarkHidden("json") // a page is shown; nothing is printed
	cmd.Flags().BoolVar(&open, "open", false, "open the address in a browser (default: if stdout is a terminal)")
	return cmd
}

// preview shows the page of a tool until it is interrupted.
func (a *clientCommand) preview(ctx context.Context, tool string, words []string, open bool) error {
	arguments, err := a.ToolArguments(ctx, tool, words)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	host, err := preview.Open(ctx, a.Server, tool, arguments, l.Addr())
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, preview.ErrNoPage) && !a.other():
		return fmt.Errorf("%w; make one with `mcp-bash scaffold ui --tool %s`", err, tool)
	case errors.Is(err, preview.ErrNoTool):
		return a.UnknownTool(ctx, tool, err)
	case err != nil:
		return err
	}
	if _, err := fmt.Fprintln(a.out, host.URL()); err != nil {
		return err
	}
	if open {
		if err := browse(host.OnceURL()); err != nil {
			a.complain("cannot open a browser (%v); open the address above", err)
		}
	}
	return host.Serve(ctx, l)
}

// browse opens an address in the browser of the user.
func browse(url string) error {
	argv := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		argv = []string{"open", url}
	case "windows":
		argv = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // the browser may outlive this process
	return nil
}
