package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/jsonrpc2"
)

// A folder holds the files of one call. Only the server and its tools see it.
type folder struct{ path string }

func (r *Runtime) newFolder() (folder, error) {
	path, err := os.MkdirTemp(r.State, "call.")
	if err != nil {
		return folder{}, fmt.Errorf("cannot make a folder for the call: %w", err)
	}
	return folder{path}, nil
}

func (f folder) remove() { os.RemoveAll(f.path) }

// The files that a tool finds or makes there.
func (f folder) errors() string    { return filepath.Join(f.path, "error.json") }
func (f folder) resources() string { return filepath.Join(f.path, "resources") }
func (f folder) cancelled() string { return filepath.Join(f.path, "cancelled") }
func (f folder) stream() string    { return filepath.Join(f.path, "stream") }

// write puts a payload into a file of its own and returns its path.
func (f folder) write(name string, payload []byte) (string, error) {
	path := filepath.Join(f.path, name)
	return path, os.WriteFile(path, payload, 0o600)
}

// markCancelled returns a context that ends after ctx, when the file that tells
// the tool of it is there.
func (f folder) markCancelled(ctx context.Context) context.Context {
	marked, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		os.WriteFile(f.cancelled(), nil, 0o600)
		cancel(context.Cause(ctx))
	})
	return marked
}

// fault returns the JSON-RPC error that the tool wrote, nil if it wrote none.
// What is no such error is an internal one that carries the text.
func (f folder) fault() error {
	text, err := os.ReadFile(f.errors())
	text = bytes.TrimSpace(text)
	if err != nil || len(text) == 0 {
		return nil
	}
	var e struct {
		Code    *int64           `json:"code"`
		Message *string          `json:"message"`
		Data    *json.RawMessage `json:"data"`
	}
	if jsonv2.Unmarshal(text, &e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil || e.Code == nil || e.Message == nil {
		broken := &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "Tool failed"}
		broken.SetError(string(text))
		return broken
	}
	return &jsonrpc2.Error{Code: *e.Code, Message: *e.Message, Data: e.Data}
}
