// Package serving is what a process does beside serving its one client: how it begins and ends, what it
// logs and records, and what it reports to CI systems.
package serving

import (
	"io"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/spill"
)

// Some clients never read the stderr of a server. At most UnreadLog bytes written to it
// are kept in memory, and may delay the end of the server by LastLog.
const (
	UnreadLog = 1 << 20
	LastLog   = 500 * time.Millisecond
)

// LogFile returns a writer for a file that is slow or full at times: it holds nothing up. done writes
// what is left and closes the file.
func LogFile(file io.WriteCloser) (w io.Writer, done func()) {
	unblocked := spill.New(file, UnreadLog)
	return unblocked, func() {
		unblocked.Close(LastLog)
		file.Close()
	}
}

// Reported returns a writer to file that passes the first error of a write to report, too.
func Reported(file io.WriteCloser, report func(error)) io.WriteCloser {
	return &reported{WriteCloser: file, report: report}
}

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
