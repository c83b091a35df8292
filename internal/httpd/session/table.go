package session

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
)

// A Table holds the open sessions. Its methods may be called from several goroutines.
type Table struct {
	Opener backend.Opener
	Limits Limits
	Places *limit.Shares // of open sessions
	Idle   time.Duration // after which a session without an open HTTP request ends; 0: never
	// Replica is the part of ids before the first dot, by which a load balancer can route. It is a
	// [ValidReplica]. Empty: ids have no such part.
	Replica string
	// Ended is called after a session has ended, with the reason: one of the constants below. May be
	// nil.
	Ended func(why string)
	Log   *slog.Logger

	mu       sync.Mutex
	sessions map[string]*Session
	closed   bool
	ending   sync.WaitGroup // counts sessions until they have ended completely
}

// NewID returns a new id of a session on a replica; see [Table.Replica].
func NewID(replica string) string {
	if replica == "" {
		return rand.Text()
	}
	return replica + "." + rand.Text()
}

// ReplicaOf returns the replica in the id of a session, "" if there is none.
func ReplicaOf(id string) string {
	replica, _, named := strings.Cut(id, ".")
	if !named {
		return ""
	}
	return replica
}

// An Owner returns the user of a request; a session serves only the user who opened it. Nil: all
// requests come from the same user.
type Owner func(*http.Request) string

// Of returns the user of a request.
func (o Owner) Of(r *http.Request) string {
	if o == nil {
		return ""
	}
	return o(r)
}

var replicaName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,63}$`)

// ValidReplica reports whether a name is valid for a replica.
func ValidReplica(name string) bool { return replicaName.MatchString(name) }

// The reasons for the end of a session.
const (
	Deleted  = "deleted" // by its client
	Idled    = "idle"
	Crashed  = "crashed" // its server has ended
	ShutDown = "shutdown"
	Refused  = "refused" // initialize has failed
)

// Open opens a session for an owner, the user of a token or "".
func (t *Table) Open(owner string) (*Session, error) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, backend.ErrEnded
	}
	if err := t.Places.Take(owner, 1); err != nil {
		t.mu.Unlock()
		return nil, err
	}
	t.ending.Add(1)
	t.mu.Unlock()

	s, err := Open(t.Opener, owner, t.Limits, t.Log)
	t.mu.Lock()
	closed := t.closed
	if err == nil && !closed {
		if t.sessions == nil {
			t.sessions = make(map[string]*Session)
		}
		s.id, s.owner, s.used = NewID(t.Replica), owner, 1
		t.sessions[s.id] = s
		if t.Idle > 0 {
			s.patience = t.Idle
			s.idle = time.AfterFunc(t.Idle, func() { t.expire(s) })
			s.idle.Stop()
		}
	}
	t.mu.Unlock()
	switch {
	case err != nil:
		t.Places.Free(owner, 1)
		t.ending.Done()
		return nil, err
	case closed:
		t.Places.Free(owner, 1)
		s.Close()
		t.ending.Done()
		return nil, backend.ErrEnded
	}
	go func() {
		<-s.Done()
		if t.Limits.Until != nil && t.Limits.Until.Err() != nil {
			t.End(s, ShutDown)
			return
		}
		t.End(s, Crashed)
	}()
	return s, nil
}

// Get returns the session with an id, nil if the owner does not have it. It stays open until
// [Session.Leave] is called.
func (t *Table) Get(id, owner string) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[id]
	if s == nil || s.owner != owner {
		return nil
	}
	s.enter()
	return s
}

// enter counts an HTTP request in progress.
func (s *Session) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used++; s.idle != nil {
		s.idle.Stop()
	}
}

// Leave is called when an HTTP request of the session has ended: that of [Table.Open] or [Table.Get].
func (s *Session) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used--; s.used == 0 && s.idle != nil && !s.ended {
		s.idle.Reset(s.patience)
	}
}

// expire ends an idle session, unless a request has come in the meantime or a call is unanswered.
func (t *Table) expire(s *Session) {
	s.mu.Lock()
	used, working := s.used > 0, len(s.calls) > 0
	if !used && working {
		s.idle.Reset(t.Idle)
	}
	s.mu.Unlock()
	if !used && !working {
		t.End(s, Idled)
	}
}

// End ends a session for one of the reasons above, and returns when it has ended completely.
func (t *Table) End(s *Session, why string) {
	t.mu.Lock()
	_, open := t.sessions[s.id]
	delete(t.sessions, s.id)
	t.mu.Unlock()
	if open {
		t.Places.Free(s.owner, 1)
	}
	s.Close()
	if !open {
		return
	}
	t.Log.Debug("a session has ended", "why", why)
	if t.Ended != nil {
		t.Ended(why)
	}
	t.ending.Done()
}

// Count returns how many sessions are open.
func (t *Table) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sessions)
}

// Close ends all sessions and returns when they have ended completely.
func (t *Table) Close() {
	t.mu.Lock()
	t.closed = true
	var all []*Session
	for _, s := range t.sessions {
		all = append(all, s)
	}
	t.mu.Unlock()
	var closing sync.WaitGroup
	for _, s := range all {
		closing.Go(func() { t.End(s, ShutDown) })
	}
	closing.Wait()
	t.ending.Wait()
}
