package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// diagnostics collect what cannot be served of a project, so that it is reported to clients and not
// only logged.
type diagnostics struct {
	project *catalog.Project
	allowed *hooks.Policy

	looked chan struct{} // closed when the first look is over

	// The results of the first look; written before looked is closed.
	tools              []*catalog.Tool
	resources          []*catalog.Resource
	templates, prompts int
	lines              []string // its faults
}

// firstLook is how long a client that asks for the server's identity waits for the first look.
const firstLook = 200 * time.Millisecond

// maxShown is how many faults are reported to a client.
const maxShown = 20

// An Offer counts what a server offers to its clients.
type Offer struct {
	Project string // its folder; empty without one

	Tools, Resources, Templates, Prompts int

	Page   int // how many entries of a list a page has
	Broken int // faults of the project, for which something is left out
}

// take takes what the first look at the project has found, once.
func (d *diagnostics) take() {
	defer close(d.looked)
	lines := d.policy()
	tools, err := catalog.Seen[*catalog.Tool](d.project)
	lines = append(lines, faultsOf(tools, err)...)
	resources, err := catalog.Seen[*catalog.Resource](d.project)
	lines = append(lines, faultsOf(resources, err)...)
	templates, err := catalog.Seen[*catalog.Template](d.project)
	lines = append(lines, faultsOf(templates, err)...)
	prompts, err := catalog.Seen[*catalog.Prompt](d.project)
	lines = append(lines, faultsOf(prompts, err)...)
	d.lines = unique(lines)
	d.tools, d.resources = tools.Items, resources.Items
	d.templates, d.prompts = len(templates.Items), len(prompts.Items)
}

// offer returns what is offered, by the results of the first look. It may be called once, when the
// look is over: the counted lists are not kept.
func (d *diagnostics) offer() Offer {
	defer func() { d.tools, d.resources = nil, nil }()
	tools := func(t *catalog.Tool) bool { return d.allowed.Refusal(t.Name) == nil }
	if d.allowed.Barred() != nil { // which reads a file, so it is called once
		tools = func(*catalog.Tool) bool { return false }
	}
	return Offer{
		Tools:     count(d.tools, tools),
		Resources: count(d.resources, withTool(d.allowed)),
		Templates: d.templates,
		Prompts:   d.prompts,
		Broken:    len(d.lines),
	}
}

func count[T any](all []T, counts func(T) bool) (n int) {
	for _, item := range all {
		if counts(item) {
			n++
		}
	}
	return n
}

// unique removes repeated lines: a faulty registration affects several lists.
func unique(lines []string) []string {
	seen := make(map[string]bool)
	return slices.DeleteFunc(lines, func(line string) bool {
		known := seen[line]
		seen[line] = true
		return known
	})
}

// policy returns the fault of a policy that refuses all tools, if there is one.
func (d *diagnostics) policy() []string {
	if err := d.allowed.Barred(); err != nil {
		return []string{"all tools are refused: " + err.Error()}
	}
	return nil
}

// faultsOf returns a line for each fault for which a list leaves something out.
func faultsOf[T catalog.Entry](s catalog.Snapshot[T], err error) (lines []string) {
	faults := s.Faults
	if failed, ok := errors.AsType[*catalog.RegistrationError](err); ok {
		faults = failed.Faults
	}
	for _, f := range faults {
		if !f.Warning {
			lines = append(lines, f.String())
		}
	}
	return lines
}

// known returns the faults that are known now: all of them once the first look is over,
// before that only the policy's, which takes a look at one file.
func (d *diagnostics) known() []string {
	select {
	case <-d.looked:
		return d.lines
	default:
		return d.policy()
	}
}

// wait waits for the first look, from which on changes are reported, but no longer than ctx lasts.
func (d *diagnostics) wait(ctx context.Context) {
	select {
	case <-d.looked:
	case <-ctx.Done():
	}
}

// knownSoon waits a moment for the first look, and returns the faults that are known then.
func (d *diagnostics) knownSoon(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, firstLook)
	defer cancel()
	d.wait(ctx)
	return d.known()
}

// instructions returns the server's own instructions, followed by what is broken.
func instructions(own string, broken []string) string {
	if len(broken) == 0 {
		return own
	}
	told := broken[:min(len(broken), maxShown)]
	text := "Parts of this server are broken and left out; the rest works. What to fix:\n- " + strings.Join(told, "\n- ")
	if more := len(broken) - len(told); more > 0 {
		text += fmt.Sprintf("\n- and %d more", more)
	}
	text += "\n`mcp-bash validate` shows all of it."
	if own == "" {
		return text
	}
	return own + "\n\n" + text
}
