package mcp

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ClientCapabilities are the features a client declares. A member that is
// present, if only as {}, is declared; unknown ones are ignored (L-14).
type ClientCapabilities struct {
	Roots       *RootsCapability           `json:"roots,omitzero"`
	Sampling    json.RawMessage            `json:"sampling,omitzero"`
	Elicitation json.RawMessage            `json:"elicitation,omitzero"`
	Extensions  map[string]json.RawMessage `json:"extensions,omitzero"`
}

// Elicits reports whether the client takes elicitation/create in a mode, form or
// url, under revision r. An empty mode is form; a client that names no mode
// takes forms (C-07).
func (c ClientCapabilities) Elicits(r *Revision, mode string) bool {
	if !r.Elicitation || jsontext.Value(c.Elicitation).Kind() != '{' {
		return false
	}
	url := declares(c.Elicitation, "url")
	if mode == "url" {
		return r.ElicitationModes && url
	}
	return declares(c.Elicitation, "form") || !url
}

// Has reports whether the client has a capability under revision r, by the name
// that scripts use.
func (c ClientCapabilities) Has(r *Revision, capability string) bool {
	switch capability {
	case "roots":
		return c.Roots != nil
	case "sampling":
		return declared(c.Sampling)
	case "sampling.tools":
		return r.SamplingTools && declares(c.Sampling, "tools")
	case "sampling.context":
		return declares(c.Sampling, "context")
	case "elicitation":
		return c.Elicits(r, "form")
	case "elicitation.url":
		return c.Elicits(r, "url")
	case "ui":
		return declared(c.Extensions[ExtensionUI]) // AP-01
	case "tasks":
		return r.Stateless && declared(c.Extensions[ExtensionTasks]) // TX-18
	}
	return false
}

// declares reports whether a capability has a member.
func declares(capability json.RawMessage, name string) bool {
	var members map[string]json.RawMessage
	return jsonv2.Unmarshal(capability, &members, lenient) == nil && declared(members[name])
}

// declared reports whether a capability is there; null is what some encoders
// write for one that is not.
func declared(capability json.RawMessage) bool {
	return capability != nil && jsontext.Value(capability).Kind() != 'n'
}

// RootsCapability says that the client can list its roots.
type RootsCapability struct {
	ListChanged bool `json:"listChanged,omitzero"`
}

// InitializeParams open a session. Pointers tell an absent member from an empty
// one.
type InitializeParams struct {
	ProtocolVersion *string             `json:"protocolVersion"`
	Capabilities    *ClientCapabilities `json:"capabilities"`
	ClientInfo      *ClientInfo         `json:"clientInfo"`
}

// ClientInfo names a client, for logs.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// InitializeResult answers initialize.
type InitializeResult struct {
	ProtocolVersion string             `json:"protocolVersion"`
	Capabilities    ServerCapabilities `json:"capabilities"`
	ServerInfo      Implementation     `json:"serverInfo"`
	Instructions    string             `json:"instructions,omitzero"`
	Result
}

// DiscoverResult answers server/discover. Who the server is stands in _meta, as
// on every result of stateless revisions (D-02, D-03).
type DiscoverResult struct {
	SupportedVersions []string           `json:"supportedVersions"`
	Capabilities      ServerCapabilities `json:"capabilities"`
	Instructions      string             `json:"instructions,omitzero"`
	Result
}

// ServerCapabilities are what the server offers. A nil member is not offered.
type ServerCapabilities struct {
	Logging     *struct{}    `json:"logging,omitzero"`
	Completions *struct{}    `json:"completions,omitzero"`
	Prompts     *ListChanged `json:"prompts,omitzero"`
	Resources   *Resources   `json:"resources,omitzero"`
	Tools       *ListChanged `json:"tools,omitzero"`

	Extensions map[string]json.RawMessage `json:"extensions,omitzero"`
}

// For returns the capabilities as revision r knows them. A session has no
// extensions but user interfaces, for a client that has declared them (F-15).
func (c ServerCapabilities) For(client ClientCapabilities, r *Revision) ServerCapabilities {
	if !r.Completions {
		c.Completions = nil
	}
	if r.Stateless {
		return c
	}
	offered := c.Extensions[ExtensionUI]
	c.Extensions = nil
	if offered != nil && client.Has(r, "ui") {
		c.Extensions = map[string]json.RawMessage{ExtensionUI: offered}
	}
	return c
}

// ListChanged offers lists, and says whether their changes are told.
type ListChanged struct {
	ListChanged bool `json:"listChanged,omitzero"`
}

// Resources offers resources, and says whether changes are told.
type Resources struct {
	Subscribe   bool `json:"subscribe,omitzero"`
	ListChanged bool `json:"listChanged,omitzero"`
}

// Implementation names a server.
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
