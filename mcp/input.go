package mcp

import "encoding/json"

// RetryParams are the members of a request that answers the questions of an [InputRequiredResult].
type RetryParams struct {
	InputResponses json.RawMessage `json:"inputResponses"` // an object, by the keys of the questions
	RequestState   json.RawMessage `json:"requestState"`   // a string, as the server sent it
}

// InputRequiredResult asks the client for input that is needed before a request can be answered
// (MR-02, MR-03).
type InputRequiredResult struct {
	InputRequests map[string]InputRequest `json:"inputRequests"`
	RequestState  string                  `json:"requestState"`
	Result
}

// An InputRequest is a request without an id: it is identified by its key.
type InputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitzero"`
}
