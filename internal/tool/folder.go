package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/jsonrpc2"
)

// A folder holds the files of one call. Only the server and its tools see it.
type folder struct {
	path   string
	stream *stream
}

// folders are those that wait for the next call: to make one costs more than
// all else that a call needs, on file systems that keep a journal. The zero
// value is ready.
type folders struct {
	mu   sync.Mutex
	free []*folder
}

func (r *Runtime) takeFolder() (*folder, error) {
	r.folders.mu.Lock()
	defer r.folders.mu.Unlock()
	if last := len(r.folders.free) - 1; last >= 0 {
		f := r.folders.free[last]
		r.folders.free = r.folders.free[:last]
		return f, nil
	}
	path, err := os.MkdirTemp(r.State, "call.")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for the call: %w", err)
	}
	f := &folder{path: path}
	if f.stream, err = newStream(filepath.Join(path, streamName)); err != nil {
		os.RemoveAll(path)
		return nil, fmt.Errorf("cannot make a stream for the call: %w", err)
	}
	return f, nil
}

// putFolder keeps the folder for another call, unless a process may still use
// it or something in it cannot be undone.
func (r *Runtime) putFolder(f *folder, used bool) {
	if used || !r.Reuse || !f.clean() {
		f.stream.close()
		os.RemoveAll(f.path)
		return
	}
	r.folders.mu.Lock()
	defer r.folders.mu.Unlock()
	r.folders.free = append(r.folders.free, f)
}

// clean removes what the call and its tool have put there and reports whether
// the folder is as new.
func (f *folder) clean() bool {
	entries, err := os.ReadDir(f.path)
	fresh := false
	for _, e := range entries {
		if e.Name() == streamName && isStream(e) {
			fresh = true
		} else if err == nil {
			err = os.RemoveAll(filepath.Join(f.path, e.Name()))
		}
	}
	return fresh && err == nil
}

const streamName = "stream"

// The files that a tool finds or makes there.
func (f *folder) errors() string     { return filepath.Join(f.path, "error.json") }
func (f *folder) resources() string  { return filepath.Join(f.path, "resources") }
func (f *folder) cancelled() string  { return filepath.Join(f.path, "cancelled") }
func (f *folder) streamPath() string { return filepath.Join(f.path, streamName) }

// write puts a payload into a file of its own and returns its path.
func (f *folder) write(name string, payload []byte) (string, error) {
	path := filepath.Join(f.path, name)
	return path, os.WriteFile(path, payload, 0o600)
}

// markCancelled returns a context that ends after ctx, when the file that tells
// the tool of it is there. Call release when the tool has ended.
func (f *folder) markCancelled(ctx context.Context) (marked context.Context, release func()) {
	marked, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		os.WriteFile(f.cancelled(), nil, 0o600)
		cancel(context.Cause(ctx))
	})
	return marked, func() {
		if !stop() {
			<-done
		}
		cancel(nil)
	}
}

// fault returns the JSON-RPC error that the tool wrote, nil if it wrote none.
// What is no such error is an internal one that carries the text.
func (f *folder) fault() error {
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
