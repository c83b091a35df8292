package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
)

// newRounds returns the Rounds that serve calls that ask their client or become tasks. Its runs end
// with ctx.
func newRounds(ctx context.Context, o Options, log *slog.Logger) *handlers.Rounds {
	cluster, replica := handlers.Alone(), "" // which nobody asks for
	if o.Cluster != nil {
		cluster, replica = o.Cluster, rand.Text()
	}
	return &handlers.Rounds{
		Context: ctx,
		Box:     sync.OnceValue(func() *round.Box { return newBox(o, log) }),
		Keeper:  &round.Keeper{For: o.Limits.InputWait, Max: o.Limits.Calls},
		TTL:     o.Limits.StateLife,
		Cluster: cluster,
		Log:     log,
		Tasks: &handlers.Tasks{
			After: o.Limits.TaskAfter, TTL: o.Limits.TaskLife, Max: o.Limits.Calls,
			Cluster: cluster, Replica: replica, Log: log,
		},
	}
}

// join makes the server a replica of its cluster, under a unique name: a restarted server does not
// know the tasks of its predecessor.
func (s *Server) join(ctx context.Context) error {
	s.rounds.Tasks.Watched = s.watched
	leave, err := s.rounds.Cluster.Join(ctx, s.rounds.Tasks.Replica, s.rounds.Member(s.spawnUnlessClosed))
	if err != nil {
		return err
	}
	s.leaveCluster = leave
	return nil
}

// watched reports whether a client listens for changes of a task.
func (s *Server) watched(task string) bool {
	var all []*session
	s.each(func(sess *session) { all = append(all, sess) })
	return slices.ContainsFunc(all, func(sess *session) bool {
		listens := sess.families.Listens
		return listens != nil && listens.Watches(task)
	})
}

// spawnUnlessClosed starts f in a goroutine that Close waits for, unless the server is closed
// already.
func (s *Server) spawnUnlessClosed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.background.Go(f)
	}
}

// newBox returns the box in which clients keep the state of their calls. Its key is in the user's
// configuration folder, so that the next server can continue them.
func newBox(o Options, log *slog.Logger) *round.Box {
	key, err := stateKey(o)
	if err != nil {
		log.Warn("calls that ask their client cannot continue after a restart; set MCPBASH_STATE_KEY_FILE to a writable file",
			"error", err)
		key = round.NewKey()
	}
	box, err := round.NewBox(key)
	if err != nil {
		panic(err) // the key has the wrong size
	}
	return box
}

func stateKey(o Options) ([]byte, error) {
	path := o.StateKeyFile
	if path == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, "mcp-bash", "request-state.key")
	}
	return round.LoadKey(path)
}
