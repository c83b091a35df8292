package middleware

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestNoCountOutlivesItsCall(t *testing.T) {
	is := is.New(t)
	var counts []weak.Pointer[output]
	flood := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		counts = append(counts, weak.Make(ctx.Value(outputKey{}).(*output)))
		for range 5 {
			pipeline.From(ctx).Notify(ctx, "notifications/progress", nil)
		}
		return m.Answer(nil)
	}
	c := pipetest.Start(t, []pipeline.Middleware{RateLimit(pipeline.MCP, Rates{Progress: 2})}, flood, pipeline.Options{})
	for i := range 100 {
		c.Call(i, "flood", "")
		is.Equal(c.Recv()+c.Recv(), strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/progress"}`, 2))
		is.Equal(c.Recv(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	runtime.GC()
	is.Equal(len(counts), 100)
	for _, count := range counts {
		is.True(count.Value() == nil) // freed while the pipeline still runs
	}
}
