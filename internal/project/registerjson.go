package project

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// DefaultRegistrationBytes is the default maximal size of a registration.
const DefaultRegistrationBytes = 1 << 20

// A registerJSON is the file server.d/register.json as a source: data only, strict, and first of
// all sources.
type registerJSON struct {
	registrar
	path  string // absolute
	limit int64

	mu    sync.Mutex                 // serializes reads
	last  atomic.Pointer[registered] // nil before the first look
	began uint64                     // when the last look began
}

func (r *registerJSON) batch(k kind, a ask) *batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last.Load()
	if last != nil && r.began > a.since {
		return last.batches[k]
	}
	r.began = r.clock.Add(1)
	if last == nil || !last.current() {
		last = r.read()
		r.last.Store(last)
	}
	return last.batches[k]
}

func (r *registerJSON) same() bool {
	last := r.last.Load()
	return last != nil && last.from.current()
}

// read reads the file. If it cannot be read at all, every list fails.
func (r *registerJSON) read() *registered {
	name := rel(r.root, r.path)
	found := &registered{from: dep{path: r.path}}
	file, err := hooks.Rules{Allowed: true}.Open(r.root, r.path) // its author decides what is run
	if isMissing(err) {
		return found
	}
	var data []byte
	var readErr error
	if err == nil {
		defer file.Close()
		found.from.stamp = stampOf(file.Info())
		data, readErr = file.Read(r.limit)
	}
	switch {
	case errors.Is(readErr, files.ErrTooLarge):
		err = registrationError([]Fault{{File: name, Reason: fmt.Sprintf("is larger than %d bytes", r.limit),
			Hint: "raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES"}})
	case err != nil:
		found.from.stamp = stamp{} // check again: the cause may be its folder
		err = unusable(name, err)
	case readErr != nil:
		err = unusable(name, cause(readErr))
	default:
		found.batches, err = r.parse(name, data)
	}
	if err != nil {
		found.batches = failedBatches(err)
	}
	return found
}

// parse reads the content of the file.
func (r *registerJSON) parse(name string, data []byte) (all [kindCount]*batch, err error) {
	if !bytes.Equal(trimBOM(data), data) {
		return all, registrationError([]Fault{{File: name, Line: 1, Reason: "begins with a byte order mark",
			Hint: "save it as UTF-8 without one"}})
	}
	doc := jsonDocument(name, data)
	o, fault := doc.object()
	if fault != nil {
		return all, registrationError([]Fault{*fault})
	}
	o.require("version", `write "version": 1`)
	if version, ok := o.get("version"); ok && string(version.value) != "1" {
		o.refuse(version, "must be 1", `write "version": 1`)
	}
	lists := o.registrations(r.path)
	if len(o.faults) > 0 {
		return all, registrationError(o.faults)
	}
	return r.batches(lists), nil
}
