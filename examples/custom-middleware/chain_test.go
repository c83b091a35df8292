package custom_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	custom "github.com/mcp-bash/mcp-bash/v2/examples/custom-middleware"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// chain returns the end of the usual chain, with one more stage.
func chain(log *slog.Logger) []pipeline.Middleware {
	slow := func(m *pipeline.Message) bool { return m.Method() == "tools/call" }
	return []pipeline.Middleware{
		middleware.Sanitize(),
		middleware.Cancel(pipeline.MCP, slog.New(slog.DiscardHandler)),
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
		is.Equal(len(c.Written()), 0) // the client gets no answer
		is.Equal(log.String(), "level=INFO msg=\"tool called\" outcome=cancelled tool=hang id=1 took=0s\n")
	})
}

func TestAboveWorkersItCountsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log strings.Builder
		c := pipetest.Start(t, chain(plain(&log)), tools, pipeline.Options{})
		c.Send(call(1, "hang"), call(2, "work"))
		c.Send(call(3, "work")) // the only waiting slot is occupied
		is.NoErr(c.Close())
		lines := strings.Split(log.String(), "\n")
		is.Equal(lines[0], `level=INFO msg="tool called" outcome=refused error="Server busy: 1 calls are waiting; try again later" tool=work id=3 took=0s`)
		slices.Sort(lines[1:3]) // the second begins when the first has released its slot, perhaps before the first is logged
		is.Equal(lines[1], `level=INFO msg="tool called" outcome=ok tool=hang id=1 took=1m30s`)
		is.Equal(lines[2], `level=INFO msg="tool called" outcome=ok tool=work id=2 took=1m30s`)
	})
}
