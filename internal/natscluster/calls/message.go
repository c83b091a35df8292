package calls

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// protocol is the version of these messages. A worker refuses offers of another version.
const protocol = 2

// A kind is the type of a message, a part of its subject.
type kind string

const (
	// About offers.
	kindOffer   kind = "offer"   // offer
	kindTaken   kind = "taken"   // the worker has a slot for the call; no payload
	kindRefused kind = "refused" // refused: the worker cannot run this call, another worker may

	// To all replicas.
	kindHere kind = "here" // report: with each beat, and when a worker ends
	kindFree kind = "free" // report: a worker without a free slot has one again

	// To the worker.
	kindBegin  kind = "begin"  // begin
	kindAnswer kind = "answer" // answers
	kindCancel kind = "cancel" // failure: why

	// To the replica.
	kindProgress kind = "progress" // mcp.ProgressParams
	kindLog      kind = "log"      // mcp.LogParams
	kindAsk      kind = "ask"      // questions
	kindDismiss  kind = "dismiss"  // questions with an empty list: their answers are no longer needed
	kindResult   kind = "result"   // result
	kindFailed   kind = "failed"   // jsonrpc2.Error

	// Both ways.
	kindAck  kind = "ack"  // this end is there, and has processed the messages until this number; no payload
	kindGone kind = "gone" // this end does not know the call, or not any more; no payload
	kindLong kind = "long" // long: the next message comes in parts
	kindPart kind = "part" // bytes of it
)

// An offer offers a call to workers.
type offer struct {
	Protocol int    `json:"protocol"`
	Tool     string `json:"tool"`
	Version  string `json:"version"` // of the tool, see Versions
}

// A refused message is a worker's refusal of an offer.
type refused struct {
	Why  string `json:"why"`
	Full bool   `json:"full,omitzero"` // only because no slot was free

	worker string // its name, from the subject
}

// A begin message contains all that a worker needs to run a tool.
type begin struct {
	Arguments    json.RawMessage `json:"arguments,omitzero"`
	Meta         json.RawMessage `json:"_meta,omitzero"`
	Revision     string          `json:"revision"`
	Timeout      int64           `json:"timeoutNs,omitzero"` // requested by the client
	Capabilities []string        `json:"capabilities,omitzero"`
	Folders      []roots.Root    `json:"folders,omitzero"`   // none: those of the worker
	Asks         bool            `json:"asks,omitzero"`      // the client can be asked
	AsksRoots    bool            `json:"asksRoots,omitzero"` // also for its folders
	Patient      bool            `json:"patient,omitzero"`   // these three as in sdk.Call
	Missing      bool            `json:"missingCapability,omitzero"`
}

// Questions are for the client, to be asked at once. If Questions is empty the client is asked for its folders.
type questions struct {
	Number    int        `json:"number"` // of this list, in the call
	Questions []question `json:"questions,omitzero"`
}

type question struct {
	Key    string          `json:"key"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Answers are the answers to the questions with the same number.
type answers struct {
	Number  int      `json:"number"`
	Answers []answer `json:"answers,omitzero"`
	Folders []string `json:"folders,omitzero"` // paths
	Error   string   `json:"error,omitzero"`   // why there are no folders
}

type answer struct {
	Result      json.RawMessage `json:"result,omitzero"`
	Error       string          `json:"error,omitzero"`
	Unsupported bool            `json:"unsupported,omitzero"` // the client lacks the capability
}

// A result is the form of an mcp.CallToolResult for decoding.
type result struct {
	Content           []json.RawMessage          `json:"content"`
	StructuredContent json.RawMessage            `json:"structuredContent"`
	IsError           bool                       `json:"isError"`
	Meta              map[string]json.RawMessage `json:"_meta"`
}

// A failure is the reason why a call has no result, or is cancelled.
type failure = jsonrpc2.Error

// A long message announces a message in parts.
type long struct {
	Bytes int `json:"bytes"`
}

// A logged message is the form of an mcp.LogParams for decoding.
type logged struct {
	Level  mcp.Level       `json:"level"`
	Logger string          `json:"logger"`
	Data   json.RawMessage `json:"data"`
}

// encode returns one of these messages as JSON. Members that are JSON already keep their spelling.
func encode(v any) ([]byte, error) {
	text, err := pipeline.Encode(v)
	return text.Bytes(), err
}

// sure is encode for messages of plain fields, which cannot fail.
func sure(v any) []byte {
	text, _ := encode(v)
	return text
}
