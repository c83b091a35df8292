package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// wrongFlag returns the error for an invalid flag, with a suggestion of what to type instead.
func wrongFlag(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		wanted := map[string]string{"float64": "a number", "int": "a number", "bool": "true or false"}
		if what := wanted[invalid.GetFlag().Value.Type()]; what != "" {
			return console.Usagef("--%s %q: write %s", invalid.GetFlag().Name, invalid.GetValue(), what)
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		word := "--" + unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" { // of -w, which may be part of -word
			word = "-" + letters
		}
		meant := suggest.Question(suggestFlags(cmd, strings.TrimLeft(word, "-"))...)
		return console.Usagef("unknown flag %s; %s", word,
			cmp.Or(meant, fmt.Sprintf("`%s --help` lists the flags", cmd.CommandPath())))
	}
	return console.UsageError{Err: err}
}

// suggestFlags returns the flags of cmd that a word may mean: those it begins, or is a typing error of.
func suggestFlags(cmd *cobra.Command, word string) []string {
	word, _, _ = strings.Cut(word, "=")
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // includes the parent commands' flags once they are parsed
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	meant := suggest.Meant(word, names) // a new slice
	if slices.Contains(names, word) {   // with one dash
		meant = []string{word}
	}
	for i := range meant {
		meant[i] = "--" + meant[i]
	}
	return meant
}

// commandName returns the name of a command in messages, which begin with the name of the program.
func commandName(cmd *cobra.Command) string {
	_, name, below := strings.Cut(cmd.CommandPath(), " ")
	if !below {
		return cmd.CommandPath()
	}
	return name
}

// wrongWord returns the error for a word that cmd does not take, with a suggestion of what to type instead.
func wrongWord(cmd *cobra.Command, word string) error {
	if !cmd.HasAvailableSubCommands() {
		return console.Usagef("%s takes no arguments, but got %q; name a project with -C", commandName(cmd), word)
	}
	var meant []string
	for _, name := range suggestCommands(cmd, word) {
		meant = append(meant, fmt.Sprintf("`%s %s`", cmd.CommandPath(), name))
	}
	hint := cmp.Or(suggest.Question(meant...), fmt.Sprintf("`%s --help` lists the commands", cmd.CommandPath()))
	return console.Usagef("unknown command %q for %q; %s", word, cmd.CommandPath(), hint)
}

// oneOf matches cobra's error for flags that exclude each other.
var oneOf = lazyregexp.New(
	`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// rewriteError rewrites cobra's error for an invalid command line in our words. cmd is the command that returned it.
func rewriteError(cmd *cobra.Command, err error) error {
	if m := oneOf.Get().FindStringSubmatch(err.Error()); m != nil {
		return console.Usagef("give one of --%s only", strings.ReplaceAll(m[1], " ", ", --"))
	}
	if errors.As(err, new(console.UsageError)) || !strings.HasPrefix(err.Error(), "unknown command ") {
		return err
	}
	return wrongWord(cmd, cmd.Flags().Arg(0))
}

// takes is a cobra.PositionalArgs for commands that take least to most arguments (-1: any number), as what says.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n, verb := len(args), "requires"
		if n >= least && (most < 0 || n <= most) {
			return nil
		}
		if least == 0 {
			verb = "takes"
		}
		return console.Usagef("%s %s %s, but got %d; for example\n%s", commandName(cmd), verb, what, n, cmd.Example)
	}
}

// one is takes for a single argument, such as a name.
func one(thing string) cobra.PositionalArgs { return takes(1, 1, "one "+thing) }

// atMost is takes for optional arguments.
func atMost(n int) cobra.PositionalArgs { return takes(0, n, "at most "+console.Count(n, "argument")) }

// strict makes the commands that come with cobra refuse unknown words: otherwise they print
// some help and succeed.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, words []string) error {
				about, rest, err := root.Find(words)
				if err != nil || len(rest) == 0 {
					return err
				}
				return wrongWord(about, rest[0])
			}
		case "completion":
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// completes makes shells complete the values of a flag of cmd.
func completes(cmd *cobra.Command, flag string, values []string) {
	// fails for an unknown flag only
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
