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

// inMinimalMode is a method as minimal mode has it.
func (m Method) inMinimalMode() Method {
	if m.Minimal {
		return m
	}
	family, _, _ := strings.Cut(m.Name, "/")
	m.Slow, m.Looks = false, false
	m.Handle = func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
		return nil, pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "%s capability unavailable in minimal mode", strings.ToUpper(family[:1])+family[1:])
	}
	return m
}
