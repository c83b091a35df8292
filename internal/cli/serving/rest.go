package serving

import (
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// How long a server is at rest before it releases the pages of its program. The next call waits
// until they are back.
const (
	restAfterStart = 3 * time.Second // by then the lists that a client requests when it connects are sent
	restAfterCall  = time.Minute
)

// A Rest takes the pages of the program's file out of the process when the server is at rest. A
// start goes through most of the program, and a call through much of it; a server that waits
// needs little. The pages stay in the system's cache, once for all servers, and come back
// when they are used.
//
// It is only done on Linux.
//
// The zero value waits for Looked.
type Rest struct {
	mu    sync.Mutex
	timer *time.Timer // nil before the first rest
}

// Looked begins the first rest. Call it when the project has been read.
func (r *Rest) Looked() { r.begin(restAfterStart) }

// begin begins a rest, in place of one that has begun before.
func (r *Rest) begin(after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		r.timer = time.AfterFunc(after, releaseProgram)
		return
	}
	r.timer.Reset(after)
}

// Observe returns an observer that calls next, and begins a rest with the end of each call.
func (r *Rest) Observe(next middleware.CallObserver) middleware.CallObserver {
	return func(m *pipeline.Message) func(middleware.CallEnd) {
		ended := next(m)
		if ended == nil {
			return nil
		}
		return func(e middleware.CallEnd) {
			ended(e)
			r.begin(restAfterCall)
		}
	}
}
