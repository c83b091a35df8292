package bundle

import (
	"context"
	"errors"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

// List fills in what the server of the project offers, which is opened with o, and returns the faults of
// what it leaves out.
func (s *Source) List(ctx context.Context, o catalog.Options) ([]catalog.Fault, error) {
	// A bundle has the default folders: variables apply to this machine only.
	o.Folders, o.Static = catalog.Folders{Registry: s.Registry}, false
	opened, err := catalog.Open(s.Root, o)
	if err != nil {
		return nil, err
	}
	identity, faults := opened.Identity()
	tools, errTools := opened.Tools(ctx)
	prompts, errPrompts := opened.Prompts(ctx)
	resources, errResources := opened.Resources(ctx)
	templates, errTemplates := opened.Templates(ctx)
	rules, errRules := opened.Interceptors(ctx)
	if err := errors.Join(errTools, errPrompts, errResources, errTemplates, errRules); err != nil {
		return nil, err
	}
	s.Identity, s.Tools, s.Prompts = identity, tools.Items, prompts.Items
	return slices.Concat(faults, tools.Faults, prompts.Faults, resources.Faults, templates.Faults, rules.Faults), nil
}
