// Package serving is what a process does beside serving its one client: how it begins and ends, what it
// logs and records, and what it reports to CI systems.
package serving

import (
	"io"
	"log/slog"
	"strings"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
)

// A log file is rotated when it has logFileMB megabytes; the second constant is how
// many old files are kept.
const (
	logFileMB    = 10
	logFilesKept = 3
)

// Log returns the log of a server, which writes to stderr and, if one is named, to a file. Close it
// with done when all is said.
func Log(s operator.Settings, stderr io.Writer) (log *slog.Logger, done func()) {
	w, done := stderr, func() {}
	if s.LogFile != "" {
		rotated := &lumberjack.Logger{Filename: s.LogFile, MaxSize: logFileMB, MaxBackups: logFilesKept}
		file, written := LogFile(&reported{WriteCloser: rotated, report: func(err error) {
			logTo(stderr, s).Warn("the log file cannot be written", "file", s.LogFile, "error", err)
		}})
		w, done = io.MultiWriter(stderr, file), written
	}
	return logTo(w, s), done
}

func logTo(w io.Writer, s operator.Settings) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.LogLevel}
	if secret := s.Secret.Token; secret != "" {
		o.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { // a client may have used it as an id or a name
			if text := a.Value.String(); strings.Contains(text, secret) {
				a.Value = slog.StringValue(strings.ReplaceAll(text, secret, redact.Mark))
			}
			return a
		}
	}
	if s.LogJSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// Some clients never read the stderr of a server. At most UnreadLog bytes written to it
// are kept in memory, and may delay the end of the server by LastLog.
const (
	UnreadLog = 1 << 20
	LastLog   = 500 * time.Millisecond
)

// LogFile returns a writer for a file that is slow or full at times: it holds nothing up. done writes
// what is left and closes the file.
func LogFile(file io.WriteCloser) (w io.Writer, done func()) {
	unblocked := NewSpill(file, UnreadLog)
	return unblocked, func() {
		unblocked.Close(LastLog)
		file.Close()
	}
}

// A reported file passes the first error of a write to report, too.
type reported struct {
	io.WriteCloser
	report func(error) // nil after the first error
}

func (r *reported) Write(b []byte) (int, error) {
	n, err := r.WriteCloser.Write(b)
	if err != nil && r.report != nil {
		r.report(err)
		r.report = nil
	}
	return n, err
}
