package round

import (
	"context"
	"encoding/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A Client is who a conversation asks, as its request tells what it can do.
type Client interface {
	// Question returns the params of a question in the words of the client's
	// revision, or why it cannot be asked.
	Question(sdk.Question) (json.RawMessage, error)
	// Supports reports whether it has a capability, by the name that scripts use.
	Supports(capability string) bool
}

// A Request is one that a conversation is served by.
type Request struct {
	Context context.Context
	Client  Client
	Token   json.RawMessage // for progress; nil: its client wants none
}

// Detach says that the conversation is served by no request. When it returns,
// nothing is told in the name of the last one any more.
func (c *Conversation) Detach() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.request = nil
}

// Tell calls tell with the request that the conversation is served by now.
// Between requests the client is told nothing.
func (c *Conversation) Tell(tell func(Request)) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.request != nil {
		tell(*c.request)
	}
}
