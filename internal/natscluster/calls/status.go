package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A Status is the state of a process of a cluster at one moment.
type Status struct {
	Kind    string    `json:"kind"` // replica or worker
	Name    string    `json:"name"`
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Version string    `json:"version"` // of mcp-http
	Project string    `json:"project"`
	Since   time.Time `json:"since"`
	Slots   int       `json:"slots,omitzero"` // of a worker
	// Remote is true if a replica sends its calls to workers.
	Remote  bool   `json:"remote,omitzero"`
	Calls   uint64 `json:"calls"`   // number of calls that have ended
	Running int    `json:"running"` // number of running calls
	Waiting int    `json:"waiting"` // number of a replica's calls that wait for a worker
	Refused uint64 `json:"refused"` // number of a replica's messages that interceptors refused
	// InFlight are the oldest calls that are running or waiting, oldest first.
	InFlight []InFlight `json:"inFlight"`
}

// An InFlight is a call that has not ended.
type InFlight struct {
	ID    string    `json:"id,omitzero"` // the same at the replica and the worker
	Tool  string    `json:"tool"`
	Began time.Time `json:"began"`
	// With is the name of the worker that runs it, or of the replica that has sent it; empty if it
	// waits for a worker or does not need one.
	With string `json:"with,omitzero"`
}

// mostShown is the maximum number of calls in a Status.
const mostShown = 20

// Announce answers each [Survey] with the result of status, until the subscription ends.
func Announce(conn *nats.Conn, cluster string, status func() Status) (*nats.Subscription, error) {
	host, _ := os.Hostname()
	return conn.Subscribe(cluster+".top", func(m *nats.Msg) {
		s := status()
		s.Host, s.PID = host, os.Getpid()
		_ = m.Respond(sure(s)) // the asking process may have ended
	})
}

// Survey asks all processes of a cluster for their status, and returns the answers that come within wait,
// replicas first, by name.
func Survey(ctx context.Context, conn *nats.Conn, cluster string, wait time.Duration) ([]Status, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	replies, err := conn.SubscribeSync(nats.NewInbox())
	if err != nil {
		return nil, err
	}
	defer func() { _ = replies.Unsubscribe() }()
	if err := conn.PublishRequest(cluster+".top", replies.Subject, nil); err != nil {
		return nil, err
	}
	all := []Status{}
	for {
		m, err := replies.NextMsgWithContext(ctx)
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return all, nil
		case ctx.Err() != nil:
			slices.SortFunc(all, func(a, b Status) int {
				return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), a.Since.Compare(b.Since))
			})
			return all, nil
		case err != nil:
			return nil, err
		}
		var s Status
		if json.Unmarshal(m.Data, &s) == nil {
			all = append(all, s)
		}
	}
}

// With returns a status with the calls of another status.
func (s Status) With(o Status) Status {
	s.Slots, s.Remote, s.Calls, s.Running, s.Waiting, s.InFlight = o.Slots, o.Remote, o.Calls, o.Running, o.Waiting,
		o.InFlight
	return s
}

// Status returns the calls of a Caller.
func (c *Caller) Status() Status {
	s := Status{Remote: true}
	c.calls.fill(&s)
	return s
}

// Status returns the calls of a Worker.
func (w *Worker) Status() Status {
	s := Status{Slots: w.options.Slots}
	w.calls.fill(&s)
	return s
}

// A table holds the calls that a process has in flight. The zero value is empty.
type table struct {
	mu    sync.Mutex
	ended uint64
	rows  map[*row]struct{}
}

type row struct {
	table *table
	InFlight
}

func (t *table) add(id, tool string) *row {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		t.rows = make(map[*row]struct{})
	}
	r := &row{t, InFlight{ID: id, Tool: tool, Began: time.Now()}}
	t.rows[r] = struct{}{}
	return r
}

func (t *table) remove(r *row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, r)
	t.ended++
}

// setPeer records the name of the process at the other end of a call.
func (r *row) setPeer(name string) {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	r.With = name
}

func (t *table) fill(s *Status) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Calls, s.InFlight = t.ended, []InFlight{}
	for r := range t.rows {
		if r.With == "" {
			s.Waiting++
		} else {
			s.Running++
		}
		s.InFlight = append(s.InFlight, r.InFlight)
	}
	slices.SortFunc(s.InFlight, func(a, b InFlight) int { return a.Began.Compare(b.Began) })
	s.InFlight = s.InFlight[:min(len(s.InFlight), mostShown)]
}
