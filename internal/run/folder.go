package run

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A folder holds the files of one call. Only the server and its tools see it.
type folder struct {
	path   string
	stream *stream
	ours   fs.FileInfo // of the stream; nil before hasStream was called
	used   bool        // it is not for another call
}

// folders holds the folders that wait for the next call: on journaling file
// systems, making one costs more than everything else that a call needs. The
// zero value is ready to use.
type folders struct {
	mu     sync.Mutex
	free   []*folder
	scarce bool // descriptors have run out: no folder is kept, since each holds one open
}

func (r *Runtime) takeFolder() (*folder, error) {
	r.folders.mu.Lock()
	defer r.folders.mu.Unlock()
	for last := len(r.folders.free) - 1; last >= 0; last-- {
		f := r.folders.free[last]
		r.folders.free = r.folders.free[:last]
		if f.hasStream() { // a cleaner of old temporary files may have been here
			return f, nil
		}
		f.remove()
	}
	return r.newFolder()
}

func (r *Runtime) newFolder() (*folder, error) {
	path := r.newPath()
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = r.makeCalls(); err == nil {
			err = os.Mkdir(path, 0o700)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for the call: %w; see that MCPBASH_STATE_DIR or TMPDIR has room and "+
			"can be written", err)
	}
	f := &folder{path: path}
	if f.stream, err = newStream(filepath.Join(path, streamName)); err != nil {
		os.RemoveAll(path)
		return nil, fmt.Errorf("cannot make a stream for the call: %w", err)
	}
	return f, nil
}

// callsName is the folder that holds those of all calls. Tools run as the user who owns these folders,
// so a tool can reach the folder of another call if it can guess or list its name: the name is random
// and new for each call, and the folder around cannot be listed. That is an obstacle, not a barrier:
// the user can change the mode, and see the variables of other tools. In a sandbox it is a barrier.
const callsName = "calls"

func (r *Runtime) newPath() string { return filepath.Join(r.State, callsName, rand.Text()) }

func (r *Runtime) makeCalls() error {
	if err := os.MkdirAll(r.State, 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o300)
	if r.Keep { // people look into it
		mode = 0o700
	}
	err := os.Mkdir(filepath.Join(r.State, callsName), mode)
	if errors.Is(err, fs.ErrExist) {
		return nil // another call was faster
	}
	return err
}

// Close removes the folders that are kept for later calls. Call it when nothing runs any more.
func (r *Runtime) Close() error {
	r.noRoom()
	if r.Keep {
		return nil
	}
	return files.RemoveAll(filepath.Join(r.State, callsName))
}

// putFolder keeps the folder for another call, or a new one if a process may still
// use it, its tool was in a sandbox, or it cannot be cleaned.
func (r *Runtime) putFolder(f *folder) {
	if r.Keep {
		f.stream.close()
		return
	}
	// The next call gets it under a new random name.
	if f.used || !r.Reuse || !f.clean() || f.rename(r.newPath()) != nil {
		f.remove()
		if !r.Reuse {
			return
		}
		var err error
		if f, err = r.newFolder(); err != nil {
			return // the next call tries it again
		}
	}
	r.folders.mu.Lock()
	defer r.folders.mu.Unlock()
	if r.folders.scarce {
		f.remove()
		return
	}
	r.folders.free = append(r.folders.free, f)
}

// noRoom is called when a call had to be refused for lack of descriptors. It closes those that are kept for later
// calls, and keeps no more from now on.
func (r *Runtime) noRoom() {
	r.SDK.Close()
	r.folders.mu.Lock()
	defer r.folders.mu.Unlock()
	for _, f := range r.folders.free {
		f.remove()
	}
	r.folders.scarce, r.folders.free = true, nil
}

// read returns what the tool has written to a file there.
func (f *folder) read(name string, max int) ([]byte, error) {
	if _, err := os.Lstat(filepath.Join(f.path, name)); errors.Is(err, fs.ErrNotExist) {
		return nil, err // most tools write none, and looking takes less than opening
	}
	var text []byte
	err := files.Patient(func() (err error) {
		text, err = readInRoot(f.path, name, max)
		return err
	})
	return text, err
}

// clean removes what the call and its tool have put there and reports whether the
// folder can be used again. Whether its stream is still the one that the server
// reads is checked when the folder is taken.
func (f *folder) clean() bool {
	entries, err := os.ReadDir(f.path)
	stream := false
	for _, e := range entries {
		if e.Name() == streamName {
			stream = true
		} else if err == nil {
			err = files.RemoveAll(filepath.Join(f.path, e.Name()))
		}
	}
	return stream && err == nil
}

// hasStream reports whether the stream there is the one that the server reads:
// a tool would block for ever on any other.
func (f *folder) hasStream() bool {
	if f.ours == nil {
		f.ours, _ = f.stream.file.Stat()
	}
	there, err := os.Lstat(f.streamPath())
	return f.ours != nil && err == nil && os.SameFile(f.ours, there)
}

func (f *folder) rename(path string) error {
	err := syscall.Rename(f.path, path) // os.Rename would look first for what is there
	if err == nil {
		f.path = path
	}
	return err
}

func (f *folder) remove() {
	f.stream.close()
	files.RemoveAll(f.path)
}

const (
	streamName    = "stream"
	errorsName    = "error.json"
	resourcesName = "resources"
)

// The paths of files that a tool finds there or writes.
func (f *folder) errors() string     { return filepath.Join(f.path, errorsName) }
func (f *folder) resources() string  { return filepath.Join(f.path, resourcesName) }
func (f *folder) cancelled() string  { return filepath.Join(f.path, "cancelled") }
func (f *folder) streamPath() string { return filepath.Join(f.path, streamName) }

// write puts a payload into a file of its own, before the tool begins, and returns its path.
func (f *folder) write(name string, payload []byte) (string, error) {
	path := filepath.Join(f.path, name)
	return path, files.Make(path, payload, 0o600)
}

// markCancelled returns a context that ends after ctx, once the file that signals
// the cancellation to the tool exists. Call release when the tool has ended.
func (f *folder) markCancelled(ctx context.Context) (marked context.Context, release func()) {
	marked, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		files.Make(f.cancelled(), nil, 0o600) // an error is ignored: the tool may have made the file itself
		cancel(context.Cause(ctx))
	})
	return marked, func() {
		if !stop() {
			<-done
		}
		cancel(nil)
	}
}

// fault returns the JSON-RPC error that the tool wrote, or nil. Text that is not
// such an error, or longer than max bytes, becomes an internal error that
// contains the text or describes the problem.
func (f *folder) fault(max int) error {
	text, err := f.read(errorsName, max)
	if e := process.Scarce(f.path, err); e != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError,
			Message: "Tool failed: its MCP_TOOL_ERROR_FILE cannot be read: " + e.Reason + "; " + e.Hint}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		text = []byte("MCP_TOOL_ERROR_FILE: " + err.Error())
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	var e struct {
		Code    *int64           `json:"code"`
		Message *string          `json:"message"`
		Data    *json.RawMessage `json:"data"`
	}
	v, _ := json.Sendable(text)
	if json.Unmarshal(v, &e, json.Lenient) != nil || e.Code == nil || e.Message == nil {
		broken := &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "Tool failed"}
		broken.SetError(string(text))
		return broken
	}
	return &jsonrpc2.Error{Code: *e.Code, Message: *e.Message, Data: e.Data}
}
