package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Methods are the rows of the table, and the funcs that stages need. For a method that is not in
// the table all are false, but for Counted.
type Methods struct {
	rows map[string]*Method
}

// NewMethods returns a table of some rows.
func NewMethods(rows ...Method) *Methods {
	x := &Methods{rows: make(map[string]*Method, len(rows))}
	for _, m := range rows {
		x.Add(m)
	}
	return x
}

// Add adds a method to the table, or replaces it. It must not be called once the table is in use.
func (x *Methods) Add(m Method) { x.rows[m.Name] = &m }

// All returns the rows of the table, in no order.
func (x *Methods) All() iter.Seq[Method] {
	return func(yield func(Method) bool) {
		for _, m := range x.rows {
			if !yield(*m) {
				return
			}
		}
	}
}

// row returns the row of a method.
func (x *Methods) row(method string) *Method { return cmp.Or(x.rows[method], unlisted) }

// unlisted is the row of all methods that are not in the table.
var unlisted = &Method{Counted: true, Handle: pipeline.Mux(nil).Serve}

// Serve answers a message with the handler of its method, as a [pipeline.Mux] does.
func (x *Methods) Serve(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	return x.row(m.Method()).Handle(ctx, m)
}

// Knows reports whether a revision has a method for calls, or no revision has it. Notifications are
// not methods for calls.
func (x *Methods) Knows(r *mcp.Revision, method string) bool {
	return !isNotification(method) && x.row(method).Era.Has(r)
}

// Early reports whether a method is served before the session is ready.
func (x *Methods) Early(method string) bool { return x.row(method).Early }

// Counted reports whether calls of a method count towards the limit.
func (x *Methods) Counted(method string) bool { return x.row(method).Counted }

// Slow reports whether the handler of a call asks for a slot.
func (x *Methods) Slow(m *pipeline.Message) bool { return x.row(m.Method()).Slow }

// Limit returns how long a call may take: what its client asks for, or else what is usual. Tools get what is asked
// for as their own limit.
func (x *Methods) Limit(m *pipeline.Message) time.Duration {
	row := x.row(m.Method())
	if !row.Slow || row.Name == "tools/call" {
		return row.Limit
	}
	var p struct {
		TimeoutSecs json.RawMessage `json:"timeoutSecs"`
	}
	_ = json.Unmarshal(m.Params(), &p) // the handler reports faults
	if asked := askedTimeout(p.TimeoutSecs); asked != nil {
		return *asked
	}
	return row.Limit
}
