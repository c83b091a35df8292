package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An Envelope fills in the members that results of stateless revisions have besides their content.
// Results of a session are left as they are (B-05).
type Envelope struct {
	// Server returns the identity of the server (N-09).
	Server func() mcp.Implementation
	// TTL is how long clients may cache lists. Files change at any time, so it is 0 except for
	// servers that do not watch them.
	TTL time.Duration
	// Memory limits the memory of slow calls; nil: no limit.
	Memory *Memory
}

// keyServerInfo is the key of the server's name in _meta of a result.
const keyServerInfo = "io.modelcontextprotocol/serverInfo"

// seal fills in the envelope of a result of a method. Lists are the same for every client, unless they say that they
// are not; the contents of a resource are private to the client that reads it, and may change at once.
func (e Envelope) seal(ctx context.Context, scope mcp.CacheScope, r *mcp.Result) {
	if claim := mcp.ClaimOf(ctx); claim == nil || !claim.Revision().Stateless {
		return
	}
	if r.ResultType == "" {
		r.ResultType = mcp.Complete
	}
	server := e.Server()
	r.SetMeta(keyServerInfo, mcp.Implementation{Name: server.Name, Title: server.Title, Version: server.Version})
	if scope != "" && r.ResultType == mcp.Complete { // MR-14
		r.CacheScope = cmp.Or(r.CacheScope, scope)
		r.TTL = new(int64)
		if r.CacheScope == mcp.Public {
			*r.TTL = e.TTL.Milliseconds()
		}
	}
}

// method completes a row of the table with a plain function.
func method[P mcp.Asked, R any, E interface {
	*R
	mcp.Enveloped
}](e Envelope, row Method, f func(context.Context, P) (R, error)) Method {
	return asking(e, row, func(ctx context.Context, params P) (mcp.Enveloped, error) {
		result, err := f(ctx, params)
		return E(&result), err
	})
}

// asking completes a row of the table with a function that may return a question instead of a
// result.
func asking[P mcp.Asked](e Envelope, row Method, f func(context.Context, P) (mcp.Enveloped, error)) Method {
	return e.complete(row, func(ctx context.Context, m *pipeline.Message) (mcp.Enveloped, error) {
		params, err := paramsOf[P](m)
		if err != nil {
			return nil, err
		}
		return f(ctx, params)
	})
}

// complete completes a row of the table with a function that decodes the message itself.
func (e Envelope) complete(row Method, f func(context.Context, *pipeline.Message) (mcp.Enveloped, error)) Method {
	row.Handle = row.inTurn(func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		ctx, err := e.share(ctx, row, m)
		if err != nil {
			return nil, err
		}
		result, err := f(ctx, m)
		if err != nil || m.Kind() != pipeline.Call {
			return nil, err
		}
		e.seal(ctx, row.Cache, result.Envelope())
		var answer *pipeline.Message
		if encoded, ok := result.(interface {
			encode() (pipeline.Encoded, error)
		}); ok {
			answer, err = answerWith(m, encoded.encode)
		} else {
			answer, err = m.Answer(result)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: result: %w", pipeline.ErrInternal, err)
		}
		return answer, nil
	})
	return row
}

// answerWith answers a message with a result that encodes itself.
func answerWith(m *pipeline.Message, encode func() (pipeline.Encoded, error)) (*pipeline.Message, error) {
	result, err := encode()
	if err != nil {
		return nil, err
	}
	return m.Answer(result)
}

// turn is how long a method that looks at files may delay later messages. Most looks take less, so
// their results are sent in turn.
const turn = 10 * time.Millisecond

// inTurn returns a handler that treats the turn of a message as its row requires.
func (m Method) inTurn(h pipeline.Handler) pipeline.Handler {
	if !m.Looks && !m.Slow {
		return h
	}
	return func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		defer pipeline.YieldAfter(ctx, turn)()
		return h(ctx, m)
	}
}

// listening is the handler of subscriptions/listen, whose id names its stream.
func listening(e Envelope, l *Listens) pipeline.Handler {
	return func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if n := len(m.Params()); n > maxFilter {
			return nil, fmt.Errorf("%w: they have %d bytes, more than the limit of %d for one stream; open several streams",
				pipeline.ErrInvalidParams, n, maxFilter)
		}
		params, err := paramsOf[mcp.ListenParams](m)
		if err != nil {
			return nil, err
		}
		result, err := l.Listen(ctx, json.RawMessage(m.ID().String()), params)
		if err != nil {
			return nil, err
		}
		e.seal(ctx, "", &result.Result)
		return m.Answer(result)
	}
}
