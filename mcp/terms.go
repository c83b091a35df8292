package mcp

import "context"

// Terms are what a message is served under: those of the session that
// initialize opened, or the [Claim] that a request brings.
type Terms interface {
	Revision() *Revision
	Client() ClientCapabilities
	// Level is the lowest log level that the client wants, "" for none at all.
	Level() Level
}

// TermsOf returns what the message of ctx is served under: its claim, or s for
// a message that brings none. Nothing crosses from one to the other (B-08).
func TermsOf(ctx context.Context, s *Session) Terms {
	if c := ClaimOf(ctx); c != nil {
		return c
	}
	return s
}

type claimKey struct{}

// WithClaim returns the context of a request that brings a claim.
func WithClaim(ctx context.Context, c *Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// ClaimOf returns the claim that the request of ctx brought, nil if none.
func ClaimOf(ctx context.Context) *Claim {
	c, _ := ctx.Value(claimKey{}).(*Claim)
	return c
}
