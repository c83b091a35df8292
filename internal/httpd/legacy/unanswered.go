package legacy

import (
	"fmt"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// maxUnanswered is how many unanswered calls of a session are known. Further ones do not keep its stream open
// when the server ends.
const maxUnanswered = 1024

// Unanswered are the calls of a session that the server has not answered yet. The methods may be called from
// several goroutines.
type unanswered struct {
	mu   sync.Mutex
	keys map[string]pipeline.ID // their ids, by key
	none func()                 // called when there are none; nil until then
}

// sent records a message of the client.
func (u *unanswered) sent(m *pipeline.Message) {
	switch m.Kind() {
	case pipeline.Call:
		u.add(m.ID())
	case pipeline.Notification:
		if m.Method() != "notifications/cancelled" {
			return
		}
		if id, ok := pipeline.ParseID(pipeline.Member(m.Params(), "requestId")); ok {
			u.remove(id.Key()) // it gets no answer
		}
	case pipeline.Batch:
		for one := range m.Items() {
			u.sent(one)
		}
	}
}

// received records a message of the server.
func (u *unanswered) received(m *pipeline.Message) {
	switch m.Kind() {
	case pipeline.Response:
		u.remove(m.ID().Key())
	case pipeline.Batch:
		for one := range m.Items() {
			u.received(one)
		}
	}
}

func (u *unanswered) add(id pipeline.ID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil {
		u.keys = make(map[string]pipeline.ID)
	}
	if len(u.keys) < maxUnanswered {
		u.keys[id.Key()] = id
	}
}

func (u *unanswered) remove(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if delete(u.keys, key); len(u.keys) == 0 && u.none != nil {
		u.none()
	}
}

// whenNone calls f as soon as every call is answered, at once if none is open.
func (u *unanswered) whenNone(f func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.none = f; len(u.keys) == 0 {
		f()
	}
}

// fail returns the errors for the calls that are open, with the reason.
func (u *unanswered) fail(why error) (lines [][]byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range u.keys {
		lines = append(lines, pipeline.NewErrorResponse(id, fmt.Errorf("%w: %w", pipeline.ErrInternal, why)).Line())
	}
	return lines
}
