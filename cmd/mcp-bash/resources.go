package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// A reader reads resources: by the template that they match, by what the project
// says of them, or by their scheme.
type reader struct {
	project *project.Project
	set     providers.Set
	exec    providers.Exec
}

// newReader puts the providers together.
func newReader(p *project.Project, runner *script.Runner, env map[string]string, s settings, log *slog.Logger) reader {
	r := reader{project: p, exec: providers.Exec{
		Runner:   runner,
		Dir:      p.Root(),
		Env:      with(providers.Environment(pairs(env), s.providerEnvMode, s.providerEnvAllowlist), append(s.projectEnv[:len(s.projectEnv):len(s.projectEnv)], "MCPBASH_PROJECT_ROOT="+p.Root())...),
		MaxBytes: int64(s.maxResource),
	}}
	if runtime.GOOS == "windows" {
		r.exec.Bash, _ = exec.LookPath("bash")
	}
	git, _ := exec.LookPath("git")
	r.set = providers.Set{
		Scripts: providers.Scripts{Folder: inProject(p, s.providersDir, "providers"), Exec: r.exec},
		Schemes: map[string]providers.Provider{
			"file":  providers.File{Roots: fileRoots(p, s), Base: p.Root(), MaxBytes: int64(s.maxResource)},
			"echo":  providers.Echo{},
			"ui":    providers.UI{Find: r.page, MaxBytes: int64(s.maxUI)},
			"https": providers.HTTPS{Hosts: s.https.hosts(log), MaxBytes: int64(s.httpsMaxBytes), Timeout: s.httpsTimeout, UserAgent: s.httpsUserAgent},
			"git+https": providers.Git{
				Enabled: s.git.enabled, Hosts: s.git.hosts(log), Runner: runner, Program: git, Env: pairs(env),
				Timeout: s.gitTimeout, MaxKB: int64(s.gitMaxKB), MaxBytes: int64(s.maxResource),
			},
		},
	}
	return r
}

// fileRoots are the folders whose files can be read as resources.
func fileRoots(p *project.Project, s settings) []string {
	list := s.resourceRoots
	if list == "" {
		list = s.roots
	}
	var all []string
	for _, path := range filepath.SplitList(list) {
		if path != "" {
			all = append(all, inProject(p, path, ""))
		}
	}
	if dir := inProject(p, s.resourcesDir, "resources"); len(all) == 0 && (s.resourcesDir != "" || within(p.Root(), dir)) {
		all = append(all, dir)
	}
	return all
}

// within reports whether a folder lies in the project, whatever it is a link to:
// a link alone must not let clients read what the operator has not named.
func within(root, dir string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true // so far it is not there
	} else if err != nil {
		return false
	}
	inside, err := filepath.Rel(root, real)
	return err == nil && filepath.IsLocal(inside)
}

// inProject is a folder: as it is set, from the project's root, or the usual one.
func inProject(p *project.Project, set, usual string) string {
	if set == "" {
		set = usual
	}
	if filepath.IsAbs(set) {
		return set
	}
	return filepath.Join(p.Root(), set)
}

// read returns the contents of a resource. Its error is the one that the client
// is told.
func (r reader) read(ctx context.Context, uri string) (any, error) {
	contents, err := r.contents(ctx, uri)
	if err != nil {
		if errors.Is(err, project.ErrRegistration) || ctx.Err() != nil {
			return nil, err
		}
		return nil, providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	return contents, nil
}

func (r reader) contents(ctx context.Context, uri string) ([]providers.Content, error) {
	set := r.set
	listed, err := r.project.Resource(ctx, uri)
	switch {
	case err == nil:
		set.MimeType = func(string) string { return listed.MIMEType }
		return r.listed(ctx, set, listed)
	case !errors.Is(err, project.ErrUnknownResource):
		return nil, err
	}
	template, _, err := r.project.Match(ctx, uri)
	switch {
	case err == nil:
		set.MimeType = func(string) string { return template.MIMEType }
		if template.Path != "" {
			t, err := providers.NewTemplate(template.URITemplate, providers.Script{Path: template.Path, Exec: r.exec})
			if err != nil {
				return nil, err
			}
			set.Templates = []*providers.Template{t}
		}
	case !errors.Is(err, project.ErrUnknownTemplate):
		return nil, err
	}
	return set.Read(ctx, uri)
}

// listed reads a resource of the project. One whose address has a scheme that
// nothing serves is the file that its metadata stands beside.
func (r reader) listed(ctx context.Context, set providers.Set, o *project.Resource) ([]providers.Content, error) {
	scheme, _, _ := strings.Cut(o.URI, ":")
	scheme = strings.ToLower(scheme)
	_, scripted := set.Scripts.Provider(scheme)
	if _, served := set.Schemes[scheme]; served || scripted || o.Path == "" {
		return set.Read(ctx, o.URI)
	}
	file := (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(o.Path), "/")}).String()
	contents, err := set.Read(ctx, file)
	for i := range contents {
		contents[i].URI = o.URI
	}
	return contents, err
}

// page finds the page of a user interface, or makes it from its template.
func (r reader) page(ctx context.Context, server, name string) (providers.Page, error) {
	o, err := r.project.Resource(ctx, "ui://"+url.PathEscape(server)+"/"+name)
	switch {
	case errors.Is(err, project.ErrUnknownResource), err == nil && o.Path == "" && o.UI == nil:
		return providers.Page{}, fs.ErrNotExist
	case err != nil:
		return providers.Page{}, err
	case o.Path == "":
		html, err := uipage.Page(o.UI.Template, o.Title, o.UI.Config)
		return providers.Page{HTML: html, Meta: json.RawMessage(o.Meta)}, err
	}
	return providers.Page{Folder: filepath.Dir(o.Path), File: filepath.Base(o.Path), Meta: json.RawMessage(o.Meta)}, nil
}

// one reads the first content of a resource, for prompts that embed it.
func (r reader) one(ctx context.Context, uri string) (json.RawMessage, error) {
	contents, err := r.contents(ctx, uri)
	if err != nil {
		return nil, providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	return json.Marshal(contents[0])
}
