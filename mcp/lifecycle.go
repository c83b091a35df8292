package mcp

import "encoding/json"

// ClientCapabilities are the features a client declares. A member that is present, even as {}, is
// declared; null, which some encoders write, means absent. Unknown members are ignored (L-14),
// members of a wrong type are an error of the decoding code (L-03, N-01).
type ClientCapabilities struct {
	Roots        *RootsCapability       `json:"roots,omitzero"`
	Sampling     *SamplingCapability    `json:"sampling,omitzero"`
	Elicitation  *ElicitationCapability `json:"elicitation,omitzero"`
	Extensions   map[string]*Declared   `json:"extensions,omitzero"`
	Experimental map[string]*Declared   `json:"experimental,omitzero"`
}

// Declared is a capability without details that matter to us.
type Declared struct{}

// RootsCapability declares that the client can list its roots.
type RootsCapability struct {
	ListChanged bool `json:"listChanged,omitzero"`
}

// SamplingCapability declares that the client can ask a model.
type SamplingCapability struct {
	Tools   *Declared `json:"tools,omitzero"`
	Context *Declared `json:"context,omitzero"`
}

// ElicitationCapability declares that the client can ask its user, and in which modes.
type ElicitationCapability struct {
	Form *Declared `json:"form,omitzero"`
	URL  *Declared `json:"url,omitzero"`
}

// Elicits reports whether the client accepts elicitation/create in a mode, form or url, under
// revision r. An empty mode is form; a client that declares no mode accepts forms (C-07).
func (c ClientCapabilities) Elicits(r *Revision, mode string) bool {
	if !r.Elicitation || c.Elicitation == nil {
		return false
	}
	if mode == "url" {
		return r.ElicitationModes && c.Elicitation.URL != nil
	}
	return c.Elicitation.Form != nil || c.Elicitation.URL == nil
}

// Has reports whether the client has a capability under revision r, by the name that scripts use
// for it.
func (c ClientCapabilities) Has(r *Revision, capability string) bool {
	switch capability {
	case "roots":
		return c.Roots != nil
	case "sampling":
		return c.Sampling != nil
	case "sampling.tools":
		return r.SamplingTools && c.Sampling != nil && c.Sampling.Tools != nil
	case "sampling.context":
		return c.Sampling != nil && c.Sampling.Context != nil
	case "elicitation":
		return c.Elicits(r, "form")
	case "elicitation.url":
		return c.Elicits(r, "url")
	case "ui":
		return c.Extensions[ExtensionUI] != nil // AP-01
	case "tasks":
		return r.Stateless && c.Extensions[ExtensionTasks] != nil // TX-18
	}
	return false
}

// InitializeParams are the params of initialize. Pointers distinguish absent members from empty
// ones.
type InitializeParams struct {
	ProtocolVersion *string             `json:"protocolVersion"`
	Capabilities    *ClientCapabilities `json:"capabilities"`
	ClientInfo      *ClientInfo         `json:"clientInfo"`
	Params
}

// ClientInfo identifies a client, for logs.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// InitializeResult is the result of initialize.
type InitializeResult struct {
	ProtocolVersion string             `json:"protocolVersion"`
	Capabilities    ServerCapabilities `json:"capabilities"`
	ServerInfo      Implementation     `json:"serverInfo"`
	Instructions    string             `json:"instructions,omitzero"`
	Result
}

// DiscoverResult is the result of server/discover. The server's identity is in _meta, as in every
// result of stateless revisions (D-02, D-03).
type DiscoverResult struct {
	SupportedVersions []string           `json:"supportedVersions"`
	Capabilities      ServerCapabilities `json:"capabilities"`
	Instructions      string             `json:"instructions,omitzero"`
	Result
}

// ServerCapabilities are the features of the server. A nil member is not offered.
type ServerCapabilities struct {
	Logging     *struct{}    `json:"logging,omitzero"`
	Completions *struct{}    `json:"completions,omitzero"`
	Prompts     *ListChanged `json:"prompts,omitzero"`
	Resources   *Resources   `json:"resources,omitzero"`
	Tools       *ListChanged `json:"tools,omitzero"`

	Extensions   map[string]json.RawMessage `json:"extensions,omitzero"`
	Experimental map[string]json.RawMessage `json:"experimental,omitzero"` // the same in sessions
}

// For returns the capabilities as revision r knows them. In a session there are no extensions
// except user interfaces, for a client that has declared them.
func (c ServerCapabilities) For(client ClientCapabilities, r *Revision) ServerCapabilities {
	if !r.Completions {
		c.Completions = nil
	}
	if r.Stateless {
		c.Experimental = nil
		return c
	}
	offered := c.Extensions[ExtensionUI]
	c.Extensions = nil
	if offered != nil && client.Has(r, "ui") {
		c.Extensions = map[string]json.RawMessage{ExtensionUI: offered}
	}
	return c
}

// ListChanged declares lists, and whether changes of them are reported.
type ListChanged struct {
	ListChanged bool `json:"listChanged,omitzero"`
}

// Resources declares resources, and whether changes are reported.
type Resources struct {
	Subscribe   bool `json:"subscribe,omitzero"`
	ListChanged bool `json:"listChanged,omitzero"`
}

// Implementation identifies a server.
type Implementation struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitzero"`
	Version     string          `json:"version"`
	Description string          `json:"description,omitzero"`
	WebsiteURL  string          `json:"websiteUrl,omitzero"`
	Icons       json.RawMessage `json:"icons,omitzero"`
}

// In returns i as revision r knows it.
func (i Implementation) In(r *Revision) Implementation {
	if !r.Titles {
		i.Title = ""
	}
	if !r.Icons {
		i.Description, i.WebsiteURL, i.Icons = "", "", nil
	}
	return i
}
