package pipeline

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/sourcegraph/jsonrpc2"
)

// A Reader reads the messages of a stream. Use it from one goroutine at a time.
type Reader struct {
	stream   jsonrpc2.ObjectStream
	onward   func() *NDJSON  // where most of what is read, or its answers, leave; nil if it does not hold them
	arriving json.RawMessage // the line being read
	broken   error           // of the last read: it was a malformed message, and the same again is the end
}

// Behind returns a reader of a server behind the pipeline, for [Pipeline.Send]. What one of client and server writes at
// once leaves at once on the other side, if both streams are [NDJSON].
func (p *Pipeline) Behind(server jsonrpc2.ObjectStream) *Reader {
	to, _ := server.(*NDJSON)
	p.onward.Store(to)
	return &Reader{stream: server, onward: func() *NDJSON { return p.ndjson }}
}

// Read returns the next message. A line that the stream refuses is a malformed message. After an error,
// which is io.EOF at the end, nothing can be read.
func (r *Reader) Read() (*Message, error) {
	r.arriving = nil // the message keeps its memory
	err := r.stream.ReadObject(&r.arriving)
	if from, ok := r.stream.(*NDJSON); ok {
		if to := r.onward(); to != nil {
			to.hold(from.buffered())
		}
	}
	if err == nil {
		r.broken = nil
		return Parse(r.arriving), nil
	}
	var refused *LineError
	if errors.As(err, &refused) {
		return &Message{line: refused.Line, id: refused.id, response: refused.response, fault: refused.Fault}, nil
	}
	var syntax *json.SyntaxError
	if err != r.broken && (errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF)) { // from a stream that decodes
		r.broken = err
		return new(Message).malformed(jsonrpc2.CodeParseError, "%v", err), nil
	}
	return nil, err
}
