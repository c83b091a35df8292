package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/providers"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// providerCommand returns the command that reads a resource with a built-in provider, for a
// project's own provider that calls "$MCPBASH_HOME/providers/NAME.sh". It keeps the contract of
// such scripts.
func providerCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:     "provider NAME URI",
		Short:   "Read a resource by a built-in provider",
		Example: "  mcp-bash provider file config.json",
		Args:    takes(2, 2, "a NAME and a URI"),
		Hidden:  true,
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := untilEnded(context.Background())
			defer stop()
			content, err := p.provide(ctx, args[0], args[1])
			if err != nil {
				printProviderError(p.err, err)
				p.exit(providerExit(args[0], err))
				return nil
			}
			_, err = p.out.Write(content)
			return err
		},
	}
}

// provide reads the content of a URI.
func (p program) provide(ctx context.Context, name, uri string) ([]byte, error) {
	root, s, _, err := p.served() // the server has reported what is wrong
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	o := serverOptions(s, p.err, p.env, "", log)
	o.ProjectRoot, o.Environ = root, p.environ
	scheme := server.BuiltIn()[name]
	if scheme == "" {
		return nil, fmt.Errorf("%w: no built-in provider is named %q", providers.ErrBadURI, name)
	}
	if !strings.HasPrefix(strings.ToLower(uri), scheme+":") {
		if name != "file" {
			return nil, fmt.Errorf("%w: it must begin with \"%s:\"", providers.ErrBadURI, scheme)
		}
		uri = files.URI(files.InRoot(root, uri)) // a plain path is accepted too
	}
	contents, err := server.Provide(ctx, o, uri)
	switch {
	case err != nil:
		return nil, err
	case len(contents) != 1 || contents[0].URI != uri:
		return nil, fmt.Errorf("%w: it is a folder; name a file in it", providers.ErrNotFound)
	case contents[0].Text != nil:
		return []byte(*contents[0].Text), nil
	}
	return contents[0].Blob, nil
}

// printProviderError prints why a read failed. What the exit code already means is left out,
// because the caller of the script adds it.
func printProviderError(w io.Writer, err error) {
	if redirect, ok := errors.AsType[*fetch.RedirectError](err); ok {
		fmt.Fprintln(w, "redirect:"+redirect.Location)
		return
	}
	text := err.Error()
	for _, fault := range []error{providers.ErrNotFound, providers.ErrBadURI, providers.ErrDenied, providers.ErrTooLarge,
		providers.ErrUnavailable} {
		text = strings.TrimPrefix(text, fault.Error()+": ")
	}
	fmt.Fprintln(w, text)
}

// providerExit returns the exit code for an error, as in the Bash program: a host that is not
// allowed is an invalid request, a file outside of the roots has its own code.
func providerExit(name string, err error) int {
	var redirect *fetch.RedirectError
	switch {
	case errors.As(err, &redirect):
		return 7
	case errors.Is(err, providers.ErrDenied) && name == "file":
		return 2
	case errors.Is(err, providers.ErrNotFound):
		return 3
	case errors.Is(err, providers.ErrBadURI), errors.Is(err, providers.ErrDenied):
		return 4
	case errors.Is(err, providers.ErrTooLarge):
		return 6
	}
	return 5
}
