package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
)

func scaffoldCommand(p program) *cobra.Command {
	s := &scaffolder{program: p}
	cmd := &cobra.Command{
		Use:   "scaffold",
		Short: "Make a tool, a prompt, a resource or another part of a project",
		Long: `Scaffold makes a part of a project that works at once, and prints what to type next.
Nothing that exists is overwritten.

Names have 1 to 128 of A-Z a-z 0-9 _ . - and begin with a letter or a digit.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return console.Usagef("scaffold what? tool, prompt, resource, completion, interceptor, ui, test, env or " +
				"middleware, as in `mcp-bash scaffold tool my-tool`")
		},
	}
	cmd.PersistentFlags().BoolVar(&s.asJSON, "json", false, "print what was made as JSON")
	cmd.AddCommand(s.tool(), s.prompt(), s.resource(), s.completion(), s.interceptor(), s.ui(), s.test(), s.env(),
		s.middleware())
	return cmd
}

// A scaffolder makes parts of projects.
type scaffolder struct {
	program
	asJSON bool
}

// makesPart makes cmd execute a plan for the project, with the name that is its argument, if it has one.
func (s *scaffolder) makesPart(cmd *cobra.Command,
	plan func(ctx context.Context, root, name string) (scaffold.Plan, error)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root, err := s.project()
		if err != nil {
			return err
		}
		at, err := scaffold.PlaceAt(root, *s.projectRoot != "")
		if err != nil {
			return err
		}
		made, err := plan(cmd.Context(), root, strings.Join(args, ""))
		if err != nil {
			return err
		}
		return s.makes(made, at, s.asJSON)
	}
	return cmd
}

func (s *scaffolder) tool() *cobra.Command {
	var o scaffold.ToolOptions
	cmd := s.makesPart(&cobra.Command{
		Use:   "tool NAME",
		Short: "Make a tool with metadata, a smoke test and a README",
		Example: `  mcp-bash scaffold tool word-count
  mcp-bash scaffold tool chart --ui
  mcp-bash scaffold tool forecast --lang python`,
		Args: one("name"),
	}, func(_ context.Context, root, name string) (scaffold.Plan, error) { return scaffold.Tool(root, name, o) })
	cmd.Flags().BoolVar(&o.UI, "ui", false, "with a page that shows its result, for clients with MCP Apps")
	cmd.Flags().StringVar(&o.Language, "lang", "bash", "`language` of the script: bash or python")
	completes(cmd, "lang", []string{"bash", "python"})
	return cmd
}

func (s *scaffolder) prompt() *cobra.Command {
	return s.makesPart(&cobra.Command{
		Use:     "prompt NAME",
		Short:   "Make a prompt: a text with places for arguments",
		Example: `  mcp-bash scaffold prompt explain`,
		Args:    one("name"),
	}, func(_ context.Context, root, name string) (scaffold.Plan, error) { return scaffold.Prompt(root, name) })
}

func (s *scaffolder) resource() *cobra.Command {
	return s.makesPart(&cobra.Command{
		Use:     "resource NAME",
		Short:   "Make a resource: a text that clients can read",
		Example: `  mcp-bash scaffold resource house-rules`,
		Args:    one("name"),
	}, func(_ context.Context, root, name string) (scaffold.Plan, error) {
		return scaffold.Resource(root, name)
	})
}

func (s *scaffolder) completion() *cobra.Command {
	var of, argument string
	cmd := s.makesPart(&cobra.Command{
		Use:   "completion NAME",
		Short: "Make a script that completes an argument of a prompt",
		Long: `Completion makes completions/NAME.sh, which offers values for an argument while a user
types. It belongs to the prompt or the resource template with that name, or with the one
of --for. That must exist; if it has several arguments, --argument names the one that is meant.`,
		Example: `  mcp-bash scaffold completion explain --argument topic
  mcp-bash scaffold completion topics --for explain --argument topic`,
		Args: one("name"),
	}, func(ctx context.Context, root, name string) (scaffold.Plan, error) {
		of, argument, err := scaffold.ChooseArgument(ctx, root, cmp.Or(of, name), argument)
		if err != nil {
			return scaffold.Plan{}, err
		}
		return scaffold.Completion(root, name, of, argument)
	})
	cmd.Flags().StringVar(&of, "for", "", "`name` of the prompt or the resource template (default: NAME)")
	cmd.Flags().StringVar(&argument, "argument", "", "`name` of the argument (default: the only one)")
	return cmd
}

func (s *scaffolder) interceptor() *cobra.Command {
	var kind, event string
	cmd := s.makesPart(&cobra.Command{
		Use:   "interceptor NAME",
		Short: "Make a rule for messages: one that refuses some, or changes them",
		Example: `  mcp-bash scaffold interceptor careful
  mcp-bash scaffold interceptor redact --type mutation --event resources/read`,
		Args: one("name"),
	}, func(_ context.Context, root, name string) (scaffold.Plan, error) {
		return scaffold.Interceptor(root, name, kind, event)
	})
	cmd.Flags().StringVar(&kind, "type", interceptor.Validation, "`type`: validation or mutation")
	cmd.Flags().StringVar(&event, "event", "tools/call", "`method` of the messages")
	completes(cmd, "type", []string{interceptor.Validation, interceptor.Mutation})
	return cmd
}

func (s *scaffolder) ui() *cobra.Command {
	var tool, template string
	cmd := s.makesPart(&cobra.Command{
		Use:   "ui [NAME]",
		Short: "Make a page that shows results, for clients with MCP Apps",
		Long: `Ui makes a page for one tool, or one that several tools can show: HTML to start from, or
the description of a page that a template makes, without HTML (docs/PROJECT.md). To see
it, run mcp-bash preview.`,
		Example: `  mcp-bash scaffold ui --tool chart
  mcp-bash scaffold ui --tool orders --template table
  mcp-bash scaffold ui board --template kanban`,
		Args: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case tool == "" && len(args) == 0:
				return console.Usagef("name the page, as in `mcp-bash scaffold ui board`, or its tool with --tool")
			case template != "":
				if template, err = uipage.Named(template); err != nil {
					return console.Usagef("--template: %w", err)
				}
			}
			return atMost(1)(cmd, args)
		},
	}, func(ctx context.Context, root, name string) (scaffold.Plan, error) {
		if tool == "" {
			server, err := scaffold.ServerName(root)
			if err != nil {
				return scaffold.Plan{}, err
			}
			return scaffold.UI(root, name, server, template)
		}
		folder, err := scaffold.ToolFolder(ctx, root, tool)
		if err != nil {
			return scaffold.Plan{}, err
		}
		return scaffold.ToolUI(root, folder, tool, name, template)
	})
	cmd.Flags().StringVar(&tool, "tool", "", "`name` of the tool that it belongs to")
	cmd.Flags().StringVar(&template, "template", "", "make it from a `template`: "+suggest.Or(uipage.ShortNames()...))
	completes(cmd, "template", uipage.ShortNames())
	return cmd
}

func (s *scaffolder) test() *cobra.Command {
	return s.makesPart(&cobra.Command{
		Use:     "test",
		Short:   "Make test/run.sh, which runs the smoke tests of all tools",
		Example: `  mcp-bash scaffold test`,
		Args:    cobra.NoArgs,
	}, func(_ context.Context, root, _ string) (scaffold.Plan, error) { return scaffold.Tests(root) })
}

func (s *scaffolder) env() *cobra.Command {
	return s.makesPart(&cobra.Command{
		Use:   "env",
		Short: "Make server.d/env.sh, with variables and limits to choose from",
		Long: `Env makes server.d/env.sh, which sets variables for the scripts of the project and limits of
its server (docs/PROJECT.md). All of its lines are comments: remove the # before those
that you need. It is read as data, without running it.`,
		Example: `  mcp-bash scaffold env`,
		Args:    cobra.NoArgs,
	}, func(context.Context, string, string) (scaffold.Plan, error) { return scaffold.Env() })
}

func (s *scaffolder) middleware() *cobra.Command {
	return &cobra.Command{
		Use:   "middleware NAME",
		Short: "Make a stage of the chain, in a checkout of mcp-bash",
		Long: `Middleware makes a stage of the chain that every message passes: middleware/NAME.go, a test
with an Example beside it, and its section in docs/MIDDLEWARE.md. Stages are compiled
into the program, so this works in a checkout of its source, or of a fork.`,
		Example: `  mcp-bash scaffold middleware slow-calls`,
		Args:    one("name"),
		RunE: func(_ *cobra.Command, args []string) error {
			here, err := s.folder()
			if err != nil {
				return err
			}
			checkout, err := scaffold.FindCheckout(here.Path)
			if err != nil {
				return err
			}
			plan, err := checkout.Stage(args[0])
			if err != nil {
				return err
			}
			at, err := scaffold.PlaceAt(checkout.Root, false)
			if err != nil {
				return err
			}
			return s.makes(plan, at, s.asJSON)
		},
	}
}
