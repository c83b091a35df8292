package clients

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// Patience is how long Try waits for all answers together.
const Patience = 10 * time.Second

// A Report is what a server reported.
type Report struct {
	Server   string        `json:"server"` // its name
	Version  string        `json:"version"`
	Protocol string        `json:"protocol"`
	Tools    []string      `json:"tools"`
	Stderr   string        `json:"stderr"` // the end of its output
	Took     time.Duration `json:"tookNanoseconds"`
}

// Try starts a server as a client does, opens a session, lists the tools and ends the server. After
// an error the report has what was received before it, and stderr in any case.
func Try(ctx context.Context, l Launch) (r Report, err error) {
	began := time.Now()
	defer func() { r.Took = time.Since(began) }()
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	program, err := l.program()
	if err != nil {
		return r, err
	}
	stderr := process.Tail{Limit: 4 << 10}
	cmd := exec.CommandContext(ctx, program, l.Args...)
	cmd.Env, cmd.Dir, cmd.Stderr = l.Env, l.Dir, &stderr
	server, err := dial.Start(cmd)
	if err != nil {
		return r, fmt.Errorf("the server does not start: %w", err)
	}
	err = r.ask(ctx, server)
	ended := server.Ended()
	r.Stderr = stderr.Text()
	switch noise := server.Noise(); {
	case !errors.Is(err, dial.ErrGone):
		return r, err
	case noise != "":
		return r, fmt.Errorf("the server wrote %q to stdout, where only messages belong", noise)
	case ended != nil:
		return r, fmt.Errorf("the server ended before it answered: %w", ended)
	}
	return r, errors.New("the server ended before it answered")
}
