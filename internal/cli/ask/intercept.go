package ask

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
)

// Intercept asks an interceptor and prints its result.
func (a *Client) Intercept(ctx context.Context, q interceptor.Question) error {
	result, err := q.Put(ctx, a.Server.Call)
	if err != nil {
		return err
	}
	return a.raw(result)
}
