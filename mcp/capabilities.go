package mcp

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// notNull refuses null for a capability: a client that does not have it leaves it out (L-03, N-01).
var notNull = jsonv2.WithUnmarshalers(
	jsonv2.RefuseNull[*RootsCapability](), jsonv2.RefuseNull[*SamplingCapability](),
	jsonv2.RefuseNull[*ElicitationCapability](), jsonv2.RefuseNull[*Declared](), jsonv2.RefuseNull[map[string]*Declared](),
)

// UnmarshalJSONFrom reads the capabilities of a client.
func (c *ClientCapabilities) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	type plain ClientCapabilities
	return jsonv2.UnmarshalDecode(in, (*plain)(c), notNull)
}
