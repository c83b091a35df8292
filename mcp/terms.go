package mcp

import "context"

// Terms are the revision and the capabilities under which a message is served: those of the session
// that initialize opened, or of the [Claim] of the request.
type Terms interface {
	Revision() *Revision
	Client() ClientCapabilities
	// Level is the lowest log level that the client wants, "" for none.
	Level() Level
}

// TermsOf returns the terms of the message of ctx: its claim, or s for a message without one. They
// are never mixed (B-08).
func TermsOf(ctx context.Context, s *Session) Terms {
	if c := ClaimOf(ctx); c != nil {
		return c
	}
	return s
}

type claimKey struct{}

// WithClaim returns the context of a request with a claim.
func WithClaim(ctx context.Context, c *Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// ClaimOf returns the claim of the request of ctx, nil if there is none.
func ClaimOf(ctx context.Context) *Claim {
	c, _ := ctx.Value(claimKey{}).(*Claim)
	return c
}
