package server

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
)

// newRounds makes what serves calls that ask their client or become tasks. Its
// runs end with ctx.
func newRounds(ctx context.Context, o Options, log *slog.Logger) *handlers.Rounds {
	return &handlers.Rounds{
		Context: ctx,
		Box:     sync.OnceValue(func() *round.Box { return newBox(o, log) }),
		Keeper:  &round.Keeper{For: o.Limits.InputWait, Max: o.Limits.Calls},
		TTL:     o.Limits.StateLife,
		Log:     log,
		Tasks:   &handlers.Tasks{After: o.Limits.TaskAfter, TTL: o.Limits.TaskLife, Max: o.Limits.Calls, Log: log},
	}
}

// newBox makes the box in which clients keep the state of their calls. Its key
// lies in the user's folder, so that the next server can go on.
func newBox(o Options, log *slog.Logger) *round.Box {
	key, err := stateKey(o)
	if err != nil {
		log.Warn("calls that ask their client cannot go on after a restart of the server; set MCPBASH_STATE_KEY_FILE to a file that can be written", "error", err)
		key = round.NewKey()
	}
	box, err := round.NewBox(key)
	if err != nil {
		panic(err) // of a key of the wrong size
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
