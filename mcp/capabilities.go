package mcp

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// notNull refuses null for a capability: a client that does not have it leaves it out (L-03, N-01).
var notNull = json.WithUnmarshalers(
	json.RefuseNull[*RootsCapability](), json.RefuseNull[*SamplingCapability](),
	json.RefuseNull[*ElicitationCapability](), json.RefuseNull[*Declared](), json.RefuseNull[map[string]*Declared](),
)

// UnmarshalJSONFrom reads the capabilities of a client.
func (c *ClientCapabilities) UnmarshalJSONFrom(in *json.Decoder) error {
	type plain ClientCapabilities
	return json.UnmarshalDecode(in, (*plain)(c), notNull)
}
