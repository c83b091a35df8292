package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// noticed returns a session without a server, and the lines that its client reads.
func noticed(t *testing.T) (*session, <-chan string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	in, input := io.Pipe()
	output, out := io.Pipe()
	s := &session{server: &Server{log: log}, agreed: &mcp.Session{}, confirmed: make(chan struct{})}
	s.families.Listens = &handlers.Listens{Log: log}
	s.notices.session = s
	s.pipeline = pipeline.New(pipeline.NewNDJSON(in, out, 0), nil, pipeline.Mux{}.Serve, pipeline.Options{Log: log})
	lines := make(chan string, 100)
	go func() {
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	go s.notices.run(ctx)
	go s.pipeline.Run(context.Background())
	t.Cleanup(func() {
		cancel()
		input.Close()
	})
	return s, lines
}

func TestChangesAreKeptUntilTheSessionIsConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s, lines := noticed(t)
		s.notices.changed(catalog.Prompts)
		s.notices.changed(catalog.Tools)
		s.notices.changed(catalog.Tools) // the same change again
		synctest.Wait()
		is.Equal(len(lines), 0)
		close(s.confirmed)
		is.Equal(<-lines, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		is.Equal(<-lines, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
		synctest.Wait()
		is.Equal(len(lines), 0)
		s.notices.changed(catalog.Resources)
		is.Equal(<-lines, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`) // sent at once
	})
}

func TestLogMessagesThatWaitForASessionAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s, lines := noticed(t)
		for i := range maxLogs + 7 {
			s.notices.log(mcp.LogParams{Level: mcp.Warning, Data: fmt.Sprint(i)})
		}
		s.notices.log(mcp.LogParams{Level: mcp.Debug, Data: "not wanted"})
		close(s.confirmed)
		for i := range maxLogs {
			is.Equal(<-lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"%d"}}`, i))
		}
		is.Equal(<-lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"mcp-bash.project","data":"and 8 more; `+"`mcp-bash validate`"+` shows all of them"}}`)
		synctest.Wait()
		is.Equal(len(lines), 0)
	})
}

func TestPendingNoticesAreSentAtTheEndOfTheSession(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.MkdirAll(filepath.Join(root, "tools"), 0o755))
	s, err := Open(t.Context(), Options{ProjectRoot: root, Log: slog.New(slog.DiscardHandler)})
	is.NoErr(err)
	defer s.Close()
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	var out strings.Builder
	sess := s.newSession(pipeline.NewNDJSON(strings.NewReader(in), &out, 0))
	sess.notices.log(mcp.LogParams{Level: mcp.Warning, Data: "broken"})
	is.NoErr(sess.pipeline.Run(t.Context())) // without the goroutine that sends them
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	is.Equal(len(lines), 2)
	is.Equal(lines[1], `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"broken"}}`)
}

// A silent stream is a stream whose client reads and sends nothing until it ends.
type silentStream struct{ end, read chan struct{} }

func (s silentStream) ReadObject(any) error  { <-s.end; return io.EOF }
func (s silentStream) WriteObject(any) error { <-s.read; return nil }
func (s silentStream) Close() error          { return nil }

func TestAClientThatReadsNothingDoesNotHoldItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		stream := silentStream{make(chan struct{}), make(chan struct{})}
		log := slog.New(slog.DiscardHandler)
		s := &session{server: &Server{log: log}, agreed: &mcp.Session{}, confirmed: make(chan struct{})}
		s.families.Listens = &handlers.Listens{Log: log}
		s.notices.session = s
		s.pipeline = pipeline.New(stream, nil, pipeline.Mux{}.Serve, pipeline.Options{Log: log})
		ended := make(chan error)
		go func() { ended <- s.serve(t.Context()) }()
		close(s.confirmed)
		s.notices.changed(catalog.Tools) // nobody reads it
		synctest.Wait()
		close(stream.end)
		is.True(errors.Is(<-ended, pipeline.ErrStuck)) // after its grace
		close(stream.read)
	})
}
