package mcp

import "encoding/json"

// ListenParams are the params of subscriptions/listen.
type ListenParams struct {
	Notifications *ListenFilter `json:"notifications"` // required (SL-04)
	Params
}

// A ListenFilter selects the changes that are reported on a stream.
type ListenFilter struct {
	Tools     bool     `json:"toolsListChanged,omitzero"`
	Prompts   bool     `json:"promptsListChanged,omitzero"`
	Resources bool     `json:"resourcesListChanged,omitzero"`
	URIs      []string `json:"resourceSubscriptions,omitzero"` // of resources whose contents are watched
	Tasks     []string `json:"taskIds,omitzero"`               // of the tasks extension
}

// KeySubscription is the key in the _meta of the notifications of a stream for its id: that of the
// subscriptions/listen that opened it (SL-02).
const KeySubscription = "io.modelcontextprotocol/subscriptionId"

// OfSubscription is the _meta of a notification of a stream.
type OfSubscription struct {
	Meta struct {
		Subscription json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
	} `json:"_meta"`
}

// Listened returns the _meta of notifications of the stream id.
func Listened(id json.RawMessage) (o OfSubscription) {
	o.Meta.Subscription = id
	return o
}

// AcknowledgedParams are the params of notifications/subscriptions/acknowledged: the part of the
// filter that is honoured.
type AcknowledgedParams struct {
	OfSubscription
	Notifications ListenFilter `json:"notifications"`
}
