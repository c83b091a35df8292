package mcptest

import (
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// notifications are the definitions of the server's notifications, by method.
var notifications = map[string]string{
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/cancelled":                  "CancelledNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
	"notifications/elicitation/complete":       "ElicitationCompleteNotification",
	"notifications/tasks/status":               "TaskStatusNotification",
}

// named is what the params of a notification refer to.
type named struct {
	Meta          map[string]json.Value `json:"_meta"`
	ProgressToken json.Value            `json:"progressToken"`
	Progress      float64               `json:"progress"`
	RequestID     json.Value            `json:"requestId"`
}

// notification checks a notification of the server.
func (c *conversation) notification(m map[string]any, e envelope) []string {
	var p named
	json.Unmarshal(e.Params, &p, json.Lenient)
	if id := p.Meta[reserved+"subscriptionId"]; id != nil {
		return c.checkSubscription(m, e.Method, key(id))
	}
	switch e.Method {
	case "notifications/progress":
		return c.progress(m, key(p.ProgressToken), p.Progress)
	case "notifications/message":
		return c.log(m)
	case "notifications/cancelled":
		return c.cancelled(m, key(p.RequestID))
	case "notifications/subscriptions/acknowledged", "notifications/tasks":
		return []string{"SL-02: no subscriptionId"}
	}
	if c.session == nil {
		return []string{"B-09: neither a session nor a stream has asked for it"}
	}
	return c.checkParams(c.session, m)
}

// checkParams checks a notification against its definition.
func (c *conversation) checkParams(r *revision, m map[string]any) []string {
	definition := notifications[m["method"].(string)]
	if definition == "" {
		return []string{fmt.Sprintf("no revision has %s", m["method"])}
	}
	return append(r.validate("JSONRPCNotification", m), c.check(r, definition, m)...)
}

// checkSubscription checks a notification on the stream of a listen request.
func (c *conversation) checkSubscription(m map[string]any, method, id string) []string {
	acknowledged, open := c.listens[id]
	first := method == "notifications/subscriptions/acknowledged"
	switch {
	case !open:
		return []string{"SL-02: no listen request has this subscriptionId"}
	case first == acknowledged:
		return []string{"SL-01: a stream begins with its acknowledgement, and has one"}
	case method == "notifications/progress", method == "notifications/message":
		return []string{"SL-09: not allowed on a stream"}
	}
	c.listens[id] = true
	if method == "notifications/tasks" {
		params, _ := m["params"].(map[string]any)
		return task(params)
	}
	return c.checkParams(c.all.modern(), m)
}

// progress checks that the token is that of an open request and the progress increases.
func (c *conversation) progress(m map[string]any, token string, now float64) []string {
	var open []*revision
	for _, r := range c.tokens[token] {
		if !r.answered {
			open = append(open, c.revisionOf(r))
		}
	}
	if len(open) == 0 {
		return []string{"P-01, P-04: no open request has this progress token"}
	}
	var faults []string
	if before, ok := c.reached[token]; ok && now <= before {
		faults = append(faults, "P-02: progress that does not increase")
	}
	c.reached[token] = now
	return append(faults, either(open, func(r *revision) []string { return c.checkParams(r, m) })...)
}

// log checks a log message. It must belong to a session whose server has declared logging, or to a
// modern request that asks for log messages.
func (c *conversation) log(m map[string]any) []string {
	var may []*revision
	if c.session != nil && c.logs {
		may = append(may, c.session)
	}
	if c.logging() {
		may = append(may, c.all.modern())
	}
	if len(may) == 0 {
		return []string{"LG-01, LG-05: no session has declared logging, and no request asks for log messages"}
	}
	return either(may, func(r *revision) []string { return c.checkParams(r, m) })
}

// cancelled checks a cancellation by the server: of a request of its own, or of the stream of a
// listen request.
func (c *conversation) cancelled(m map[string]any, id string) []string {
	_, listens := c.listens[id]
	switch {
	case c.own[id]:
		return c.checkParams(c.session, m)
	case listens:
		return c.checkParams(c.all.modern(), m)
	}
	return []string{"X-05, X-06: neither a request of the server nor a listen request has this id"}
}
