// Package message reads MCP messages from the bodies of HTTP requests, and writes them as responses or as
// streams of events, for both transports.
package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Type is the media type of a message.
const Type = "application/json"

// Read returns the message in the body of a request, which may have at most a number of bytes. If the body
// is not a valid message, Read answers the request with the reason, and ok is false.
func Read(w http.ResponseWriter, r *http.Request, most int) (m *pipeline.Message, ok bool) {
	var body []byte
	var err error
	if r.ContentLength <= int64(most) { // else it is not even read
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, int64(most)))
	}
	switch {
	case r.ContentLength > int64(most), errors.As(err, new(*http.MaxBytesError)):
		w.Header().Set("Connection", "close") // the rest is not read either
		Refuse(w, http.StatusRequestEntityTooLarge, pipeline.ID{},
			fmt.Errorf("%w: the body is longer than %d bytes", pipeline.ErrInvalidRequest, most))
		return nil, false
	case errors.Is(err, limit.ErrFull): // of the memory for all bodies
		Busy(w, http.StatusServiceUnavailable, pipeline.ID{}, err)
		return nil, false
	case err != nil:
		Refuse(w, http.StatusBadRequest, pipeline.ID{}, fmt.Errorf("%w: the body cannot be read", pipeline.ErrInvalidRequest))
		return nil, false
	}
	m = pipeline.Parse(oneLine(bytes.TrimSpace(body)))
	if m.Kind() == pipeline.Malformed {
		Write(w, http.StatusBadRequest, m.Refuse(m.Fault()).Line())
		return nil, false
	}
	return m, true
}

// oneLine returns JSON without line breaks: servers on stdio need each message on one line.
func oneLine(text []byte) []byte {
	var line bytes.Buffer
	if bytes.ContainsAny(text, "\r\n") && json.Compact(&line, text) == nil {
		return line.Bytes()
	}
	return text
}

// IsJSON reports whether the Content-Type of a request is JSON. If it is not, IsJSON answers the
// request with an error.
func IsJSON(w http.ResponseWriter, r *http.Request) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != Type {
		Refuse(w, http.StatusUnsupportedMediaType, pipeline.ID{},
			fmt.Errorf("%w: the Content-Type must be %s", pipeline.ErrInvalidRequest, Type))
		return false
	}
	return true
}

// Write answers a request with a message.
func Write(w http.ResponseWriter, status int, line []byte) {
	w.Header().Set("Content-Type", Type)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(line) // the client may have disconnected
}

// Refuse answers a request with an error, which has the id of the message that it is about, if any.
func Refuse(w http.ResponseWriter, status int, id pipeline.ID, err error) {
	Write(w, status, pipeline.NewErrorResponse(id, err).Line())
}

// Busy refuses a request, about a message with an id, because of a limit. An err without a code gets that of a busy
// server.
func Busy(w http.ResponseWriter, status int, id pipeline.ID, err error) {
	Later(w)
	if !errors.As(err, new(*jsonrpc2.Error)) {
		err = pipeline.Errorf(mcp.CodeBusy, "Server busy: %v; try again later", err)
	}
	Refuse(w, status, id, err)
}

// Later tells a client when to try again.
func Later(w http.ResponseWriter) { w.Header().Set("Retry-After", "5") }

// NotAllowed answers a request whose method is not allowed; allowed is a list such as "GET, POST".
func NotAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	Refuse(w, http.StatusMethodNotAllowed, pipeline.ID{},
		fmt.Errorf("%w: use one of %s", pipeline.ErrInvalidRequest, allowed))
}
