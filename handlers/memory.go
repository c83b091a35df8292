package handlers

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Memory limits the memory that slow calls may use together until they are answered: calls with
// long params or output wait for it, in the order in which they ask. A call that needs more than
// the whole limit runs alone. A nil Memory has no limit. Several sessions may share one.
type Memory = budget.Budget

// NewMemory returns a Memory of the given number of bytes, nil for 0 or less.
func NewMemory(bytes int) *Memory { return budget.New(bytes) }

// longParams is the size in bytes from which params count.
const longParams = 256 << 10

// share returns a context with a share of the memory for a call, which is given back when the call
// has been answered. A call with long params waits for its share, since params are copied several
// times while they are read.
func (e Envelope) share(ctx context.Context, row Method, m *pipeline.Message) (context.Context, error) {
	if e.Memory == nil || !row.Slow || m.Kind() != pipeline.Call {
		return ctx, nil
	}
	share, ok := e.Memory.ShareOf(len(m.Line()))
	if !ok {
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: the waiting calls use too much memory; try again later")
	}
	share.Waits = func() func() { return pipeline.Waits(ctx) }
	pipeline.Afterwards(ctx, func(context.Context) { share.Release() })
	if n := len(m.Params()); n >= longParams {
		pipeline.Yield(ctx)
		if err := share.Reserve(ctx, 4*n+run.OutputMemory); err != nil {
			return nil, err
		}
	}
	return budget.With(ctx, share), nil
}

// detach returns a context for a run that may outlive the request of the context request: its
// memory is given back when the run has called release and the request is answered.
func (t Tools) detach(ctx, request context.Context) (_ context.Context, release func()) {
	if share := budget.Of(request).Own(); share != nil {
		return budget.With(ctx, share), share.Release
	}
	return t.Memory.With(ctx) // the request is answered, and no longer holds a share
}
