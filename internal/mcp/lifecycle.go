package mcp

import "encoding/json"

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
	if c.Elicitation == nil || !r.Elicitation {
		return false
	}
	var modes struct{ Form, URL json.RawMessage }
	if json.Unmarshal(c.Elicitation, &modes) != nil {
		return false
	}
	if mode == "url" {
		return r.ElicitationModes && modes.URL != nil
	}
	return modes.Form != nil || modes.URL == nil
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
}

// ServerCapabilities are what the server offers. A nil member is not offered.
type ServerCapabilities struct {
	Logging     *struct{}    `json:"logging,omitzero"`
	Completions *struct{}    `json:"completions,omitzero"`
	Prompts     *ListChanged `json:"prompts,omitzero"`
	Resources   *Resources   `json:"resources,omitzero"`
	Tools       *ListChanged `json:"tools,omitzero"`
}

// In returns the capabilities as revision r knows them.
func (c ServerCapabilities) In(r *Revision) ServerCapabilities {
	if !r.Completions {
		c.Completions = nil
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
