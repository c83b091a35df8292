package status

import "time"

// A Snapshot is what a server does at one moment. Its lists are never null.
type Snapshot struct {
	Version string    `json:"version"` // of mcp-bash
	PID     int       `json:"pid"`
	Project string    `json:"project"`         // its folder; empty: there is none
	Wraps   string    `json:"wraps,omitempty"` // the server that it is in front of, as wrap calls it
	Client  string    `json:"client"`          // name and version that the client reports; empty until then
	Since   time.Time `json:"since"`           // when the server started
	Time    time.Time `json:"time"`            // of the snapshot

	// Of calls of tools, prompts and resources, since the start.
	Calls     uint64 `json:"calls"` // that have ended
	Failed    uint64 `json:"failed"`
	Refused   uint64 `json:"refused"`
	Cancelled uint64 `json:"cancelled"`
	// PerMinute is how many have ended in the last 60 seconds.
	PerMinute int `json:"perMinute"`

	Running  int    `json:"running"`  // calls in flight, also those that wait for a slot
	InFlight []Call `json:"inFlight"` // the oldest of them, oldest first
	Slowest  []Tool `json:"slowest"`  // tools, the slowest on average first
	// Rules are why calls failed or were refused, and what interceptors did; the most frequent first.
	Rules  []Rule `json:"rules"`
	Errors []Call `json:"errors"` // the last calls that failed or were refused, newest last
	Log    []Line `json:"log"`    // the last lines of the log, newest last
}

// A Call is a call that runs or has ended.
type Call struct {
	ID     string    `json:"id"` // as the client wrote it: JSON
	Method string    `json:"method"`
	Name   string    `json:"name,omitempty"` // of the tool or prompt, or the URI
	Began  time.Time `json:"began"`

	// Of a call that has ended.
	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
	TookMS  int64  `json:"tookMs,omitempty"`
}

// A Tool summarizes the calls of a tool that have ended.
type Tool struct {
	Name   string  `json:"name"`
	Calls  uint64  `json:"calls"`
	Failed uint64  `json:"failed"`
	MeanMS float64 `json:"meanMs"`
	MaxMS  float64 `json:"maxMs"`
}

// A Rule is why calls failed or were refused: the beginning of the reason, such as the interceptor that refuses, or
// the tool and its exit code; or an interceptor, and what it did to so many messages.
type Rule struct {
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
	Calls   uint64 `json:"calls"`
}

// A Line is a line of the log.
type Line struct {
	Time  time.Time `json:"time"`
	Level string    `json:"level"`
	Text  string    `json:"text"` // message and attributes, at most [lineBytes] bytes
}

// What a snapshot shows at most.
const (
	shownCalls  = 20
	shownTools  = 10
	shownErrors = 5
	shownRules  = 5
	shownLines  = 10
	lineBytes   = 400
)
