package server

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// A source is where a resource comes from.
type source struct {
	provider providers.Provider
	uri      string // that the provider reads
	resource string // the URI of the resource, if it is another one
	mimeType string // in the metadata, which takes precedence over the detected one
	file     string // the resource changes when this file does; "" if it may change otherwise
}

// source decides which provider reads a URI, for all who read it, watch it or ask what is read:
//
//  1. for a resource of the project, the provider that its metadata names, else that of its scheme. If that
//     is the one of files, or there is none, it is read from the file that its metadata belongs to
//  2. for a URI that a template matches, the template's script, else the provider that its metadata names,
//     else that of the scheme
//  3. the provider of the scheme
func (r reader) source(ctx context.Context, uri string) (from source, err error) {
	from.uri = uri
	listed, err := r.project.Resource(ctx, uri)
	switch {
	case err == nil:
		from, err = r.listed(listed)
	case errors.Is(err, catalog.ErrUnknownResource):
		err = r.matched(ctx, &from)
	}
	if err != nil {
		return from, err
	}
	switch p := from.provider.(type) {
	case providers.File:
		from.file, _ = p.Path(from.uri)
	case providers.UI:
		if listed != nil {
			from.file = cmp.Or(listed.Path, listed.MetadataFile)
		}
	}
	return from, nil
}

// listed returns the source of a resource of the project.
func (r reader) listed(o *catalog.Resource) (source, error) {
	other := catalog.OtherProvider(o.Provider, o.URI)
	p, err := r.set.Find(other, o.URI)
	_, own := p.(providers.Script)
	ofFiles := strings.EqualFold(other, "file") && !own || other == "" && errors.Is(err, providers.ErrNotFound)
	if o.Path == "" || !ofFiles {
		return source{provider: p, uri: o.URI, mimeType: o.MIMEType}, err
	}
	uri := files.URI(o.Path)
	p, err = r.set.Find("", uri)
	return source{provider: p, uri: uri, resource: o.URI, mimeType: o.MIMEType}, err
}

// matched fills in the source of a URI that is not listed.
func (r reader) matched(ctx context.Context, from *source) error {
	t, _, err := r.project.Match(ctx, from.uri)
	name := ""
	switch {
	case errors.Is(err, catalog.ErrUnknownTemplate):
	case err != nil:
		return err
	case t.Path != "":
		exec := r.exec
		if t.Timeout != nil {
			exec.Timeout = *t.Timeout
		}
		from.mimeType = t.MIMEType
		from.provider, err = providers.NewTemplate(t.URITemplate, providers.Script{Path: t.Path, Exec: exec})
		return err
	default:
		from.mimeType, name = t.MIMEType, catalog.OtherProvider(t.Provider, t.URITemplate)
	}
	from.provider, err = r.set.Find(name, from.uri)
	return err
}

// read reads the contents of a resource.
func (s source) read(ctx context.Context) ([]providers.Content, error) {
	contents, err := providers.Read(ctx, s.provider, s.uri)
	for i := range contents {
		if s.resource != "" {
			contents[i].URI = s.resource
		}
		if s.mimeType != "" {
			contents[i].MimeType = s.mimeType
		}
	}
	return contents, err
}

// changes tells the watcher how it learns that a resource has changed, if not by reading it.
func (r reader) changes(uri string) (c watch.Changes) {
	from, err := r.source(context.Background(), uri)
	if err != nil || from.file == "" {
		return c
	}
	c.Reported, c.Release = r.project.Observe(from.file)
	if _, ofFiles := from.provider.(providers.File); ofFiles && from.uri == uri { // else metadata may change what is read
		c.Stamp = func() string { return catalog.Stamp(from.file) }
	}
	return c
}
