package mcp

import "encoding/json"

// ListenParams are those of subscriptions/listen.
type ListenParams struct {
	Notifications *ListenFilter `json:"notifications"` // must be there (SL-04)
	Params
}

// A ListenFilter says which changes are told on a stream of them.
type ListenFilter struct {
	Tools     bool     `json:"toolsListChanged,omitzero"`
	Prompts   bool     `json:"promptsListChanged,omitzero"`
	Resources bool     `json:"resourcesListChanged,omitzero"`
	URIs      []string `json:"resourceSubscriptions,omitzero"` // of resources whose contents are watched
	Tasks     []string `json:"taskIds,omitzero"`               // of the tasks extension
}

// KeySubscription is where notifications of a stream name it in their _meta: by
// the id of the subscriptions/listen that opened it (SL-02).
const KeySubscription = "io.modelcontextprotocol/subscriptionId"

// OfSubscription are the _meta of a notification of a stream.
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

// AcknowledgedParams are those of notifications/subscriptions/acknowledged: what
// of the filter is honoured.
type AcknowledgedParams struct {
	OfSubscription
	Notifications ListenFilter `json:"notifications"`
}
