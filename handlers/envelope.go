package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An Envelope is what results of stateless revisions say beside what they are
// asked for. Results of a session are left as they are (B-05).
type Envelope struct {
	// Server tells who the server is (N-09).
	Server func() mcp.Implementation
	// TTL is how long clients may keep lists. Files change at any time, so it
	// is 0 but for servers that do not look at them.
	TTL time.Duration
}

// keyServerInfo is where the server's name stands in _meta of a result.
const keyServerInfo = "io.modelcontextprotocol/serverInfo"

// cached are the methods whose results say how long they may be kept, and by
// whom (CA-01, CA-02). Lists are the same for every client; what a resource
// holds is between its reader and us, and may be something else at once.
var cached = map[string]mcp.CacheScope{
	"server/discover":          mcp.Public,
	"tools/list":               mcp.Public,
	"prompts/list":             mcp.Public,
	"resources/list":           mcp.Public,
	"resources/templates/list": mcp.Public,
	"resources/read":           mcp.Private,
}

// seal fills in the envelope of a result.
func (e Envelope) seal(ctx context.Context, method string, r *mcp.Result) {
	if claim := mcp.ClaimOf(ctx); claim == nil || !claim.Revision().Stateless {
		return
	}
	if r.ResultType == "" {
		r.ResultType = mcp.Complete
	}
	server := e.Server()
	r.SetMeta(keyServerInfo, mcp.Implementation{Name: server.Name, Title: server.Title, Version: server.Version})
	if scope := cached[method]; scope != "" && r.ResultType == mcp.Complete { // MR-14
		r.CacheScope = scope
		r.TTL = new(int64)
		if scope == mcp.Public {
			*r.TTL = e.TTL.Milliseconds()
		}
	}
}

// method makes a row of the table of a plain function.
func method[P, R any, E interface {
	*R
	mcp.Enveloped
}](e Envelope, name string, f func(context.Context, P) (R, error)) Method {
	return Method{Name: name, Slow: !slices.Contains(quick, name), Handle: pipeline.Method(func(ctx context.Context, params P) (R, error) {
		result, err := f(ctx, params)
		if err == nil {
			e.seal(ctx, name, E(&result).Envelope())
		}
		return result, err
	})}
}

// asking makes a row of the table of a method that may have a question instead
// of a result.
func asking[P any](e Envelope, name string, f func(context.Context, P) (mcp.Enveloped, error)) Method {
	return Method{Name: name, Slow: true, Handle: pipeline.Method(func(ctx context.Context, params P) (mcp.Enveloped, error) {
		result, err := f(ctx, params)
		if err == nil {
			e.seal(ctx, name, result.Envelope())
		}
		return result, err
	})}
}

// listening is the handler of subscriptions/listen, whose id names its stream.
func listening(e Envelope, l *Listens) pipeline.Handler {
	return func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		var params mcp.ListenParams
		if n := len(m.Params()); n > maxFilter {
			return nil, fmt.Errorf("%w: they have %d bytes, and those of a stream of changes may have %d; open several", pipeline.ErrInvalidParams, n, maxFilter)
		}
		if err := m.Decode(&params); err != nil {
			return nil, err
		}
		result, err := l.Listen(ctx, json.RawMessage(m.ID().String()), params)
		if err != nil {
			return nil, err
		}
		e.seal(ctx, m.Method(), &result.Result)
		return m.Answer(result)
	}
}

// quick are the methods that are answered in their turn.
var quick = []string{
	"initialize", "notifications/initialized", "shutdown", "server/discover", "logging/setLevel",
	"notifications/roots/list_changed", "tasks/get", "tasks/update", "tasks/cancel",
}
