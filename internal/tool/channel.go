package tool

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// openChannel opens the channel by which the tool's SDK reaches the server.
func (r *Runtime) openChannel(ctx context.Context, c Call, f *folder, l *listener) (*sdk.Channel, error) {
	call := sdk.Call{
		Dir:  f.path,
		Args: c.Arguments,
		Meta: c.Meta,
		Progress: func(_ context.Context, p mcp.ProgressParams) error {
			l.progress(p)
			return nil
		},
		Alive: l.clock.progress,
		Log: func(_ context.Context, p mcp.LogParams) error {
			l.message(p)
			return nil
		},
		Roots: func(ctx context.Context) ([]string, error) {
			known := c.Roots
			if c.AskRoots != nil {
				l.clock.hold()
				defer l.clock.release()
				known = c.AskRoots(ctx)
			}
			paths := make([]string, len(known))
			for i, root := range known {
				paths[i] = root.Path
			}
			return paths, nil
		},
		Patient:  c.Patient,
		Supports: c.Supports,

		MissingCapability: c.MissingCapability,
	}
	if c.Ask != nil {
		call.Ask = func(ctx context.Context, questions ...sdk.Question) []sdk.Answer {
			l.clock.hold()
			defer l.clock.release()
			return c.Ask(ctx, questions...)
		}
	}
	return r.SDK.Open(ctx, call)
}
