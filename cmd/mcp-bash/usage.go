package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/nearmiss"
)

// badValue is what cobra says of a flag whose value cannot be read.
var badValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^invalid argument (".*") for "(?:-., )?--([^"]+)" flag: `)
})

// wrongFlag says what to type in the place of a flag that cannot be used.
func wrongFlag(cmd *cobra.Command, err error) error {
	text := err.Error()
	if m := badValue().FindStringSubmatch(text); m != nil {
		switch cmd.Flag(m[2]).Value.Type() {
		case "float64", "int":
			return usageError{fmt.Errorf("--%s %s: write a number", m[2], m[1])}
		case "bool":
			return usageError{fmt.Errorf("--%s %s: write true or false", m[2], m[1])}
		}
		return usageError{err}
	}
	if strings.HasPrefix(text, "unknown ") {
		return usageError{fmt.Errorf("%w; `%s --help` lists the flags", err, cmd.CommandPath())}
	}
	return usageError{err}
}

// wrongWord says what to type in the place of a word that cmd has no use for.
func wrongWord(cmd *cobra.Command, word string) error {
	if !cmd.HasAvailableSubCommands() {
		return usageError{fmt.Errorf("%s takes no arguments, so there is no use for %q; a project is named with -C", cmd.CommandPath(), word)}
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	hint := fmt.Sprintf("`%s --help` lists what there is", cmd.CommandPath())
	if meant := likely(word, names); meant != "" {
		hint = fmt.Sprintf("did you mean `%s %s`?", cmd.CommandPath(), meant)
	}
	return usageError{fmt.Errorf("unknown command %q for %q; %s", word, cmd.CommandPath(), hint)}
}

// likely is the name that was meant by a mistyped word, as far as one can tell: two letters of
// four are no slip.
func likely(word string, names []string) string {
	meant := nearmiss.Of(word, names)
	if len(word) <= 4 && nearmiss.Distance(word, meant) > 1 {
		return ""
	}
	return meant
}

// oneOf is what cobra says of flags of which one at most can be given.
var oneOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)
})

// plainly puts cobra's words for a wrong command line into ours. cmd is the command that refused it.
func plainly(cmd *cobra.Command, err error) error {
	if m := oneOf().FindStringSubmatch(err.Error()); m != nil {
		return usageError{fmt.Errorf("give one of --%s only", strings.ReplaceAll(m[1], " ", ", --"))}
	}
	var usage usageError
	if errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "unknown command ") {
		return err
	}
	return wrongWord(cmd, cmd.Flags().Arg(0))
}

// strict lets the commands that come with cobra refuse words that they do not know: they
// would print some help and succeed.
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

// completes lets shells offer the values that a flag of cmd can have.
func completes(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // fails for a flag that there is not
}
