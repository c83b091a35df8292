// Package custom is what a fork of mcp-bash adds: one stage in one file, its
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

// Audit logs each call of a tool when it is over: which tool, how it ended and
// how long it took. Arguments and output are not logged: they may be secret.
//
// The outcome is "ok", "failed" where the result tells an error, "cancelled", or
// "refused" where the client reads an error, which is logged too.
//
// It belongs below cancel, to know of cancelled calls, and above workers, to
// count the time that a call waits.
//
// Without it nobody can tell afterwards what a model has done.
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

// tool reads the name of the tool that is called, "" for none.
func tool(m *pipeline.Message) string {
	var p struct {
		Name string `json:"name"`
	}
	m.Decode(&p) // what is wrong with it is for the handler to say
	return p.Name
}

// outcome says how a call ended.
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
