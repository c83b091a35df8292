package pipeline

import (
	"errors"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"
)

// These are the errors of JSON-RPC itself. Wrapping keeps the code and takes
// the text around it, so a door or handler refuses with
//
//	return nil, fmt.Errorf("%w: no file %q", pipeline.ErrInvalidParams, name)
//
// and the client reads code -32602, "invalid params: no file "x"".
var (
	ErrParse          error = &coded{jsonrpc2.CodeParseError, "parse error"}
	ErrInvalidRequest error = &coded{jsonrpc2.CodeInvalidRequest, "invalid request"}
	ErrMethodNotFound error = &coded{jsonrpc2.CodeMethodNotFound, "method not found"}
	ErrInvalidParams  error = &coded{jsonrpc2.CodeInvalidParams, "invalid params"}
	ErrInternal       error = &coded{jsonrpc2.CodeInternalError, "internal error"}
)

// ErrClosed is the error of a send or a call of ours after the pipeline has ended, and the cause
// with which the contexts of running calls end.
var ErrClosed = errors.New("pipeline closed")

// coded is an error with a JSON-RPC code and no data.
type coded struct {
	code int64
	text string
}

func (e *coded) Error() string { return e.text }

// Errorf returns an error whose code and exact text the client sees.
func Errorf(code int64, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WireError returns the error object that the client gets for err: err itself if it is a
// *jsonrpc2.Error, otherwise the code (and data) of the coded error that it wraps, with its own
// full text. Any other error is an internal one.
func WireError(err error) *jsonrpc2.Error {
	if e, ok := err.(*jsonrpc2.Error); ok {
		return e
	}
	var c *coded
	if errors.As(err, &c) {
		return &jsonrpc2.Error{Code: c.code, Message: err.Error()}
	}
	var e *jsonrpc2.Error
	if errors.As(err, &e) {
		return &jsonrpc2.Error{Code: e.Code, Message: err.Error(), Data: e.Data}
	}
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
}

// Fatal returns an error that ends the pipeline when a door or handler returns it: reading stops,
// running calls are cancelled, and [Pipeline.Run] returns err. A nil err ends it the same way but
// without a fault.
func Fatal(err error) error { return &fatalError{err} }

type fatalError struct{ err error }

func (e *fatalError) Error() string {
	if e.err == nil {
		return "end of the pipeline"
	}
	return e.err.Error()
}

func (e *fatalError) Unwrap() error { return e.err }

func fatalIn(err error) *fatalError {
	if err == nil {
		return nil
	}
	var fatal *fatalError
	errors.As(err, &fatal)
	return fatal
}
