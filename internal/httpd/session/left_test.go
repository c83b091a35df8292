package session_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

func calling(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, id) }

func cancelling(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

func answering(id int, result string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// taken reports whether a call is refused because of its id.
func taken(t *testing.T, s *session.Session, id int) bool {
	t.Helper()
	_, err := s.Post(t.Context(), pipeline.Parse([]byte(calling(id))))
	if err != nil && !errors.Is(err, session.ErrDuplicate) {
		t.Fatal(err)
	}
	return err != nil
}

func TestTheIDOfACancelledCallIsTakenUntilTheCallHasEnded(t *testing.T) {
	for name, end := range map[string][]byte{"without an answer": nil, "with an answer that came too late": answering(1, `"late"`)} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			s, server := begin(t)
			first := post(t, s, calling(1))
			post(t, s, cancelling(1))
			is.Equal(read(t, first), "") // it is not answered
			is.True(taken(t, s, 1))
			post(t, s, cancelling(1)) // of nothing
			is.True(taken(t, s, 1))
			server.receive(end, "1")
			second := post(t, s, calling(1))
			server.receive(nil, "1") // says nothing of a call that its client waits for
			server.receive(answering(1, `"second"`), "1")
			is.Equal(read(t, second), string(answering(1, `"second"`)))
		})
	}
}

func TestNoAnswerOfACallWhoseClientHasDisconnectedGoesToAnother(t *testing.T) {
	is := is.New(t)
	s, server := begin(t)
	post(t, s, calling(1)).Abandon()
	is.True(taken(t, s, 1))
	server.receive(answering(1, `"first"`), "1")
	second := post(t, s, calling(1))
	server.receive(answering(1, `"second"`), "1")
	is.Equal(read(t, second), string(answering(1, `"second"`)))
}

func TestACallThatTheServerDidNotGetLeavesItsIDFree(t *testing.T) {
	is := is.New(t)
	s, _ := begin(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Post(gone, pipeline.Parse([]byte(calling(1))))
	is.True(errors.Is(err, context.Canceled))
	is.True(!taken(t, s, 1))
}

func TestACancellationBeforeItsCallIsOfNothing(t *testing.T) {
	is := is.New(t)
	s, server := begin(t)
	e := post(t, s, cancelling(1), calling(1))
	server.receive(answering(1, `{}`), "1")
	is.Equal(read(t, e), string(answering(1, `{}`)))
}

func TestServersThatDoNotSayThatACancelledCallHasEndedCanBeCalledAnyNumberOfTimes(t *testing.T) {
	is := is.New(t)
	s, _ := begin(t)
	for id := range 10 * limits.Exchanges {
		post(t, s, calling(id))
		post(t, s, cancelling(id))
	}
	is.True(taken(t, s, 10*limits.Exchanges-1))
	is.True(!taken(t, s, 0)) // that was long ago
}

func TestACancelledCallDoesNotKeepASessionOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		why := make(chan string, 1)
		table := &session.Table{Opener: &conns{}, Limits: limits, Places: session.NewPlaces(1), Idle: time.Minute, Ended: func(w string) { why <- w }, Log: slog.New(slog.DiscardHandler)}
		defer table.Close()
		s, err := table.Open("ada")
		is.NoErr(err)
		post(t, s, calling(1))
		post(t, s, cancelling(1))
		is.True(taken(t, s, 1)) // and no call that is never answered takes its place
		begun := time.Now()
		s.Leave()
		is.Equal(<-why, session.Idled)
		is.Equal(time.Since(begun), time.Minute)
	})
}
