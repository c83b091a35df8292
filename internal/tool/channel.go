package tool

import (
	"context"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/sdk"
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
		Log: func(_ context.Context, p mcp.LogParams) error {
			l.message(p)
			return nil
		},
		Roots: func(context.Context) ([]string, error) {
			paths := make([]string, len(c.Roots))
			for i, root := range c.Roots {
				paths[i] = root.Path
			}
			return paths, nil
		},
		Ask: c.Ask,
		UI:  c.UI,
	}
	return r.SDK.Open(ctx, call)
}
