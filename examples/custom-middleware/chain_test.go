package custom_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	custom "github.com/mcp-bash/mcp-bash/v2/examples/custom-middleware"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// chain is the end of the list in server/chain.go, with one line more.
func chain(log *slog.Logger) []pipeline.Middleware {
	slow := func(m *pipeline.Message) bool { return m.Method() == "tools/call" }
	return []pipeline.Middleware{
		middleware.Sanitize(),
		middleware.Cancel(slog.New(slog.DiscardHandler)),
		custom.Audit(log),
		middleware.Workers(middleware.NewSlots(1, 1), slow, nil),
		middleware.Recover(slog.New(slog.DiscardHandler)),
	}
}

func TestBelowCancelItKnowsOfCancelledCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log strings.Builder
		c := pipetest.Start(t, chain(plain(&log)), tools, pipeline.Options{})
		c.Send(call(1, "hang"))
		synctest.Wait()
		c.Notify("notifications/cancelled", `{"requestId":1}`)
		is.NoErr(c.Close())
		is.Equal(len(c.Written()), 0) // the client is told nothing
		is.Equal(log.String(), "level=INFO msg=\"tool called\" outcome=cancelled tool=hang id=1 took=0s\n")
	})
}

func TestAboveWorkersItCountsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log strings.Builder
		c := pipetest.Start(t, chain(plain(&log)), tools, pipeline.Options{})
		c.Send(call(1, "hang"), call(2, "work"))
		c.Send(call(3, "work")) // the one place to wait in is taken
		is.NoErr(c.Close())
		is.Equal(log.String(), `level=INFO msg="tool called" outcome=refused error="Server busy: 1 calls are waiting; try again later" tool=work id=3 took=0s
level=INFO msg="tool called" outcome=ok tool=hang id=1 took=1m30s
level=INFO msg="tool called" outcome=ok tool=work id=2 took=1m30s
`)
	})
}
