package handlers

import (
	"context"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// isNotification reports whether a method is a notification, by the naming of the protocol.
func isNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }

// checkKind returns a handler that accepts only the kind of message that its method is: a
// notification with an id is not a method (J-11), and a request without one is ignored, as its
// client could not get the answer (J-10).
func (m Method) checkKind(h pipeline.Handler) pipeline.Handler {
	kind := pipeline.Call
	if isNotification(m.Name) {
		kind = pipeline.Notification
	}
	return func(ctx context.Context, o *pipeline.Message) (*pipeline.Message, error) {
		switch {
		case o.Kind() == kind:
			return h(ctx, o)
		case o.Kind() == pipeline.Call:
			return nil, pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "Method not found: %s is a notification, which has no id",
				m.Name)
		}
		return nil, nil
	}
}
