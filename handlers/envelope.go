package handlers

import (
	"context"
	"encoding/json"
	"fmt"
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
	// Memory is what slow calls hold; nil: as much as they need.
	Memory *Memory
}

// keyServerInfo is where the server's name stands in _meta of a result.
const keyServerInfo = "io.modelcontextprotocol/serverInfo"

// seal fills in the envelope of a result of a method. Lists are the same for every
// client; what a resource holds is between its reader and us, and may be something
// else at once.
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
		r.CacheScope = scope
		r.TTL = new(int64)
		if scope == mcp.Public {
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

// asking completes a row of the table with a function that may have a question
// instead of a result.
func asking[P mcp.Asked](e Envelope, row Method, f func(context.Context, P) (mcp.Enveloped, error)) Method {
	row.Handle = row.inTurn(func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		ctx, err := e.Memory.share(ctx, row, m)
		if err != nil {
			return nil, err
		}
		params, err := paramsOf[P](m)
		if err != nil {
			return nil, err
		}
		result, err := f(ctx, params)
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

// answerWith answers a message with what encodes itself.
func answerWith(m *pipeline.Message, encode func() (pipeline.Encoded, error)) (*pipeline.Message, error) {
	result, err := encode()
	if err != nil {
		return nil, err
	}
	return m.Answer(result)
}

// turn is how long a method that looks at files may hold up what comes behind it.
// Most looks are over by then, so what they find is told in its turn.
const turn = 10 * time.Millisecond

// inTurn is a handler that keeps what its row says of the turn of a message.
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
			return nil, fmt.Errorf("%w: they have %d bytes, and those of a stream of changes may have %d; open several", pipeline.ErrInvalidParams, n, maxFilter)
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
