package middleware

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Recover answers a call whose handler panics with an internal error (T-29) and
// logs the panic with its stack.
//
// Without it the pipeline still answers and continues, but the stages around the handler do not see
// the answer.
func Recover(log *slog.Logger) pipeline.Middleware {
	log = cmp.Or(log, slog.Default())
	return pipeline.Middleware{
		Name: "recover",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (answer *pipeline.Message, err error) {
			defer func() {
				if r := recover(); r != nil {
					log.Error("panic", "method", m.Method(), "id", m.ID().String(), "panic", r, "stack", string(debug.Stack()))
					answer, err = nil, fmt.Errorf("%w: panic while handling %s; see the server's log", pipeline.ErrInternal,
						m.Method())
				}
			}()
			return next(ctx, m)
		},
	}
}
