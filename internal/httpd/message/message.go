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

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Type is the media type of a message.
const Type = "application/json"

// Read returns the message in the body of a request, which may have at most limit bytes. If the body
// is not a valid message, Read answers the request with the reason, and ok is false.
func Read(w http.ResponseWriter, r *http.Request, limit int) (m *pipeline.Message, ok bool) {
	var body []byte
	var err error
	if r.ContentLength <= int64(limit) { // else it is not even read
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	}
	switch {
	case r.ContentLength > int64(limit), errors.As(err, new(*http.MaxBytesError)):
		w.Header().Set("Connection", "close") // the rest is not read either
		Refuse(w, http.StatusRequestEntityTooLarge, pipeline.ID{},
			fmt.Errorf("%w: the body is longer than %d bytes", pipeline.ErrInvalidRequest, limit))
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

// NotAllowed answers a request whose method is not allowed; allowed is a list such as "GET, POST".
func NotAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	Refuse(w, http.StatusMethodNotAllowed, pipeline.ID{},
		fmt.Errorf("%w: use one of %s", pipeline.ErrInvalidRequest, allowed))
}
