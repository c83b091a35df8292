package server

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
	"github.com/mcp-bash/mcp-bash/v2/internal/policy"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// diagnostics are what of a project cannot be served, so that clients are told and
// not only the log.
type diagnostics struct {
	project *project.Project
	guards  hooks.Rules // for its policy.sh

	looked chan struct{} // closed when the first look is over

	// What it has shown; written before looked is closed.
	tools              []*project.Tool
	resources          []*project.Resource
	templates, prompts int

	mu    sync.Mutex
	lines []string
}

// firstLook is how long a handshake waits for the first look at a project.
const firstLook = 200 * time.Millisecond

// maxShown is how many a client is told.
const maxShown = 20

func newDiagnostics(p *project.Project, guards hooks.Rules) *diagnostics {
	return &diagnostics{project: p, guards: guards, looked: make(chan struct{})}
}

// An Offer says how much a server offers to its clients.
type Offer struct {
	Project string // its folder; empty without one

	Tools, Resources, Templates, Prompts int

	Broken int // faults of the project, for which something is left out
}

// look looks at the whole project, once.
func (d *diagnostics) look(ctx context.Context) {
	defer close(d.looked)
	lines := d.policy()
	tools, err := d.project.Tools(ctx)
	lines = append(lines, faultsOf(tools, err)...)
	resources, err := d.project.Resources(ctx)
	lines = append(lines, faultsOf(resources, err)...)
	templates, err := d.project.Templates(ctx)
	lines = append(lines, faultsOf(templates, err)...)
	prompts, err := d.project.Prompts(ctx)
	lines = append(lines, faultsOf(prompts, err)...)
	d.keep(lines)
	d.tools, d.resources = tools.Items, resources.Items
	d.templates, d.prompts = len(templates.Items), len(prompts.Items)
}

// offer is what is offered, as the first look has shown it. Call it once, when that is over:
// what it has counted is not kept.
func (d *diagnostics) offer(allowed *policy.Policy) Offer {
	defer func() { d.tools, d.resources = nil, nil }()
	return Offer{
		Tools:     count(d.tools, func(t *project.Tool) bool { return allowed.Listed(t.Name) }),
		Resources: count(d.resources, withTool(allowed)),
		Templates: d.templates,
		Prompts:   d.prompts,
		Broken:    len(d.lines),
	}
}

func count[T any](all []T, counts func(T) bool) (n int) {
	for _, one := range all {
		if counts(one) {
			n++
		}
	}
	return n
}

// keep keeps lines, each of them once.
func (d *diagnostics) keep(lines []string) {
	seen := make(map[string]bool)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, line := range lines { // a registration spoils several lists
		if !seen[line] {
			seen[line] = true
			d.lines = append(d.lines, line)
		}
	}
}

// policy says that all tools are refused, as there is a policy that may not run.
func (d *diagnostics) policy() []string {
	path := filepath.Join(d.project.ServerDir(), "policy.sh")
	err := d.guards.Check(d.project.Root(), path)
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
func (d *diagnostics) instructions(ctx context.Context, own string) string {
	select {
	case <-d.looked:
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.lines) == 0 {
		return own
	}
	told := d.lines[:min(len(d.lines), maxShown)]
	text := "Some of this server is broken and left out; the rest works. What to mend:\n- " + strings.Join(told, "\n- ")
	if more := len(d.lines) - len(told); more > 0 {
		text += fmt.Sprintf("\n- and %d more", more)
	}
	text += "\n`mcp-bash validate` shows all of it."
	if own == "" {
		return text
	}
	return own + "\n\n" + text
}
