package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// A reader reads resources: by the template that they match, by their entry in the project, or by
// their scheme. The provider that metadata names takes precedence over that of the scheme.
type reader struct {
	project *catalog.Project
	set     providers.Set
	exec    providers.Exec
}

// newReader returns a reader with all providers. The project's scripts are run by scripts, and git
// by programs, with none but its own variables.
func newReader(p *catalog.Project, scripts, programs providers.Run, o Options) reader {
	r := reader{project: p, exec: providers.Exec{Run: scripts, Timeout: o.Limits.ToolTimeout,
		MaxBytes: bytes(o.Limits.Resource)}}
	r.set = providers.Set{
		Scripts: providers.Scripts{Folder: o.providersFolder(p.Root()), Exec: r.exec},
		Schemes: r.builtIn(p.Root(), o.FileRoots(p.Root()), programs, o),
	}
	maps.Copy(r.set.Schemes, o.Providers)
	return r
}

// builtIn are the providers that every server has, by scheme, for the project in the folder root.
func (r reader) builtIn(root string, roots []string, programs providers.Run, o Options) map[string]providers.Provider {
	limits, git := o.Limits, ""
	if o.GitEnabled {
		git, _ = exec.LookPath("git")
	}
	return map[string]providers.Provider{
		"file": providers.File{Roots: roots, Base: root, MaxBytes: bytes(limits.Resource)},
		"echo": providers.Echo{},
		"ui":   providers.UI{Find: r.page, MaxBytes: bytes(limits.UIPage)},
		"https": providers.HTTPS{Hosts: o.HTTPS, MaxBytes: int64(limits.HTTPSBytes), Timeout: limits.HTTPSTimeout,
			UserAgent: o.UserAgent},
		"git+https": providers.Git{
			Enabled: o.GitEnabled, Hosts: o.Git, Run: programs, Program: git, Env: o.Environ,
			Timeout: limits.GitTimeout, MaxKB: int64(limits.GitKiB), MaxBytes: bytes(limits.Resource),
		},
	}
}

// BuiltIn returns the schemes that every server reads without a script of the project. Scripts of a project call their
// providers by name, the scheme without what follows a "+".
func BuiltIn() map[string]string {
	names := make(map[string]string)
	for scheme := range (reader{}).builtIn("", nil, nil, Options{}) {
		name, _, _ := strings.Cut(scheme, "+")
		names[name] = scheme
	}
	return names
}

// providersFolder returns the folder of the own providers of the project in the folder root.
func (o Options) providersFolder(root string) string {
	return files.InRoot(root, cmp.Or(o.Folders.Providers, catalog.Usual().Providers))
}

// bytes converts a limit in bytes for providers, for which 0 means a default.
func bytes(limit int) int64 {
	if limit == 0 {
		return math.MaxInt64
	}
	return int64(limit)
}

// FileRoots returns the folders whose files can be read as resources of the project in the folder
// root: absolute paths.
func (o Options) FileRoots(root string) []string {
	list := o.ResourceRoots
	if list == nil {
		list = o.Roots
	}
	var all []string
	for _, path := range list {
		if path != "" {
			all = append(all, files.InRoot(root, path))
		}
	}
	if dir := files.InRoot(root, cmp.Or(o.Folders.Resources, "resources")); len(all) == 0 &&
		(o.Folders.Resources != "" || within(root, dir)) {
		all = append(all, dir)
	}
	return all
}

// within reports whether a folder is in the project after resolving links: a link alone must not
// let clients read what the operator has not named.
func within(root, dir string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true // it does not exist yet
	} else if err != nil {
		return false
	}
	_, inside := files.Inside(root, real)
	return inside
}

// read returns the contents of a resource for a client, which the watcher remembers. Its error is
// the one that is sent to the client.
func (p *served) read(ctx context.Context, uri string) (any, error) {
	if err := p.reader.withheld(ctx, uri); err != nil { // for others it is there
		return nil, providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	contents, err := p.reader.contents(ctx, uri)
	switch {
	case err == nil:
		p.watcher.Given(uri, func() (string, error) { return digestOf(contents) })
		return contents, nil
	case errors.Is(err, catalog.ErrRegistration) || ctx.Err() != nil:
		return nil, err
	}
	err = providers.WireError(err, uri, mcp.CodeResourceNotFound)
	if gone(err) {
		p.watcher.Given(uri, func() (string, error) { return "", nil })
	}
	return nil, err
}

// withheld returns the error of a page that is not found if the caller of ctx may not call its tool.
func (r reader) withheld(ctx context.Context, uri string) error {
	if !catalog.IsInterface(uri) {
		return nil
	}
	if ui, err := r.userInterface(ctx, uri); err != nil || ui.UI == nil || mcp.MissingScope(ctx, ui.UI.Scopes) == "" {
		return nil
	}
	return fmt.Errorf("%w: no page is called %s", providers.ErrNotFound, uri)
}

func (r reader) contents(ctx context.Context, uri string) ([]providers.Content, error) {
	from, err := r.source(ctx, uri)
	if err != nil {
		return nil, err
	}
	contents, err := from.read(ctx)
	if err != nil || !catalog.IsInterface(uri) {
		return contents, err
	}
	// Hosts show nothing else, whatever provides it.
	for i := range contents {
		contents[i].MimeType = mcp.UIMIMEType
		if contents[i].Meta != nil {
			continue
		}
		if ui, err := r.userInterface(ctx, uri); err == nil {
			contents[i].Meta = json.RawMessage(ui.Meta)
		}
	}
	return contents, nil
}

// Provide reads a URI by the built-in provider of its scheme, as sessions of a server with these
// options do, except for resources that only the project defines. The error wraps an error of the
// package providers.
func Provide(ctx context.Context, o Options, uri string) ([]providers.Content, error) {
	o.Limits = o.Limits.Resolved()
	p, err := catalog.Open(o.ProjectRoot, catalog.Options{Folders: catalog.Folders(o.Folders)})
	if err != nil {
		return nil, err
	}
	runtime := &run.Runtime{Runner: &process.Runner{}, Root: p.Root(), Log: slog.New(slog.DiscardHandler)}
	r := newReader(p, nil, providerRun(runtime.Run), o)
	return providers.Set{Schemes: r.set.Schemes}.Read(ctx, uri)
}

// page finds the page of a user interface, or generates it from its template.
func (r reader) page(ctx context.Context, uri string) (providers.Page, error) {
	o, err := r.userInterface(ctx, uri)
	switch {
	case errors.Is(err, catalog.ErrUnknownResource):
		return providers.Page{}, fs.ErrNotExist
	case err != nil:
		return providers.Page{}, err
	case o.Path == "":
		html, err := uipage.Page(o.UI.Template, o.Title, o.UI.Config)
		return providers.Page{HTML: html, Meta: json.RawMessage(o.Meta)}, err
	}
	return providers.Page{Folder: filepath.Dir(o.Path), File: filepath.Base(o.Path), Meta: json.RawMessage(o.Meta)}, nil
}

// userInterface finds the user interface with a URI, else the one with its name.
func (r reader) userInterface(ctx context.Context, uri string) (*catalog.Resource, error) {
	o, err := r.project.Resource(ctx, uri)
	if errors.Is(err, catalog.ErrUnknownResource) || err == nil && o.Path == "" && o.UI == nil {
		return r.project.Interface(ctx, uri)
	}
	return o, err
}

// firstContent reads the first content of a resource, for prompts that embed it.
func (r reader) firstContent(ctx context.Context, uri string) (json.RawMessage, error) {
	err := r.withheld(ctx, uri)
	var contents []providers.Content
	if err == nil {
		contents, err = r.contents(ctx, uri)
	}
	if err != nil {
		return nil, providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	return json.Marshal(contents[0])
}
