package dial

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// An exactStream keeps the params of the request that was read last as they were sent: the
// library sorts the members of objects, and the fields of a form have an order. Handlers of
// requests are called before the next message is read.
type exactStream struct {
	jsonrpc2.ObjectStream
	params json.RawMessage // nil: the message has none
}

func (e *exactStream) ReadObject(v any) error {
	var line json.RawMessage
	if err := e.ObjectStream.ReadObject(&line); err != nil {
		return err
	}
	var sent struct{ Params json.RawMessage }
	_ = json.Unmarshal(line, &sent) // the library refuses what is not a message
	e.params = sent.Params
	return json.Unmarshal(line, v)
}
