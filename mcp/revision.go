package mcp

import (
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Revision is one published version of the protocol and its features. Code checks the fields and
// methods; it does not compare version strings.
type Revision struct {
	Version string // the date that identifies it on the wire

	// Stateless is whether there is no session: every request brings its own terms, and the server
	// sends no requests (2026-07-28).
	Stateless bool

	Priming bool // over HTTP a stream begins with an event that is empty except for its id

	Batches          bool // arrays of messages
	Completions      bool // the capability key "completions"
	Context          bool // "context" of a completion
	ProgressMessages bool // "message" in progress notifications
	ToolAnnotations  bool // "annotations" on tools
	Titles           bool // "title" on tools, prompts, resources and implementations
	StructuredOutput bool // "outputSchema" and "structuredContent", of objects
	StructuredAny    bool // and of any other JSON
	Meta             bool // "_meta" on tools and content
	LastModified     bool // "lastModified" in annotations
	Icons            bool // "icons", and "description" and "websiteUrl" of implementations
	Audio            bool // audio content
	ResourceLinks    bool // resource_link content
	SamplingTools    bool // "tools" and "toolChoice" in sampling
	Elicitation      bool // elicitation/create
	ElicitationModes bool // its "mode", form or url
	ElicitationIDs   bool // its "elicitationId", in mode url
	FormDefaults     bool // defaults of every field of a form; else of booleans only
	FormChoices      bool // titled and multiple choices in forms; else "enum" and "enumNames"
}

// revisions are all revisions, newest first. To add one, add a row here, as long as all its
// differences have a field.
var revisions = []*Revision{
	{
		Version: "2026-07-28", Stateless: true, Completions: true, Context: true, ProgressMessages: true,
		ToolAnnotations: true, Titles: true, StructuredOutput: true, StructuredAny: true, Meta: true, LastModified: true,
		Icons: true, Audio: true, ResourceLinks: true, SamplingTools: true,
		Elicitation: true, ElicitationModes: true, FormDefaults: true, FormChoices: true,
	},
	{
		Version: "2025-11-25", Priming: true, Completions: true, Context: true, ProgressMessages: true, ToolAnnotations: true,
		Titles: true, StructuredOutput: true, Meta: true, LastModified: true, Icons: true, Audio: true,
		ResourceLinks: true, SamplingTools: true,
		Elicitation: true, ElicitationModes: true, ElicitationIDs: true, FormDefaults: true, FormChoices: true,
	},
	{
		Version: "2025-06-18", Completions: true, Context: true, ProgressMessages: true, ToolAnnotations: true,
		Titles: true, StructuredOutput: true, Meta: true, LastModified: true, Audio: true, ResourceLinks: true,
		Elicitation: true,
	},
	{
		Version: "2025-03-26", Batches: true, Completions: true, ProgressMessages: true, ToolAnnotations: true,
		Audio: true,
	},
	{
		Version: "2024-11-05",
	},
}

// Versions are the names of all revisions, newest first.
func Versions() []string { return names(func(*Revision) bool { return true }) }

// ClaimVersions are the names of the stateless revisions, newest first: those that may be in a
// [Claim].
func ClaimVersions() []string { return names(func(r *Revision) bool { return r.Stateless }) }

func names(of func(*Revision) bool) []string {
	var all []string
	for _, r := range revisions {
		if of(r) {
			all = append(all, r.Version)
		}
	}
	return all
}

// Lookup returns the revision of that name, nil if there is none.
func Lookup(version string) *Revision {
	for _, r := range revisions {
		if r.Version == version {
			return r
		}
	}
	return nil
}

// Latest is the newest revision that is opened by initialize.
func Latest() *Revision {
	for _, r := range revisions {
		if !r.Stateless {
			return r
		}
	}
	panic("mcp: no revision is opened by initialize")
}

// Negotiate returns the revision that answers a request for version: that one, or the newest if
// version is not one that is opened by initialize (L-01, L-02).
func Negotiate(version string) *Revision {
	if r := Lookup(version); r != nil && !r.Stateless {
		return r
	}
	return Latest()
}

// Fault returns an error of ours, or of a script, as it is under r. Stateless revisions have no
// code of their own for a resource that is not found, and of the codes of servers only those
// that they define, with their data (N-14): -32603 replaces all others.
func (r *Revision) Fault(e *jsonrpc2.Error) *jsonrpc2.Error {
	code := e.Code
	switch {
	case !r.Stateless || code > -32000 || code < -32099:
		return e
	case code == CodeResourceNotFound:
		code = jsonrpc2.CodeInvalidParams
	case !hasData(e, defined[code]):
		code = jsonrpc2.CodeInternalError
	default:
		return e
	}
	return &jsonrpc2.Error{Code: code, Message: e.Message, Data: e.Data}
}

// defined are the codes of servers that stateless revisions define, except for that of HTTP, with
// the kinds of the members of their data.
var defined = map[int64]map[string]json.Kind{
	CodeMissingCapability:  {"requiredCapabilities": '{'},
	CodeUnsupportedVersion: {"supported": '[', "requested": '"'},
}

// hasData reports whether the data of an error has the given members; false if none are given.
func hasData(e *jsonrpc2.Error, members map[string]json.Kind) bool {
	var data map[string]json.Value
	if e.Data == nil || json.Unmarshal(*e.Data, &data, json.Lenient) != nil {
		return false
	}
	for name, kind := range members {
		if data[name].Kind() != kind || kind == '[' && !areNames(data[name]) {
			return false
		}
	}
	return len(members) > 0
}

// areNames reports whether a value is an array of strings.
func areNames(v json.Value) bool {
	var names []string
	return json.Unmarshal(v, &names, json.Lenient) == nil
}

// Structures reports whether r allows v, or the values that a schema v describes, as structured
// content: at first JSON objects, in later revisions any JSON (T-10, T-11).
func (r *Revision) Structures(v json.Value) bool {
	return r.StructuredAny || r.StructuredOutput && v.Kind() == '{'
}
