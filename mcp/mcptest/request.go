package mcptest

import "fmt"

// requests are the definitions of the server's requests, by method.
var requests = map[string]string{
	"ping":                   "PingRequest",
	"roots/list":             "ListRootsRequest",
	"sampling/createMessage": "CreateMessageRequest",
	"elicitation/create":     "ElicitRequest",
}

// needs is the capability that a client must have declared to be asked.
var needs = map[string]string{
	"elicitation/create":     "elicitation",
	"sampling/createMessage": "sampling",
	"roots/list":             "roots",
}

// request checks a request of the server to the client, which is allowed only in a session.
func (c *conversation) request(m map[string]any, e envelope) []string {
	id := key(e.ID)
	switch {
	case c.session == nil:
		return []string{"S-12: a request of the server without a session"}
	case c.own[id]:
		return []string{"J-05: an id that the server has used before"}
	case requests[e.Method] == "":
		return []string{"no revision has a request " + e.Method + " of servers"}
	}
	c.own[id] = true
	var faults []string
	if key := needs[e.Method]; key != "" && !declares(c.client, key) {
		faults = append(faults, fmt.Sprintf("RO-01, EL-01, SA-01: the client does not declare %s", key))
	}
	faults = append(faults, c.session.validate("JSONRPCRequest", m)...)
	return append(faults, c.check(c.session, requests[e.Method], m)...)
}
