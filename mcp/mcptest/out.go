package mcptest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// out returns what is wrong with a line of the server.
func (c *conversation) out(line []byte) []string {
	if !utf8.Valid(line) {
		return []string{"J-26: not UTF-8"}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return []string{"S-02: not JSON: " + err.Error()}
	}
	switch doc := doc.(type) {
	case map[string]any:
		return c.message(doc, line)
	case []any:
		return c.batch(doc, line)
	}
	return []string{"J-01: not an object"}
}

// batch checks answers in an array.
func (c *conversation) batch(members []any, line []byte) (faults []string) {
	if !c.legacy().batches {
		return []string{"J-23: " + c.legacy().version + " has no arrays"}
	}
	faults = c.legacy().validate("JSONRPCBatchResponse", members)
	var texts []json.Value
	if err := json.Unmarshal(line, &texts, json.Lenient); err != nil {
		return append(faults, err.Error())
	}
	for i, member := range members {
		object, _ := member.(map[string]any)
		faults = append(faults, c.message(object, texts[i])...)
	}
	return faults
}

func (c *conversation) message(m map[string]any, line []byte) []string {
	var e envelope
	if err := json.Unmarshal(line, &e, json.Lenient); err != nil {
		return []string{"J-01: " + err.Error()}
	}
	_, hasID := m["id"]
	_, hasMethod := m["method"]
	_, hasResult := m["result"]
	_, hasError := m["error"]
	switch {
	case m["jsonrpc"] != "2.0":
		return []string{"J-01: jsonrpc is not 2.0"}
	case hasID && m["id"] == nil:
		return []string{"J-14: the id is null; leave it out"}
	case hasMethod && (hasResult || hasError):
		return []string{"J-08: a method beside a result or an error"}
	case hasMethod && hasID:
		return c.request(m, e)
	case hasMethod:
		return c.notification(m, e)
	case hasResult == hasError:
		return []string{"J-08: exactly one of result and error"}
	case !hasID && hasResult:
		return []string{"J-02: a result without an id"}
	case !hasID:
		return c.unattributed(m)
	}
	return c.response(m, key(e.ID))
}

// unattributed checks an error response without an id.
func (c *conversation) unattributed(m map[string]any) []string {
	return either([]*revision{c.legacy(), c.all.modern()}, func(r *revision) []string { return c.failure(r, m) })
}

// response checks an answer. If several requests are open under its id, it may answer any of them.
func (c *conversation) response(m map[string]any, id string) (faults []string) {
	open := c.asked[id]
	if len(open) == 0 {
		return []string{"J-02: no request with this id is open"}
	}
	for i, r := range open {
		found := c.answer(r, m)
		if len(found) == 0 {
			c.answered(r)
			return nil
		}
		if i == 0 {
			faults = found
		}
	}
	c.answered(open[0])
	return faults
}

func (c *conversation) answer(r *request, m map[string]any) []string {
	revision := c.revisionOf(r)
	if _, failed := m["error"]; failed {
		return c.failure(revision, m)
	}
	if r.method == "initialize" && !r.modern {
		return c.open(r, m)
	}
	return c.result(revision, r, m)
}

// open checks the answer that opens the session.
func (c *conversation) open(r *request, m map[string]any) []string {
	result, _ := m["result"].(map[string]any)
	revision := c.all.named(result["protocolVersion"])
	if revision == nil {
		return []string{fmt.Sprintf("L-02: unknown protocolVersion %v", result["protocolVersion"])}
	}
	if c.session != nil {
		return []string{"L-08: the session is already open"}
	}
	c.session, c.client = revision, r.client
	capabilities, _ := result["capabilities"].(map[string]any)
	_, c.logs = capabilities["logging"]
	return c.result(revision, r, m)
}

// failure checks an error response under revision r.
func (c *conversation) failure(r *revision, m map[string]any) []string {
	if m["id"] == nil && r.idRequired { // J-15
		m = with(m, "id", "")
	}
	faults := r.validate(r.failure, withWholeID(m))
	if len(faults) > 0 {
		return faults
	}
	return append(r.code(m), c.all.foreignMembers(r, r.failure, m)...)
}

// withWholeID replaces an id that is a number with a fraction, which no schema allows. The server
// returns it as it was sent, since the client waits for it.
func withWholeID(m map[string]any) map[string]any {
	if n, ok := m["id"].(json.Number); ok && strings.ContainsAny(n.String(), ".eE") {
		return with(m, "id", 0)
	}
	return m
}

// with returns a copy of m with one member set.
func with(m map[string]any, name string, value any) map[string]any {
	other := map[string]any{name: value}
	for k, v := range m {
		if k != name {
			other[k] = v
		}
	}
	return other
}
