package mcptest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A conversation is the state of a stream that is needed to judge the next line of the server.
type conversation struct {
	all     revisions
	session *revision             // nil until initialize is answered
	client  map[string]json.Value // capabilities of the session
	logs    bool                  // the server has declared log messages to it
	asked   map[string][]*request // unanswered requests, by id
	tokens  map[string][]*request // by progress token
	reached map[string]float64    // progress, by token
	listens map[string]bool       // by id, whether it was acknowledged
	own     map[string]bool       // ids of the server's requests
}

func newConversation(all revisions) *conversation {
	return &conversation{
		all:     all,
		asked:   make(map[string][]*request),
		tokens:  make(map[string][]*request),
		reached: make(map[string]float64),
		listens: make(map[string]bool),
		own:     make(map[string]bool),
	}
}

// A request is a request of the client.
type request struct {
	id, method string
	modern     bool
	answered   bool
	task       bool                  // it asks for a task, as in 2025-11-25
	logs       bool                  // it asks for log messages
	client     map[string]json.Value // capabilities that it declares
}

// An envelope is the members that all messages share.
type envelope struct {
	ID     json.Value `json:"id"`
	Method string     `json:"method"`
	Params json.Value `json:"params"`
}

const reserved = "io.modelcontextprotocol/"

// in records what the client sends. Unreadable lines are left to the server to refuse.
func (c *conversation) in(line []byte) {
	line = bytes.Trim(bytes.TrimPrefix(line, []byte("\ufeff")), " \t\r")
	var several []json.Value
	if json.Unmarshal(line, &several, json.Lenient) != nil {
		several = []json.Value{line}
	}
	for _, item := range several {
		var m struct {
			ID     json.Value `json:"id"`
			Method json.Value `json:"method"`
			Params json.Value `json:"params"`
			Result json.Value `json:"result"`
			Error  json.Value `json:"error"`
		}
		if json.Unmarshal(item, &m, json.Lenient) == nil && (m.Method != nil || m.Result == nil && m.Error == nil) {
			c.remember(envelope{m.ID, strings.Trim(string(m.Method), `"`), m.Params})
		}
	}
}

// remember remembers a request. One without a method is refused under its id.
func (c *conversation) remember(m envelope) {
	if m.ID.Kind() != '"' && m.ID.Kind() != '0' {
		return
	}
	var p struct {
		Meta         map[string]json.Value `json:"_meta"`
		Capabilities map[string]json.Value `json:"capabilities"`
		Task         json.Value            `json:"task"`
	}
	json.Unmarshal(m.Params, &p, json.Lenient)
	r := &request{id: key(m.ID), method: m.Method, task: p.Task != nil, client: p.Capabilities}
	for _, key := range []string{"protocolVersion", "clientCapabilities", "clientInfo", "logLevel"} {
		r.modern = r.modern || p.Meta[reserved+key] != nil
	}
	if r.modern {
		r.client, r.logs = nil, p.Meta[reserved+"logLevel"] != nil
		json.Unmarshal(p.Meta[reserved+"clientCapabilities"], &r.client, json.Lenient)
	}
	c.asked[r.id] = append(c.asked[r.id], r)
	if token := p.Meta["progressToken"]; token != nil {
		c.tokens[key(token)] = append(c.tokens[key(token)], r)
		delete(c.reached, key(token))
	}
	if m.Method == "subscriptions/listen" {
		c.listens[r.id] = false
	}
}

// answered forgets a request that has been answered.
func (c *conversation) answered(r *request) {
	r.answered = true
	c.asked[r.id] = slices.DeleteFunc(c.asked[r.id], func(other *request) bool { return other == r })
}

// legacy returns the revision of messages without the keys of modern ones.
func (c *conversation) legacy() *revision {
	if c.session != nil {
		return c.session
	}
	return c.all.newest()
}

// revisionOf returns the revision of the answer to a request.
func (c *conversation) revisionOf(r *request) *revision {
	if r.modern {
		return c.all.modern()
	}
	return c.legacy()
}

// logging reports whether a request that asks for log messages is open.
func (c *conversation) logging() bool {
	for _, open := range c.asked {
		if slices.ContainsFunc(open, func(r *request) bool { return r.modern && r.logs }) {
			return true
		}
	}
	return false
}

// either returns no fault if the value is valid in one of the revisions, else those of the first.
func either(all []*revision, find func(*revision) []string) (faults []string) {
	for i, r := range all {
		found := find(r)
		if len(found) == 0 {
			return nil
		}
		if i == 0 {
			faults = found
		}
	}
	return faults
}

// key makes a map key of an id or a token: 1 and "1" differ, "a" and "\u0061" do not.
func key(v json.Value) string {
	var text string
	if v.Kind() != '"' || json.Unmarshal(v, &text, json.Lenient) != nil {
		return string(v)
	}
	return `"` + text
}

// extension reports whether a method is an extension of ours, which the protocol does not have.
func extension(method string) bool { return method == "shutdown" || method == "exit" }

// declares reports whether capabilities have a key, or a key below it, as in
// "extensions/io.modelcontextprotocol/tasks".
func declares(capabilities map[string]json.Value, key string) bool {
	first, rest, deeper := strings.Cut(key, "/")
	value, ok := capabilities[first]
	if !ok || !deeper {
		return ok
	}
	var below map[string]json.Value
	json.Unmarshal(value, &below)
	return below[rest] != nil
}
