package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleBreaker() {
	log := slog.New(slog.DiscardHandler)
	broken := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(json.RawMessage("{ broken"))
	}
	stages := []pipeline.Middleware{middleware.OutputGuard(0), middleware.Breaker(middleware.Trip{Threshold: 2}, log)}
	err := pipetest.Serve(os.Stdout, stages, broken,
		`{"jsonrpc":"2.0","id":1,"method":"work"}`,
		`{"jsonrpc":"2.0","id":2,"method":"work"}`,
		`{"jsonrpc":"2.0","id":3,"method":"work"}`)
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: the answer was not valid JSON"}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error: the answer was not valid JSON"}}
	// too many corrupt messages: 2 within 1m0s
}

// breaking starts a server whose "work" is corrupt.
func breaking(t *testing.T, trip middleware.Trip, log *slog.Logger) *pipetest.Client {
	x := methods()
	x["work"] = handing(`{`)
	stages := chain(middleware.OutputGuard(200), middleware.Breaker(trip, log))
	return pipetest.Start(t, stages, x.Serve, pipeline.Options{})
}

func work(id any) string { return pipetest.Call(id, "work", "") }

func TestTheThirdCorruptMessageInAMinuteEndsThePipeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := breaking(t, middleware.Trip{}, quiet)
		for i := range 2 {
			c.Send(work(i))
			is.Equal(c.Recv(), notValid(i))
			<-time.After(29 * time.Second)
		}
		c.Send(work(2))                                     // the first was 58 seconds ago
		is.True(errors.Is(c.Wait(), middleware.ErrTripped)) // with stdin still open
		is.Equal(c.Recv(), notValid(2))                     // the last call is answered too
	})
}

func TestCorruptMessagesThatAreFarApartEndNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := breaking(t, middleware.Trip{}, quiet)
		for i := range 20 { // two at a time, one minute apart, without end
			c.Send(work(i), work(i))
			is.Equal(c.Recv()+c.Recv(), notValid(i)+notValid(i))
			<-time.After(time.Minute)
		}
		c.Send(ping("alive"))
		is.Equal(c.Recv(), pong("alive"))
		is.NoErr(c.Close())
	})
}

func TestTheWindowSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := breaking(t, middleware.Trip{}, quiet)
		for _, pause := range []time.Duration{50, 50, 50, 50, 5, 0} {
			c.Send(work(1))
			is.Equal(c.Recv(), notValid(1))
			<-time.After(pause * time.Second)
		}
		is.True(errors.Is(c.Wait(), middleware.ErrTripped)) // the last three are 50 and 5 seconds apart
	})
}

func TestValidMessagesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := breaking(t, middleware.Trip{}, quiet)
		for i := range 10 {
			c.Send(ping(i), pipetest.Call(i, "unknown", ""), `garbage`)
			c.Pipeline.Notify(t.Context(), "too large", []string{strings.Repeat("x", 500)})
		}
		c.Send(work(1), work(2))
		is.NoErr(c.Close())
	})
}

func TestCorruptNotificationsCountThoughNoMessageCausedThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := breaking(t, middleware.Trip{}, quiet)
		for range 2 {
			is.True(errors.Is(c.Pipeline.Notify(t.Context(), "note", json.RawMessage(`{`)), middleware.ErrCorrupt))
		}
		synctest.Wait()
		is.True(errors.Is(c.Pipeline.Notify(t.Context(), "note", json.RawMessage(`{`)), middleware.ErrTripped))
		is.True(errors.Is(c.Wait(), middleware.ErrTripped))
		is.Equal(len(c.Written()), 0)
	})
}

func TestTheThresholdAndWindowOfATripCanBeSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := breaking(t, middleware.Trip{Threshold: 2, Window: time.Second}, quiet)
		c.Send(work(1))
		<-time.After(time.Second) // out of the window
		c.Send(work(2))
		<-time.After(time.Second - 1)
		c.Send(work(3))
		is.Equal(c.Wait().Error(), "too many corrupt messages: 2 within 1s")
	})
}

func TestABreakerThatNeverTripsOnlyLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log bytes.Buffer
		c := breaking(t, middleware.Trip{Never: true}, slog.New(slog.NewTextHandler(&log, nil)))
		for i := range 50 {
			c.Send(work(i))
			is.Equal(c.Recv(), notValid(i))
		}
		is.NoErr(c.Close())
		is.Equal(strings.Count(log.String(), `msg="corrupt output" error="corrupt output: response`), 50) // one error each
		is.Equal(strings.Count(log.String(), "count=3"), 48)                                              // and keeps no more times than it needs
	})
}

func TestWithoutAGuardThereIsNothingToCount(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.Breaker(middleware.Trip{Threshold: 1}, quiet), handing(`{`), ping(1))
	is.Equal(got, []string{`{"jsonrpc":"2.0","id":1,"result":{}`})
}

func TestAnAnswerThatIsTooLargeIsLoggedAndDoesNotCount(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	stages := chain(middleware.OutputGuard(100), middleware.Breaker(middleware.Trip{Threshold: 2}, slog.New(slog.NewTextHandler(&log, nil))))
	large := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(strings.Repeat("x", 100))
	}
	got := pipetest.Chain(t, stages, large, ping(1), ping(2), ping(3))
	is.Equal(len(got), 3) // the server continues: nothing is broken
	is.True(strings.Contains(log.String(), `level=WARN msg="output too large" error="response 1 has 136 bytes, more than the limit of 100"`))
	is.Equal(strings.Count(log.String(), "output too large"), 3)
}
