package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// A log file is rotated when it has logFileMB megabytes; the second constant is how
// many old files are kept.
const (
	logFileMB    = 10
	logFilesKept = 3
)

// logFlags are the flags of the log; they override the variables.
type logFlags struct{ format, file string }

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "log-format", "", "write the log as `text` or json (default: MCPBASH_LOG_FORMAT, else text)")
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

// newLog returns the log of a server, which writes to stderr and, if one is
// named, to a file. Close it when all is said.
func newLog(s operator.Settings, stderr io.Writer) (log *slog.Logger, done func()) {
	w, done := stderr, func() {}
	if s.LogFile != "" {
		rotated := &lumberjack.Logger{Filename: s.LogFile, MaxSize: logFileMB, MaxBackups: logFilesKept}
		file, written := serving.LogFile(serving.Reported(rotated, func(err error) {
			logTo(stderr, s).Warn("the log file cannot be written", "file", s.LogFile, "error", err)
		}))
		w, done = io.MultiWriter(stderr, file), written
	}
	return logTo(w, s), done
}

func logTo(w io.Writer, s operator.Settings) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogJSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
