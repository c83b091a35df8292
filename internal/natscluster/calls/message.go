package calls

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// protocol is the version of these messages. A worker refuses offers of another one.
const protocol = 1

// A kind is the last part of a subject: what a message says.
type kind string

const (
	// About offers.
	kindTaken   kind = "taken"   // taken: the worker has a slot for the call
	kindRefused kind = "refused" // refused: the worker cannot run this call, another one may
	kindFree    kind = "free"    // a worker that had no slot has one; without a payload

	// To the worker.
	kindBegin  kind = "begin"  // begin
	kindAnswer kind = "answer" // answers
	kindCancel kind = "cancel" // failure: why

	// To the replica.
	kindProgress kind = "progress" // mcp.ProgressParams
	kindLog      kind = "log"      // mcp.LogParams
	kindAsk      kind = "ask"      // questions
	kindDismiss  kind = "dismiss"  // questions without any: nobody waits for the answers now
	kindResult   kind = "result"   // result
	kindFailed   kind = "failed"   // jsonrpc2.Error

	// Both ways.
	kindAlive kind = "alive" // alive
	kindAck   kind = "ack"   // a message was dealt with; without a payload
	kindLong  kind = "long"  // long: the next message comes in parts
	kindPart  kind = "part"  // bytes of it
)

// An offer is a call that looks for a worker.
type offer struct {
	Protocol int    `json:"protocol"`
	Replica  string `json:"replica"` // its name, for people
	Tool     string `json:"tool"`
	Version  string `json:"version"` // of the tool, see Versions
}

// A taken offer has a worker.
type taken struct {
	Address string `json:"address"` // of the worker: w.PEER
	Worker  string `json:"worker"`  // its name, for people
}

// A refused offer has met a worker that cannot run it.
type refused struct {
	Worker string `json:"worker"`
	Why    string `json:"why"`
	Full   bool   `json:"full,omitzero"` // only that it had no slot just now
}

// A begin is all that a worker must know to run a tool.
type begin struct {
	Arguments    json.RawMessage `json:"arguments,omitzero"`
	Meta         json.RawMessage `json:"_meta,omitzero"`
	Revision     string          `json:"revision"`
	Timeout      int64           `json:"timeoutNs,omitzero"` // that the client asks for
	Capabilities []string        `json:"capabilities,omitzero"`
	Folders      []roots.Root    `json:"folders,omitzero"`   // none: those of the worker
	Asks         bool            `json:"asks,omitzero"`      // the client can be asked
	AsksRoots    bool            `json:"asksRoots,omitzero"` // also for its folders
	Patient      bool            `json:"patient,omitzero"`   // these three as in sdk.Call
	Missing      bool            `json:"missingCapability,omitzero"`
}

// Questions are for the client, all at once. Without any the client is asked for its folders.
type questions struct {
	Number    int        `json:"number"` // of these, in the call
	Questions []question `json:"questions,omitzero"`
}

type question struct {
	Key    string          `json:"key"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Answers are those to the questions with a number.
type answers struct {
	Number  int      `json:"number"`
	Answers []answer `json:"answers,omitzero"`
	Folders []string `json:"folders,omitzero"` // paths
	Error   string   `json:"error,omitzero"`   // why there are no folders
}

type answer struct {
	Result      json.RawMessage `json:"result,omitzero"`
	Error       string          `json:"error,omitzero"`
	Unsupported bool            `json:"unsupported,omitzero"` // the error is that of a client that cannot do it
}

// A result is a mcp.CallToolResult, as it is read.
type result struct {
	Content           []json.RawMessage          `json:"content"`
	StructuredContent json.RawMessage            `json:"structuredContent"`
	IsError           bool                       `json:"isError"`
	Meta              map[string]json.RawMessage `json:"_meta"`
}

// A failure is why a call has no result, or is cancelled.
type failure = jsonrpc2.Error

// Alive says that a peer is there, and which calls it shares with the receiver.
type alive struct {
	Address string            `json:"address"`
	Calls   map[string]uint64 `json:"calls"` // and how many messages about each it has sent
}

// A long message comes in parts.
type long struct {
	Bytes int `json:"bytes"`
}

// A logged message is a mcp.LogParams, as it is read.
type logged struct {
	Level  mcp.Level       `json:"level"`
	Logger string          `json:"logger"`
	Data   json.RawMessage `json:"data"`
}

// encode returns one of these messages as JSON. What is JSON already stays as it is written.
func encode(v any) ([]byte, error) {
	text, err := pipeline.Encode(v)
	return text.Bytes(), err
}

// sure is encode for messages of plain fields, where nothing can go wrong.
func sure(v any) []byte {
	text, _ := encode(v)
	return text
}
