package handlers

import (
	"context"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Minimal makes a server of the families that does no more than open and end
// sessions, answer ping and tell log messages: for an operator who looks for
// what a client trips over. The methods of what is left out say why.
func Minimal(f Families) Families {
	offers := mcp.ServerCapabilities{Logging: &struct{}{}}
	f.minimal = true
	f.Lifecycle.Offers = offers
	f.Tasks = nil
	if f.Listens != nil {
		f.Listens.Offers = offers
	}
	return f
}

// leftOut is what minimal mode has not, by the beginning of the methods.
var leftOut = map[string]string{
	"tools":      "Tools",
	"resources":  "Resources",
	"prompts":    "Prompts",
	"completion": "Completion",
}

// unavailable is a method as minimal mode has it.
func unavailable(m Method) Method {
	family, _, _ := strings.Cut(m.Name, "/")
	if capability := leftOut[family]; capability != "" {
		m.Slow = false
		m.Handle = func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
			return nil, pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "%s capability unavailable in minimal mode", capability)
		}
	}
	return m
}
