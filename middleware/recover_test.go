package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleRecover() {
	log := slog.New(slog.DiscardHandler)
	careless := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		tools := strings.Fields("")
		return m.Answer(tools[0]) // panics: index out of range
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Recover(log)}, careless, `{"jsonrpc":"2.0","id":1,"method":"work"}`)
	// Output: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: panic while handling work; see the server's log"}}
}

func panicked(id any) string {
	return refusal(id, -32603, "internal error: panic while handling panic; see the server's log")
}

func TestAPanicIsAnsweredWithTheIDAndTheServerGoesOn(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.Recover(quiet), methods().Serve,
		pipetest.Call(7, "panic", ""), ping(1), pipetest.Call("x", "panic", ""), pipetest.Notification("panic", ""), ping(2))
	is.Equal(got, []string{panicked(7), pong(1), panicked("x"), pong(2)}) // a notification is not answered
}

func TestAPanicIsLoggedWithItsStack(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	pipetest.In(t, middleware.Recover(slog.New(slog.NewTextHandler(&log, nil))), methods().Serve, pipetest.Call(7, "panic", ""))
	is.Equal(strings.Count(log.String(), "level=ERROR"), 1)               // once
	is.True(strings.Contains(log.String(), "method=panic id=7 panic=oh")) // the method and the panic
	is.True(strings.Contains(log.String(), "helper_test.go"))             // and the stack
}

func TestTheClientDoesNotSeeThePanic(t *testing.T) {
	is := is.New(t)
	secret := func(context.Context, *pipeline.Message) (*pipeline.Message, error) { panic("token abc123") }
	got := pipetest.In(t, middleware.Recover(quiet), secret, ping(1))
	is.Equal(len(got), 1)
	is.True(!strings.Contains(got[0], "abc123")) // with any value
}

func TestOuterStagesSeeAPanicAsAnError(t *testing.T) {
	is := is.New(t)
	var seen error
	look := pipeline.Middleware{Name: "look", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		answer, err := next(ctx, m)
		seen = err
		return answer, err
	}}
	pipetest.Chain(t, chain(look, middleware.Recover(quiet)), panicking, ping(1))
	is.True(errors.Is(seen, pipeline.ErrInternal))
}

func TestPanicsInABatchAreAnsweredEach(t *testing.T) {
	is := is.New(t)
	got := pipetest.Chain(t, chain(allowing(), middleware.Recover(quiet)), methods().Serve,
		batch(pipetest.Call(1, "panic", ""), ping(2), pipetest.Call(3, "panic", ""), pipetest.Notification("panic", "")), ping(4))
	is.Equal(got, []string{panicked(1), pong(2), panicked(3), pong(4)})
}

func TestAPanicAfterYieldingIsAnsweredToo(t *testing.T) {
	is := is.New(t)
	late := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Yield(ctx)
		panic(fmt.Errorf("oh"))
	}
	got := pipetest.In(t, middleware.Recover(quiet), late, pipetest.Call(1, "panic", ""))
	is.Equal(got, []string{panicked(1)})
}
