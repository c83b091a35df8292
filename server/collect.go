package server

import (
	"context"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A runCall runs the call of a tool.
type runCall = func(context.Context, run.Call) (*mcp.CallToolResult, error)

// collect makes calls send their progress and log notifications all at once, just before the
// result.
func collect(call runCall) runCall {
	return func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
		var later collection
		progress, log := c.Progress, c.Log
		c.Progress = func(_ context.Context, p mcp.ProgressParams) error {
			later.add(func() { _ = progress(ctx, p) })
			return nil
		}
		c.Log = func(_ context.Context, p mcp.LogParams) error { later.add(func() { _ = log(ctx, p) }); return nil }
		result, err := call(ctx, c)
		later.flush(func(left int) {
			_ = log(ctx, mcp.LogParams{
				Level:  mcp.Warning,
				Logger: "mcp-bash",
				Data: fmt.Sprintf("%d notifications omitted: MCPBASH_ENABLE_LIVE_PROGRESS=false keeps the first %d and the "+
					"last %[2]d of a call", left, endsKept),
			})
		})
		return result, err
	}
}

// endsKept is how many notifications of a call are kept from its beginning, and from its end:
// together no more than the default rate limit of a minute.
const endsKept = 50

// A collection holds notifications to send later, the first and the last ones: those in the middle
// are left out. The zero value is empty.
type collection struct {
	first, last []func()
	left        int // how many are left out
}

func (c *collection) add(tell func()) {
	if len(c.first) < endsKept {
		c.first = append(c.first, tell)
	} else if c.last = append(c.last, tell); len(c.last) > endsKept {
		c.last = c.last[1:]
		c.left++
	}
}

// flush sends all that was kept, in order, and calls leftOut with the number of missing ones, at
// their place.
func (c *collection) flush(leftOut func(n int)) {
	for _, tell := range c.first {
		tell()
	}
	if c.left > 0 {
		leftOut(c.left)
	}
	for _, tell := range c.last {
		tell()
	}
}
