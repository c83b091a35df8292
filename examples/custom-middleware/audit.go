// Package custom shows what a fork of mcp-bash adds: a stage in one file, its
// test beside it, and a line in the chain.
package custom

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Audit returns a stage that logs each call of a tool when it has ended: the tool,
// the outcome and the duration. Arguments and output are not logged: they may be
// secret.
//
// The outcome is "ok", "failed" if the result is an error of the tool, "cancelled",
// or "refused" if the client gets an error response, which is logged too.
//
// It belongs below cancel, to see which calls are cancelled, and above workers, to
// include the time that a call waits.
//
// Without it there is no record of what a model has done.
func Audit(log *slog.Logger) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "audit",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call || m.Method() != "tools/call" {
				return next(ctx, m)
			}
			began := time.Now()
			answer, err := next(ctx, m)
			log.LogAttrs(ctx, slog.LevelInfo, "tool called", append(outcome(answer, err),
				slog.String("tool", tool(m)),
				slog.String("id", m.ID().String()),
				slog.Duration("took", time.Since(began)),
			)...)
			return answer, err
		},
	}
}

// tool returns the name of the called tool, "" for none.
func tool(m *pipeline.Message) string {
	var p struct {
		Name string `json:"name"`
	}
	m.Decode(&p) // errors are left to the handler
	return p.Name
}

// outcome returns how a call ended, as attributes for the log.
func outcome(answer *pipeline.Message, err error) []slog.Attr {
	if err == nil && answer.Fault() != nil {
		err = answer.Fault()
	}
	switch {
	case errors.Is(err, middleware.ErrCancelled):
		return []slog.Attr{slog.String("outcome", "cancelled")}
	case err != nil:
		return []slog.Attr{slog.String("outcome", "refused"), slog.String("error", pipeline.WireError(err).Message)}
	}
	var result struct {
		IsError bool `json:"isError"`
	}
	if json.Unmarshal(answer.Result(), &result) == nil && result.IsError {
		return []slog.Attr{slog.String("outcome", "failed")}
	}
	return []slog.Attr{slog.String("outcome", "ok")}
}
