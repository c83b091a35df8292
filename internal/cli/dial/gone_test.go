package dial_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
)

// deaf is a connection to a server that has exited: its output is not at its end, as another process holds
// it, and nobody reads its input.
type deaf struct {
	io.ReadCloser
	in *os.File
}

func (d deaf) Write(b []byte) (int, error) { return d.in.Write(b) }

// nobody is an audience that answers nothing.
type nobody struct{}

func (nobody) Notify(string, json.RawMessage)                       {}
func (nobody) Elicit(context.Context, json.RawMessage) (any, error) { return nil, nil }
func (nobody) Answers() bool                                        { return false }

func TestAServerThatHasExitedWithoutReadingIsGone(t *testing.T) {
	for name, end := range map[string]func(r, w *os.File) error{
		"its end of the pipe is closed":  func(r, _ *os.File) error { return r.Close() },
		"our end of the pipe was closed": func(_, w *os.File) error { return w.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r, w, err := os.Pipe()
			is.NoErr(err)
			defer r.Close()
			defer w.Close()
			is.NoErr(end(r, w))
			out, held := io.Pipe()
			defer held.Close()
			_, err = dial.Open(t.Context(), deaf{out, w}, dial.Options{Audience: nobody{}})
			is.True(errors.Is(err, dial.ErrGone))
		})
	}
}
