package middleware

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Stateless serves calls that bring their own terms instead of using a session, as in revision
// 2026-07-28. Such a call goes on with its [mcp.Claim] in its context, independent of any session
// in the same process, and a call whose claim cannot be served is refused (N-01 to N-07). Calls
// without a claim pass, so calls of both kinds can share a stream (B-03).
//
// Methods that the revision does not have, as knows reports, are refused (N-11), and so is
// server/discover without a claim. Error codes that the revision does not have are replaced by
// those that it has (N-14).
//
// Without it only clients that send initialize are served.
func Stateless(knows func(r *mcp.Revision, method string) bool) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "stateless",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call {
				return next(ctx, m)
			}
			claim, err := mcp.ParseClaim(m.Params())
			switch {
			case err != nil:
				return nil, err
			case claim != nil && !knows(claim.Revision(), m.Method()):
				return nil, mcp.ErrRemoved(m.Method(), claim.Revision())
			case claim == nil && m.Method() == "server/discover":
				return nil, fmt.Errorf("%w: %s belongs to revision %s: set io.modelcontextprotocol/protocolVersion in "+
					"params._meta", pipeline.ErrInvalidParams, m.Method(), strings.Join(mcp.ClaimVersions(), ", "))
			case claim == nil:
				return next(ctx, m)
			}
			answer, err := next(mcp.WithClaim(ctx, claim), m)
			if err != nil {
				err = translated(err, claim.Revision())
			} else if answer != nil && answer.Fault() != nil {
				if fault := translated(answer.Fault(), claim.Revision()); fault != error(answer.Fault()) {
					answer = pipeline.NewErrorResponse(answer.ID(), fault) // which may have none
				}
			}
			return answer, err
		},
	}
}

// translated returns an error with a code that the revision has.
func translated(err error, r *mcp.Revision) error {
	wire := pipeline.WireError(err)
	if here := r.Fault(wire); here != wire {
		return here
	}
	return err
}
