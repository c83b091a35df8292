package providers

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
)

// These are the faults of a read. Each is wrapped with a text that says what to do. docs/ERRORS.md
// lists the error that a client gets for each.
var (
	// ErrNotFound means that there is no such resource.
	ErrNotFound error = &fault{text: "resource not found"}
	// ErrBadURI means that the provider does not accept the URI.
	ErrBadURI error = &fault{"invalid resource URI", "invalid_uri", jsonrpc2.CodeInvalidParams}
	// ErrDenied means that this server does not read the resource, such as on a host that is not
	// allowed.
	ErrDenied error = &fault{"resource not allowed", "denied", jsonrpc2.CodeInvalidParams}
	// ErrOutside is an ErrDenied of a file: it is outside of the roots, or the server has no
	// permission to read it. Clients are told that there is no such resource.
	ErrOutside = fmt.Errorf("%w", ErrDenied)
	// ErrTooLarge means that the resource is larger than a limit.
	ErrTooLarge error = &fault{"resource too large", "too_large", jsonrpc2.CodeInternalError}
	// ErrUnavailable means that the resource could not be read this time.
	ErrUnavailable error = &fault{"resource unavailable", "unavailable", jsonrpc2.CodeInternalError}
)

type fault struct {
	text   string
	reason string // in the data of the wire error
	code   int64  // of the wire error
}

func (f *fault) Error() string { return f.text }

// WireError returns the JSON-RPC error that answers a read of uri which failed with err. notFound
// is the code that the client's revision has for a resource that does not exist:
// mcp.CodeResourceNotFound or jsonrpc2.CodeInvalidParams. The data is {"uri"} for that one,
// {"reason"} for the others, and {"reason":"redirect","location"} if a server redirects. Any error
// that is not one of the faults is an internal error without data.
func WireError(err error, uri string, notFound int64) *jsonrpc2.Error {
	e := &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: capitalized(err)}
	var f *fault
	var redirect *fetch.RedirectError
	switch {
	case !errors.As(err, &f):
	case f == ErrNotFound:
		e.Code = notFound
		e.SetError(map[string]string{"uri": uri})
	case errors.As(err, &redirect):
		e.Code = f.code
		e.SetError(map[string]string{"reason": "redirect", "location": redirect.Location})
	default:
		if e.Code = f.code; errors.Is(err, ErrOutside) {
			e.Code = notFound
		}
		e.SetError(map[string]string{"reason": f.reason})
	}
	return e
}

// capitalized returns the text of an error with a capital letter, as the messages of this server have.
func capitalized(err error) string {
	text := strings.ToValidUTF8(err.Error(), "\ufffd")
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}
