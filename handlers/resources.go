package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ResourceCatalog finds resources and templates.
type ResourceCatalog interface {
	Resources(context.Context) (Snapshot[*Resource], error)
	Templates(context.Context) (Snapshot[*Template], error)
	ResourceNamed(ctx context.Context, name string) (*Resource, error) // or ErrUnknownResource
}

// Resources lists and reads resources, and takes subscriptions to them.
type Resources struct {
	Session *mcp.Session
	Catalog ResourceCatalog
	// Read returns the contents of resources/read. Its error is sent to the client.
	Read func(ctx context.Context, uri string) (contents any, err error)
	// Listed reports whether resources/list shows a resource, which can be read in any case; nil:
	// all are listed.
	Listed        func(*Resource) bool
	Subscriptions *Subscriptions
	PageSize      int    // 0: 100
	Pages         *Pages // nil: none are kept
}

// List answers resources/list.
func (r Resources) List(ctx context.Context, p mcp.ListParams) (Page, error) {
	return pager[*Resource]{
		name: "resources", find: r.Catalog.Resources, size: r.PageSize, pages: r.Pages,
		shown: func(o *Resource) bool {
			return (r.Listed == nil || r.Listed(o)) && (o.UI == nil || mcp.MissingScope(ctx, o.UI.Scopes) == "")
		},
		some: func(o *Resource) bool { return o.UI != nil && o.UI.Scopes != nil },
		item: func(o *Resource, revision *mcp.Revision) any {
			return mcp.Resource{
				URI: o.URI, Name: o.Name, Title: o.Title, Description: o.Description, MimeType: o.MIMEType, Size: o.Size,
				Icons: json.RawMessage(o.Icons), Annotations: json.RawMessage(o.Annotations), Meta: json.RawMessage(o.Meta),
			}.In(revision)
		},
	}.page(ctx, p, mcp.TermsOf(ctx, r.Session).Revision())
}

// Templates answers resources/templates/list (RT-01).
func (r Resources) Templates(ctx context.Context, p mcp.ListParams) (Page, error) {
	return pager[*Template]{
		name: "resourceTemplates", find: r.Catalog.Templates, size: r.PageSize, pages: r.Pages,
		item: func(o *Template, revision *mcp.Revision) any {
			return mcp.ResourceTemplate{
				URITemplate: o.URITemplate, Name: o.Name, Title: o.Title, Description: o.Description, MimeType: o.MIMEType,
				Icons: json.RawMessage(o.Icons), Annotations: json.RawMessage(o.Annotations), Meta: json.RawMessage(o.Meta),
			}.In(revision)
		},
	}.page(ctx, p, mcp.TermsOf(ctx, r.Session).Revision())
}

// ReadResult answers resources/read.
type ReadResult struct {
	Contents any `json:"contents"`
	mcp.Result
}

// ReadOne answers resources/read.
func (r Resources) ReadOne(ctx context.Context, p mcp.ResourceParams) (ReadResult, error) {
	uri, err := r.uri(ctx, p)
	if err != nil {
		return ReadResult{}, err
	}
	done, err := pipeline.Work(ctx)
	if err != nil {
		return ReadResult{}, err
	}
	defer done()
	contents, err := r.Read(ctx, uri)
	return ReadResult{Contents: contents}, err
}

// Subscribe answers resources/subscribe: from now on the client is notified when the resource
// changes (SU-01).
func (r Resources) Subscribe(ctx context.Context, p mcp.ResourceParams) (mcp.Empty, error) {
	uri, err := r.uri(ctx, p)
	if err != nil {
		return mcp.Empty{}, err
	}
	done, err := pipeline.Work(ctx)
	if err != nil {
		return mcp.Empty{}, err
	}
	defer done()
	return mcp.Empty{}, r.Subscriptions.Add(ctx, uri)
}

// Unsubscribe answers resources/unsubscribe.
func (r Resources) Unsubscribe(ctx context.Context, p mcp.ResourceParams) (mcp.Empty, error) {
	uri, err := r.uri(ctx, p)
	if err != nil {
		return mcp.Empty{}, err
	}
	r.Subscriptions.Remove(uri)
	return mcp.Empty{}, nil
}

// uri returns the URI of the resource that the params name, by its URI or by its name.
func (r Resources) uri(ctx context.Context, p mcp.ResourceParams) (string, error) {
	switch {
	case p.URI != "":
		return p.URI, nil
	case p.Name == "":
		return "", fmt.Errorf("%w: /uri is missing: it names the resource", pipeline.ErrInvalidParams)
	}
	found, err := r.Catalog.ResourceNamed(ctx, p.Name)
	if errors.Is(err, ErrUnknownResource) {
		return "", pipeline.Errorf(mcp.CodeResourceNotFound, "Resource not found: %s", p.Name)
	} else if err != nil {
		return "", err
	}
	return found.URI, nil
}
