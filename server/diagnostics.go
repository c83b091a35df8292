package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/policy"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// diagnostics are what of a project cannot be served, so that clients are told and
// not only the log.
type diagnostics struct {
	project *project.Project
	allowed *policy.Policy
	log     *slog.Logger

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

func newDiagnostics(p *project.Project, allowed *policy.Policy, log *slog.Logger) *diagnostics {
	return &diagnostics{project: p, allowed: allowed, log: log, looked: make(chan struct{})}
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
	began := time.Now()
	var lines []string
	if err := d.allowed.Barred(); err != nil {
		lines = append(lines, "all tools are refused: "+err.Error())
	}
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
	d.discovered("tools", names(tools.Items, func(t *project.Tool) string { return t.Name }))
	d.discovered("resources", names(resources.Items, func(r *project.Resource) string { return r.URI }))
	d.discovered("templates", names(templates.Items, func(t *project.Template) string { return t.URITemplate }))
	d.discovered("prompts", names(prompts.Items, func(p *project.Prompt) string { return p.Name }))
	d.log.Debug("first look at the project is over", "took", time.Since(began).Round(100*time.Microsecond))
}

// discovered logs what a list has.
func (d *diagnostics) discovered(list string, names []string) {
	const most = 20
	shown := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	d.log.Debug("discovered", "list", list, "count", len(names), "names", shown)
}

func names[T any](all []T, name func(T) string) []string {
	var names []string
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}

// offer is what is offered, as the first look has shown it. Call it once, when that is over:
// what it has counted is not kept.
func (d *diagnostics) offer() Offer {
	defer func() { d.tools, d.resources = nil, nil }()
	return Offer{
		Tools:     count(d.tools, func(t *project.Tool) bool { return d.allowed.Listed(t.Name) }),
		Resources: count(d.resources, withTool(d.allowed)),
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
