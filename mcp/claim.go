package mcp

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Claim is what a request declares in its _meta, instead of a session: its revision, the
// capabilities of its client and the log level that it wants. It applies to that request alone
// (N-06).
type Claim struct {
	revision *Revision
	client   ClientCapabilities
	level    Level
}

// Revision returns the revision that the request is served in.
func (c *Claim) Revision() *Revision { return c.revision }

// Client returns the capabilities of the client for this request.
func (c *Claim) Client() ClientCapabilities { return c.client }

// Has reports whether the request's client has a capability, see [ClientCapabilities.Has]. A nil
// claim has no capabilities.
func (c *Claim) Has(capability string) bool {
	return c != nil && c.client.Has(c.revision, capability)
}

// Level returns the lowest log level of this request, "" for none (LG-05).
func (c *Claim) Level() Level { return c.level }

// These are the keys of a claim in _meta.
const (
	keyVersion      = "io.modelcontextprotocol/protocolVersion"
	keyCapabilities = "io.modelcontextprotocol/clientCapabilities"
	keyClientInfo   = "io.modelcontextprotocol/clientInfo"
	keyLogLevel     = "io.modelcontextprotocol/logLevel"
)

// claimMark is in all params with a claim: looking for it is cheaper than decoding. The key ends
// before the slash, which may be escaped.
var claimMark = []byte(`"io.modelcontextprotocol`)

// HasClaim reports whether params contain a claim, valid or not.
func HasClaim(params json.RawMessage) bool { return claimIn(params) != nil }

// claimIn returns the members of _meta if one of them belongs to a claim.
func claimIn(params json.RawMessage) map[string]json.Value {
	if !bytes.Contains(params, claimMark) {
		return nil
	}
	var p struct {
		Meta map[string]json.Value `json:"_meta"`
	}
	if json.Unmarshal(params, &p, json.Lenient) != nil {
		return nil
	}
	for _, key := range []string{keyVersion, keyCapabilities, keyClientInfo, keyLogLevel} {
		if p.Meta[key] != nil {
			return p.Meta
		}
	}
	return nil
}

// ParseClaim reads the claim in params; nil if there is none. The version is checked first, as a
// future revision may have other keys (N-05). The error for a claim that cannot be served is a
// *jsonrpc2.Error (N-01 to N-04).
func ParseClaim(params json.RawMessage) (*Claim, error) {
	meta := claimIn(params)
	if meta == nil {
		return nil, nil
	}
	var version string
	if err := member(meta, keyVersion, &version); err != nil {
		return nil, err
	}
	c := &Claim{revision: Lookup(version)}
	if c.revision == nil || !c.revision.Stateless {
		return nil, ErrUnsupported(version)
	}
	if err := member(meta, keyCapabilities, &c.client); err != nil {
		return nil, err
	}
	if meta[keyClientInfo] != nil {
		var info struct {
			Name    *string `json:"name"`
			Version *string `json:"version"`
		}
		if err := member(meta, keyClientInfo, &info); err != nil {
			return nil, err
		}
		if info.Name == nil || info.Version == nil {
			return nil, invalid("%s must have a name and a version", pointer(keyClientInfo)) // N-03
		}
	}
	if meta[keyLogLevel] != nil {
		if err := member(meta, keyLogLevel, &c.level); err != nil {
			return nil, err
		}
		if !c.level.Valid() { // LG-07
			return nil, invalid("%s must be one of debug, info, notice, warning, error, critical, alert, emergency",
				pointer(keyLogLevel))
		}
	}
	return c, nil
}

// member reads a required member of _meta.
func member(meta map[string]json.Value, key string, v any) error {
	switch raw := meta[key]; {
	case raw == nil:
		return invalid("%s is missing: every request of %s must have it", pointer(key), strings.Join(ClaimVersions(), ", "))
	case raw.Kind() == 'n' || json.Unmarshal(raw, v, json.Lenient) != nil:
		return invalid("%s has the wrong type", pointer(key))
	}
	return nil
}

func invalid(format string, args ...any) error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "invalid params: " + fmt.Sprintf(format, args...)}
}

// pointer returns the JSON pointer to a member of _meta, with its slash escaped as in RFC 6901.
func pointer(key string) string {
	return "/_meta/" + string(bytes.ReplaceAll([]byte(key), []byte("/"), []byte("~1")))
}

// ClaimedVersion returns the version in the claim of params, "" if there is none.
func ClaimedVersion(params json.RawMessage) string {
	var version string
	_ = json.Unmarshal(claimIn(params)[keyVersion], &version, json.Lenient)
	return version
}

// ErrUnsupported returns the error for a version that is not allowed in a claim. For a client that
// named a version with sessions, the error does not list those: it would try them the same way
// again (B-07).
func ErrUnsupported(version string) error {
	supported := Versions()
	if Lookup(version) != nil {
		supported = ClaimVersions()
	}
	return withData(CodeUnsupportedVersion, "Unsupported protocol version",
		"requested", version, "supported", supported)
}

// ErrRemoved returns the error for a request of a method that its revision no longer has (N-11,
// B-06).
func ErrRemoved(method string, r *Revision) error {
	return withData(jsonrpc2.CodeMethodNotFound,
		fmt.Sprintf("Method not found: %s is not part of %s", method, r.Version), "supported", Versions())
}

// ErrMissingCapability returns the error for a request that needs a capability that its client has
// not declared (N-07). Required is an object of client capabilities.
func ErrMissingCapability(required json.RawMessage) error {
	return withData(CodeMissingCapability, "Missing required client capability", "requiredCapabilities", required)
}

// withData returns an error with the members of its data, names and values in turn.
func withData(code int64, message string, data ...any) error {
	raw := json.RawMessage(json.Object(data...))
	return &jsonrpc2.Error{Code: code, Message: message, Data: &raw}
}
