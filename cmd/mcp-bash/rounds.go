package main

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
func newRounds(ctx context.Context, s settings, log *slog.Logger) *handlers.Rounds {
	return &handlers.Rounds{
		Context: ctx,
		Box:     sync.OnceValue(func() *round.Box { return newBox(s, log) }),
		Keeper:  &round.Keeper{For: s.inputWait, Max: max(1, s.maxCalls)},
		TTL:     s.stateTTL,
		Log:     log,
		Tasks:   &handlers.Tasks{After: s.taskAfter, TTL: s.taskTTL, Max: max(1, s.maxCalls), Log: log},
	}
}

// newBox makes the box in which clients keep the state of their calls. Its key
// lies in the user's folder, so that the next server can go on.
func newBox(s settings, log *slog.Logger) *round.Box {
	key, err := stateKey(s)
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

func stateKey(s settings) ([]byte, error) {
	path := s.stateKeyFile
	if path == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, "mcp-bash", "request-state.key")
	}
	return round.LoadKey(path)
}
