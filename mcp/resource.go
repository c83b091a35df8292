package mcp

import "encoding/json"

// Resource is an item of resources/list.
type Resource struct {
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title,omitzero"`
	Description string          `json:"description,omitzero"`
	MimeType    string          `json:"mimeType,omitzero"`
	Size        *int64          `json:"size,omitzero"`
	Icons       json.RawMessage `json:"icons,omitzero"`
	Annotations json.RawMessage `json:"annotations,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// In returns the resource as revision r knows it.
func (o Resource) In(r *Revision) Resource {
	r.trim(&o.Title, &o.Icons, &o.Meta)
	o.Annotations = r.Annotated(o.Annotations)
	return o
}

// ResourceTemplate is an item of resources/templates/list.
type ResourceTemplate struct {
	URITemplate string          `json:"uriTemplate"`
	Name        string          `json:"name"`
	Title       string          `json:"title,omitzero"`
	Description string          `json:"description,omitzero"`
	MimeType    string          `json:"mimeType,omitzero"`
	Icons       json.RawMessage `json:"icons,omitzero"`
	Annotations json.RawMessage `json:"annotations,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// In returns the template as revision r knows it.
func (o ResourceTemplate) In(r *Revision) ResourceTemplate {
	r.trim(&o.Title, &o.Icons, &o.Meta)
	o.Annotations = r.Annotated(o.Annotations)
	return o
}

// ResourceParams identify a resource. Name is an extension of ours.
type ResourceParams struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
	Params
}
