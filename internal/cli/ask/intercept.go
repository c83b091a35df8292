package ask

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
)

// Intercept asks an interceptor and prints its result.
func (a *Client) Intercept(ctx context.Context, q interceptor.Question) error {
	params := map[string]any{"name": q.Name, "event": q.Event, "phase": q.Phase, "payload": q.Payload}
	if len(q.Config) > 0 {
		params["config"] = q.Config
	}
	result, err := a.Server.Call(ctx, interceptor.MethodInvoke, params)
	if err != nil {
		return err
	}
	return a.raw(result)
}
