package handlers

import (
	"context"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Minimal reduces a server to opening and closing sessions, ping and log messages, so that an
// operator can find out what a client fails on. The methods that are left out return an error that
// explains why.
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

// inMinimalMode returns a method as it is in minimal mode.
func (m Method) inMinimalMode() Method {
	if m.Minimal {
		return m
	}
	family, _, _ := strings.Cut(m.Name, "/")
	m.Slow, m.Looks = false, false
	m.Handle = func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
		return nil, pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "%s capability unavailable in minimal mode",
			strings.ToUpper(family[:1])+family[1:])
	}
	return m
}
