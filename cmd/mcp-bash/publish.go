package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/bundle"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func publishCommand(p program) *cobra.Command {
	var f publishOptions
	var token string
	cmd := &cobra.Command{
		Use:   "publish BUNDLE",
		Short: "Upload a bundle to a registry",
		Long: `Check a bundle that ` + "`mcp-bash bundle`" + ` made and post it to the registry at
MCP_REGISTRY_URL, with the token in MCP_REGISTRY_TOKEN. Nothing is sent anywhere
unless both are set.`,
		Example: `  mcp-bash publish hello-1.0.0.mcpb --dry-run
  MCP_REGISTRY_URL=https://registry.example.com MCP_REGISTRY_TOKEN=... mcp-bash publish hello-1.0.0.mcpb`,
		Args: one("bundle"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if token == "" {
				token = p.env["MCP_REGISTRY_TOKEN"]
			}
			ctx, stop := untilEnded(cmd.Context())
			defer stop()
			return p.publish(ctx, args[0], bundle.Registry{URL: p.env["MCP_REGISTRY_URL"], Token: token}, f)
		},
	}
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "check the bundle and print what would be sent")
	cmd.Flags().BoolVar(&f.json, "json", false, "print what was sent, and where to, as JSON")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "print where the bundle goes before it is sent")
	cmd.Flags().StringVar(&token, "token", "",
		"the registry's `token`; others can see it on the command line, so prefer MCP_REGISTRY_TOKEN")
	return cmd
}

// publishOptions are the flags of publish.
type publishOptions struct{ dryRun, verbose, json bool }

// A publishResult is the outcome of publish, as JSON.
type publishResult struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Bytes    int64    `json:"bytes,omitempty"`
	URL      string   `json:"url,omitempty"` // absent without a registry
	Sent     bool     `json:"sent"`
	Answer   string   `json:"answer,omitempty"` // of the registry
	Warnings []string `json:"warnings"`
}

func (p program) publish(ctx context.Context, path string, r bundle.Registry, f publishOptions) error {
	done, err := p.publishTo(ctx, p.messages(f.json), path, r, f)
	if err != nil || !f.json {
		return err
	}
	return p.console(p.out).JSON(done)
}

// publishTo checks and uploads a bundle, and prints for people what it does.
func (p program) publishTo(ctx context.Context, out *console.Console, path string, r bundle.Registry,
	f publishOptions) (publishResult, error) {
	done := publishResult{Warnings: []string{}}
	warn := func(format string, args ...any) {
		out.Warn(format, args...)
		done.Warnings = append(done.Warnings, fmt.Sprintf(format, args...))
	}
	m, err := bundle.Open(path)
	if err != nil {
		return done, err
	}
	done.Name, done.Version = m.Name, m.Version
	out.OK("%s %s is a bundle with %s and %s", m.Name, m.Version, console.Count(len(m.Tools), "tool"),
		console.Count(len(m.Prompts), "prompt"))
	if !m.Semantic() {
		warn("version %q is not valid semver, as in 1.2.3", m.Version)
	}
	if f.dryRun {
		out.Say("dry-run: nothing is sent")
	}
	plan, err := r.Request(path)
	if err != nil && f.dryRun && r.URL == "" {
		warn("%v", err)
		return done, nil
	} else if err != nil {
		return done, console.UsageError{Err: err}
	}
	done.Bytes, done.URL = plan.Size, plan.URL
	if f.dryRun {
		out.Say("would send %s (%s):", path, megabytes(plan.Size))
		out.Say("  %s %s", plan.Method, plan.URL)
		for _, name := range slices.Sorted(maps.Keys(plan.Header)) {
			out.Say("  %s: %s", name, plan.Header.Get(name))
		}
		out.Say("  Authorization: Bearer %s", hidden(r.Token))
		return done, nil
	}
	if f.verbose {
		out.Say("sending %s (%s) to %s", path, megabytes(plan.Size), plan.URL)
	}
	bar := p.console(p.err).Progress("sending", int(plan.Size))
	answer, err := r.Send(ctx, path, func(n int64) { bar.At(int(n), int(plan.Size)) })
	bar.Done()
	if err != nil {
		return done, err
	}
	done.Sent, done.Answer = true, console.Plain(answer)
	out.OK("%s %s is at %s", m.Name, m.Version, r.URL)
	if done.Answer != "" {
		out.Hint("%s", done.Answer)
	}
	return done, nil
}

// hidden returns a text that shows whether a token is set, but not the token.
func hidden(token string) string {
	if token == "" {
		return "(MCP_REGISTRY_TOKEN is not set)"
	}
	return "(the token)"
}
