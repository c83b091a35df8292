package handlers

import (
	"context"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// isNotification reports whether a method is a notification, as the protocol names
// them.
func isNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }

// ofItsKind is a handler that takes only what its method is: a notification that
// has an id is not a method (J-11), and a request without one is ignored, for its
// client could not know what came of it (J-10).
func (m Method) ofItsKind(h pipeline.Handler) pipeline.Handler {
	kind := pipeline.Call
	if isNotification(m.Name) {
		kind = pipeline.Notification
	}
	return func(ctx context.Context, o *pipeline.Message) (*pipeline.Message, error) {
		switch {
		case o.Kind() == kind:
			return h(ctx, o)
		case o.Kind() == pipeline.Call:
			return nil, pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "Method not found: %s is a notification, which has no id", m.Name)
		}
		return nil, nil
	}
}
