package interceptor

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Methods are those of a server that lets others use its interceptors.
func Methods(find func(context.Context) (*Set, error)) map[string]pipeline.Handler {
	return map[string]pipeline.Handler{
		MethodList: func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			var params struct {
				Event string `json:"event"`
			}
			set, err := asked(ctx, m, &params, find)
			if err != nil {
				return nil, err
			}
			result := struct {
				mcp.Result
				Interceptors []Definition `json:"interceptors"`
			}{sealed(m), []Definition{}}
			for _, i := range set.All {
				if params.Event == "" || i.hooked(params.Event, Request) || i.hooked(params.Event, Response) {
					result.Interceptors = append(result.Interceptors, i.Definition)
				}
			}
			return m.Answer(result)
		},
		MethodInvoke: func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			var q Question
			set, err := asked(ctx, m, &q, find)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(set.All, func(i *Interceptor) bool { return i.Name == q.Name })
			switch {
			case at < 0:
				return nil, unknownName(q.Name)
			case q.Event == "" || q.Phase != Request && q.Phase != Response:
				return nil, fmt.Errorf("%w: an event, and the phase %s or %s, are required", pipeline.ErrInvalidParams, Request,
					Response)
			}
			if set.All[at].Slow {
				pipeline.Yield(ctx)
			}
			r, err := set.All[at].Ask(ctx, q)
			if err != nil {
				return nil, err
			}
			r.ResultType = string(sealed(m).ResultType)
			return m.Answer(r)
		},
	}
}

// asked decodes the params of a call and finds the interceptors.
func asked(
	ctx context.Context, m *pipeline.Message, params any, find func(context.Context) (*Set, error),
) (*Set, error) {
	if err := m.Decode(params); err != nil {
		return nil, err
	}
	set, err := find(ctx)
	if set == nil && err == nil {
		set = &Set{}
	}
	return set, err
}

// sealed is what every result has in revisions without sessions, which the call m shows.
func sealed(m *pipeline.Message) (r mcp.Result) {
	if mcp.HasClaim(m.Params()) {
		r.ResultType = mcp.Complete
	}
	return r
}
