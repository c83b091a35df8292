package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// logFlags are the flags of the log; they override the variables.
type logFlags struct{ format, file string }

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "log-format", "",
		"write the log as `text` or json (default: MCPBASH_LOG_FORMAT, else text)")
	cmd.Flags().StringVar(&f.file, "log-file", "", "write the log to this `file`, too (default: MCPBASH_LOG_FILE)")
	completes(cmd, "log-format", []string{"text", "json"})
}

// adjust applies the flags to the settings.
func (f logFlags) adjust(s *operator.Settings) error {
	if f.format != "" {
		if err := operator.SetLogFormat(s, f.format); err != nil {
			return fmt.Errorf("--log-format %s: %w", f.format, err)
		}
	}
	if f.file != "" {
		s.LogFile = f.file
	}
	return nil
}
