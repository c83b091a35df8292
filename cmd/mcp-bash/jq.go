package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// jqCommand returns the command jq, for scripts on machines without jq.
func jqCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "jq FILTER [FILE...]",
		Short: "Run a jq filter over JSON",
		Long: `Jq is a jq for machines without one, and what scripts find there under the names jq and
gojq. It takes the options of jq 1.7, which mcp-bash jq --help lists, and ends with jq's
exit codes.

The language is gojq's, which the helpers of the SDK speak too. Other than in jq, the
keys of objects are sorted, regular expressions are RE2 (no lookaround, no back
references; the flags g, i and m), integers are exact at any size, output is never coloured, and
NaN and numbers such as 01 are not JSON. To add keys to an object one by one takes a
copy of it each time, so reduce gets slow beyond some thousand keys; from_entries,
with_entries and add do not.`,
		Example:            `  mcp-bash jq -r .name package.json`,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			p.exit(jq.Main(args, p.in, p.out, p.err, p.environ))
			return nil
		},
	}
}
