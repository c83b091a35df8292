package middleware_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// The line behind a cancellation is served when the cancellation was handled,
// so nothing that the call causes may leave behind the answer to that line.
func TestAnAnswerThatRacesWithItsCancellationIsSentBeforeOrNever(t *testing.T) {
	is := is.New(t)
	talkative := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Method() == "ping" {
			return m.Answer(nil)
		}
		pipeline.Yield(ctx)
		for range rand.IntN(5) {
			pipeline.From(ctx).Notify(ctx, "note", map[string]string{"of": m.ID().String()})
			runtime.Gosched()
		}
		return m.Answer(nil)
	}
	c := pipetest.Start(t, chain(middleware.Cancel(pipeline.MCP, quiet)), talkative, pipeline.Options{})
	answers := 0
	for i := range 1000 {
		id := fmt.Sprintf("work-%d.", i)
		end := fmt.Sprintf("ping-%d.", i)
		c.Send(pipetest.Call(id, "work", ""), cancelled(id), ping(end))
		answered := false
		for line := c.Recv(); line != pong(end); line = c.Recv() {
			is.True(strings.Contains(line, id)) // not from a call that was cancelled before
			is.True(!answered)                  // and not after its answer
			answered = line == pong(id)
		}
		if answered {
			answers++
		}
	}
	is.NoErr(c.Close())
	is.Equal(len(c.Written()), 0) // nor later
	t.Logf("%d of 1000 were answered before they were cancelled", answers)
}
