//go:build unix

package run

import (
	"os"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// A stream is a pipe with a name: what any process of a tool appends to it is
// heard at once, line by line. It serves one call after the other.
type stream struct{ file *os.File }

func newStream(path string) (*stream, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// Open for writing too, so that it has no end while nobody writes.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &stream{file: pipe}, nil
}

func (s *stream) close() { s.file.Close() }

// listen passes the lines that are written from now on to l, as far as the Runner hears
// what is returned.
func (s *stream) listen(l *listener) []script.Copy { return []script.Copy{{From: s.file, To: l}} }

// stop returns when everything that was written so far has been heard.
func (s *stream) stop() {}
