package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// troubles know what of a project cannot be served, so that a client is told and
// not only the log.
type troubles struct {
	project *project.Project
	guards  hooks.Rules // for its policy.sh

	begin  sync.Once
	looked chan struct{} // closed when the first look is over

	mu    sync.Mutex
	lines []string
}

// firstLook is how long a handshake waits for the first look at a project.
const firstLook = 200 * time.Millisecond

// maxTroubles is how many a client is told.
const maxTroubles = 20

func newTroubles(p *project.Project, guards hooks.Rules) *troubles {
	return &troubles{project: p, guards: guards, looked: make(chan struct{})}
}

// look begins to look at the whole project, once.
func (t *troubles) look() {
	t.begin.Do(func() { go t.first(context.Background()) })
}

// first is the first look.
func (t *troubles) first(ctx context.Context) {
	defer close(t.looked)
	lines := t.policy()
	lines = append(lines, faultsOf(t.project.Tools(ctx))...)
	lines = append(lines, faultsOf(t.project.Resources(ctx))...)
	lines = append(lines, faultsOf(t.project.Templates(ctx))...)
	lines = append(lines, faultsOf(t.project.Prompts(ctx))...)
	seen := make(map[string]bool)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range lines { // a registration spoils several lists
		if !seen[line] {
			seen[line] = true
			t.lines = append(t.lines, line)
		}
	}
}

// policy says that all tools are refused, as there is a policy that may not run.
func (t *troubles) policy() []string {
	path := filepath.Join(t.project.ServerDir(), "policy.sh")
	err := t.guards.Check(t.project.Root(), path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return []string{"all tools are refused: " + err.Error()}
}

// faultsOf are what a list leaves out, a line each.
func faultsOf[T project.Entry](s project.Snapshot[T], err error) (lines []string) {
	faults := s.Faults
	var failed *project.RegistrationError
	if errors.As(err, &failed) {
		faults = failed.Faults
	}
	for _, f := range faults {
		if !f.Warning {
			lines = append(lines, f.String())
		}
	}
	return lines
}

// instructions are those of the server, and what the client should know of what
// is broken, as far as a first look has shown it before ctx ends.
func (t *troubles) instructions(ctx context.Context, own string) string {
	t.look()
	select {
	case <-t.looked:
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return own
	}
	told := t.lines[:min(len(t.lines), maxTroubles)]
	text := "Some of this server is broken and left out; the rest works. What to mend:\n- " + strings.Join(told, "\n- ")
	if more := len(t.lines) - len(told); more > 0 {
		text += fmt.Sprintf("\n- and %d more", more)
	}
	text += "\n`mcp-bash validate` tells all of it."
	if own == "" {
		return text
	}
	return own + "\n\n" + text
}
