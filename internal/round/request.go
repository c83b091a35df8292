package round

import (
	"context"
	"encoding/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A Client is the client that a conversation asks, with the capabilities of its request.
type Client interface {
	// Question returns the params of a question in the client's revision, or why the client cannot
	// be asked it.
	Question(sdk.Question) (json.RawMessage, error)
	// Supports reports whether it has a capability, by the name that scripts use.
	Supports(capability string) bool
}

// A Request is a request that serves a conversation.
type Request struct {
	Context context.Context
	Client  Client
	Token   json.RawMessage // for progress; nil: its client does not want any
}

// Detach leaves the conversation without a request. After it has returned, nothing is sent on
// behalf of the last one.
func (c *Conversation) Detach() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.request = nil
}

// Tell calls tell with the current request of the conversation. Between requests it does nothing.
func (c *Conversation) Tell(tell func(Request)) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.request != nil {
		tell(*c.request)
	}
}
