package handlers

import (
	"context"
	"errors"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
)

// A Cluster shares state between the replicas of a server: which sealed states were used, and the
// tasks that each replica runs. Its methods may be called from several goroutines. Their errors
// wrap [ErrUnreachable] if the other replicas cannot be reached, so that the client may try again.
type Cluster interface {
	// Use reports whether id is used for the first time, on this replica or another one. After an
	// error this is unknown. The use is remembered at least until expires.
	Use(ctx context.Context, id string, expires time.Time) (first bool, err error)

	// Keep stores a value for all replicas and returns its version. version is that of the value
	// that it replaces, 0 for none: if another version is stored, the error wraps [ErrConflict]. A
	// value is kept at least as long as a task that has ended; see Tasks.TTL.
	Keep(ctx context.Context, key string, value []byte, version uint64) (uint64, error)
	// Look returns what Keep has stored, and its version: nil and 0 if nothing is stored.
	Look(ctx context.Context, key string) (value []byte, version uint64, err error)

	// Join makes this process the replica of that name until leave is called. No two replicas
	// have the same name.
	Join(ctx context.Context, name string, m Member) (leave func(), err error)
	// Alive reports whether a replica has joined, has not left, and has given a sign of life
	// lately.
	Alive(ctx context.Context, name string) (bool, error)
	// Ask returns the answer of another replica's [Member]. If there is no such replica the error
	// wraps [ErrUnreachable].
	Ask(ctx context.Context, name string, question []byte) (answer []byte, err error)
	// Tell sends news to all other replicas that can be reached now. It does not wait for them.
	Tell(news []byte) error
}

// A Member is how a replica answers the others. Both functions may be called from several
// goroutines.
type Member struct {
	Answer func(ctx context.Context, question []byte) (answer []byte)
	Hear   func(news []byte) // must not block
}

var (
	// ErrUnreachable is the error if other replicas cannot be reached.
	ErrUnreachable = errors.New("the other replicas of this server cannot be reached; try again later")
	// ErrConflict is the error of [Cluster.Keep] if another replica stored a value first.
	ErrConflict = errors.New("another replica has changed the value")
)

// Alone returns the cluster of a server with a single replica: everything is in the memory of this
// process, and values that only other replicas would ask for are not stored.
func Alone() Cluster { return &alone{} }

type alone struct{ used round.Used }

func (a *alone) Use(_ context.Context, id string, expires time.Time) (bool, error) {
	return a.used.First(id, expires), nil
}

func (*alone) Keep(context.Context, string, []byte, uint64) (uint64, error) { return 1, nil }
func (*alone) Look(context.Context, string) ([]byte, uint64, error)         { return nil, 0, nil }
func (*alone) Join(context.Context, string, Member) (func(), error)         { return func() {}, nil }
func (*alone) Alive(context.Context, string) (bool, error)                  { return false, nil }
func (*alone) Ask(context.Context, string, []byte) ([]byte, error)          { return nil, ErrUnreachable }
func (*alone) Tell([]byte) error                                            { return nil }
