package mcp

// Result is what every result can say. Its members are those of stateless
// revisions, but for Meta: results of a session have no others.
type Result struct {
	Meta       map[string]any `json:"_meta,omitzero"`
	ResultType ResultType     `json:"resultType,omitzero"` // N-08
	TTL        *int64         `json:"ttlMs,omitzero"`      // milliseconds that the result may be kept (CA-01)
	CacheScope CacheScope     `json:"cacheScope,omitzero"` // by whom
}

// A ResultType says what a result is.
type ResultType string

const (
	Complete      ResultType = "complete"
	InputRequired ResultType = "input_required" // the client is asked; see InputRequiredResult
	TaskCreated   ResultType = "task"           // the call goes on as a task
)

// A CacheScope says who may keep a result.
type CacheScope string

const (
	Public  CacheScope = "public"
	Private CacheScope = "private"
)

// Envelope returns what every result can say, to be filled in.
func (r *Result) Envelope() *Result { return r }

// Enveloped is a result of any method.
type Enveloped interface{ Envelope() *Result }

// Empty is a result that has nothing to say.
type Empty struct{ Result }

// SetMeta sets a member of _meta.
func (r *Result) SetMeta(key string, value any) {
	if r.Meta == nil {
		r.Meta = make(map[string]any)
	}
	r.Meta[key] = value
}
