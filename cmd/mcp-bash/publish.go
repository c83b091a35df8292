package main

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/bundle"
)

func publishCommand(p program) *cobra.Command {
	var dryRun, verbose bool
	var token string
	cmd := &cobra.Command{
		Use:   "publish BUNDLE",
		Short: "Upload a bundle to a registry",
		Long: `Check a bundle that ` + "`mcp-bash bundle`" + ` made and post it to the registry at
MCP_REGISTRY_URL, with the token in MCP_REGISTRY_TOKEN. Nothing is sent anywhere
unless both are set.`,
		Example: "  mcp-bash publish hello-1.0.0.mcpb --dry-run\n  MCP_REGISTRY_URL=https://registry.example.com MCP_REGISTRY_TOKEN=... mcp-bash publish hello-1.0.0.mcpb",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			if token == "" {
				token = p.env["MCP_REGISTRY_TOKEN"]
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			return p.publish(ctx, args[0], bundle.Registry{URL: p.env["MCP_REGISTRY_URL"], Token: token}, dryRun, verbose)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check the bundle and say what would be sent")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "say where the bundle goes before it is sent")
	cmd.Flags().StringVar(&token, "token", "", "the registry's `token`; others can see it on the command line, so rather set MCP_REGISTRY_TOKEN")
	return cmd
}

func (p program) publish(ctx context.Context, path string, r bundle.Registry, dryRun, verbose bool) error {
	out := p.console(p.out)
	m, err := bundle.Open(path)
	if err != nil {
		return err
	}
	out.OK("%s %s is a bundle with %s and %s", m.Name, m.Version, many(len(m.Tools), "tool"), many(len(m.Prompts), "prompt"))
	if !m.Semantic() {
		out.Warn("version %q is not valid semver, as in 1.2.3", m.Version)
	}
	if dryRun {
		out.Say("dry-run: nothing is sent")
	}
	plan, err := r.Request(path)
	if err != nil && dryRun && r.URL == "" {
		out.Warn("%v", err)
		return nil
	} else if err != nil {
		return usageError{err}
	}
	if dryRun {
		out.Say("would send %s (%s):", path, megabytes(plan.Size))
		out.Say("  %s %s", plan.Method, plan.URL)
		for _, name := range slices.Sorted(maps.Keys(plan.Header)) {
			out.Say("  %s: %s", name, plan.Header.Get(name))
		}
		out.Say("  Authorization: Bearer %s", hidden(r.Token))
		return nil
	}
	if verbose {
		out.Say("sending %s (%s) to %s", path, megabytes(plan.Size), plan.URL)
	}
	bar := p.console(p.err).Progress("sending", int(plan.Size))
	answer, err := r.Send(ctx, path, func(n int64) { bar.At(int(n), int(plan.Size)) })
	bar.Done()
	if err != nil {
		return err
	}
	out.OK("%s %s is at %s", m.Name, m.Version, r.URL)
	if answer != "" {
		out.Hint("%s", strings.Map(printable, answer))
	}
	return nil
}

// hidden tells whether there is a token, not which.
func hidden(token string) string {
	if token == "" {
		return "(MCP_REGISTRY_TOKEN is not set)"
	}
	return "(the token)"
}

// printable drops what could steer a terminal.
func printable(r rune) rune {
	if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
		return -1
	}
	return r
}
