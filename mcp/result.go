package mcp

// Result is the members that every result may have. They are those of stateless revisions, except
// for Meta: results of a session have no others.
type Result struct {
	Meta       map[string]any `json:"_meta,omitzero"`
	ResultType ResultType     `json:"resultType,omitzero"` // N-08
	TTL        *int64         `json:"ttlMs,omitzero"`      // milliseconds that the result may be kept (CA-01)
	CacheScope CacheScope     `json:"cacheScope,omitzero"` // who may keep it
}

// A ResultType is the kind of a result.
type ResultType string

const (
	Complete      ResultType = "complete"
	InputRequired ResultType = "input_required" // questions to the client; see InputRequiredResult
	TaskCreated   ResultType = "task"           // the call continues as a task
)

// A CacheScope is who may cache a result.
type CacheScope string

const (
	Public  CacheScope = "public"
	Private CacheScope = "private"
)

// Envelope returns the members of every result, to be filled in.
func (r *Result) Envelope() *Result { return r }

// Enveloped is a result of any method.
type Enveloped interface{ Envelope() *Result }

// Empty is a result without members of its own.
type Empty struct{ Result }

// SetMeta sets a member of _meta.
func (r *Result) SetMeta(key string, value any) {
	if r.Meta == nil {
		r.Meta = make(map[string]any)
	}
	r.Meta[key] = value
}
