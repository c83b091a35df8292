package serving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestTheEndIsLoggedOnceWithItsReason(t *testing.T) {
	for _, c := range []struct {
		why  error
		want string
	}{
		{pipeline.EndOfInput, `level=INFO msg=ended reason="end of input"`},
		{pipeline.Finished, `level=INFO msg=ended reason=exit`},
		{pipeline.End("idle for 1s"), `level=INFO msg=ended reason="idle for 1s"`},
		{signalled{syscall.SIGTERM}, `level=INFO msg=ended reason="signal SIGTERM"`},
		{ErrOrphaned, `level=INFO msg=ended reason="the parent process is gone"`},
		{fmt.Errorf("write: %w", syscall.EPIPE), `level=INFO msg=ended reason="nobody reads the answers any more"`},
		{fmt.Errorf("%w: 3 times", middleware.ErrTripped), `level=ERROR msg=ended reason="corrupt output"`},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), `level=ERROR msg=ended reason="read: unexpected EOF"`},
	} {
		is := is.New(t)
		var log bytes.Buffer
		l := NewLifetime(slog.New(slog.NewTextHandler(&log, nil)))
		l.Looked(server.Offer{Project: "/p", Tools: 1, Page: 100})
		l.Ended(c.why)
		l.Closed(t.Context(), "/p")
		l.LogEnd(errors.New("too late"))
		is.True(strings.Contains(log.String(), c.want)) // see the log below
		is.Equal(strings.Count(log.String(), "msg=serving"), 1)
		is.Equal(strings.Count(log.String(), "msg=ended"), 1)
		if t.Failed() {
			t.Log(log.String())
		}
	}
}

func TestTheStartSaysThatAListHasMoreThanOnePage(t *testing.T) {
	for offered, many := range map[server.Offer]bool{
		{Tools: 101, Page: 100}:                 true,
		{Templates: 101, Tools: 1, Page: 100}:   true,
		{Resources: 100, Prompts: 1, Page: 100}: false,
	} {
		is := is.New(t)
		var log bytes.Buffer
		NewLifetime(slog.New(slog.NewTextHandler(&log, nil))).Looked(offered)
		is.Equal(strings.Contains(log.String(), `pages="some clients read the first 100 of a list only; MCPBASH_PAGE_SIZE=101 shows`), many)
	}
}

func TestWhatEndsAServerEarlyIsTheReason(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	l := NewLifetime(slog.New(slog.NewTextHandler(&log, nil)))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrUnread)
	l.Ended(pipeline.Stopped) // as Close does it
	l.Closed(ctx, "/p")
	is.True(strings.Contains(log.String(), "msg=serving version="+server.Version+" project=/p\n")) // it had no time to look
	is.True(strings.Contains(log.String(), `reason="nobody reads the answers any more"`))
}
