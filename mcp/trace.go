package mcp

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A Trace identifies the trace of a client that a request belongs to, by W3C Trace Context and
// Baggage. The keys have no prefix in _meta (TR-03).
type Trace struct {
	Parent  string `json:"traceparent,omitzero"`
	State   string `json:"tracestate,omitzero"`
	Baggage string `json:"baggage,omitzero"`
}

const (
	maxTraceState = 512 // characters, the limit of the format
	maxBaggage    = 8192
)

var traceparent = lazyregexp.New(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// TraceOf reads the trace of a request from its _meta. Values that do not follow the formats are
// left out, never refused (TR-01, TR-02); without a parent there is no state.
func TraceOf(meta json.RawMessage) Trace {
	var m struct {
		Parent  json.Value `json:"traceparent"`
		State   json.Value `json:"tracestate"`
		Baggage json.Value `json:"baggage"`
	}
	if len(meta) == 0 || json.Unmarshal(meta, &m, json.Lenient) != nil {
		return Trace{}
	}
	return Trace{json.Text(m.Parent), json.Text(m.State), json.Text(m.Baggage)}.Valid()
}

// Valid returns the trace without what does not follow the formats.
func (t Trace) Valid() (valid Trace) {
	parts := traceparent.Get().FindStringSubmatch(t.Parent)
	if parts != nil && parts[1] != "ff" && !isZero(parts[2]) && !isZero(parts[3]) {
		valid.Parent = parts[0]
		if isPrintable(t.State) && len(t.State) <= maxTraceState {
			valid.State = t.State
		}
	}
	if isPrintable(t.Baggage) && len(t.Baggage) <= maxBaggage {
		valid.Baggage = t.Baggage
	}
	return valid
}

func isZero(id string) bool { return strings.Trim(id, "0") == "" }

// isPrintable reports whether a text is printable ASCII.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// Environment returns the variables by which programs receive a trace.
func (t Trace) Environment() []string {
	var env []string
	for _, v := range [][2]string{{"TRACEPARENT=", t.Parent}, {"TRACESTATE=", t.State}, {"BAGGAGE=", t.Baggage}} {
		if v[1] != "" {
			env = append(env, v[0]+v[1])
		}
	}
	return env
}

// On returns the params of a question with the trace in its _meta. Params that have a _meta keep
// theirs.
func (t Trace) On(params json.RawMessage) json.RawMessage {
	if _, own := json.Find(params, "_meta"); own || t == (Trace{}) {
		return params
	}
	if with, ok := json.Set(params, "_meta", json.Encode(t)); ok {
		return with
	}
	return params
}
