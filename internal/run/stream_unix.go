//go:build unix

package run

import (
	"os"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A stream is a named pipe: what any process of a tool appends to it is handled
// at once, line by line. It is used by one call after the other.
type stream struct{ file *os.File }

func newStream(path string) (*stream, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// Open it for writing too, so that reads do not report the end of file while nobody writes.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &stream{file: pipe}, nil
}

func (s *stream) close() { s.file.Close() }

// listen returns what the Runner must copy so that l gets the lines that are written from
// now on.
func (s *stream) listen(l *listener) []process.Copy { return []process.Copy{{From: s.file, To: l}} }

// stop returns when l has got everything that was written so far.
func (s *stream) stop() {}
