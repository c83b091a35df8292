package mcp

import (
	"context"
	"slices"
	"strings"
)

// A Caller is who sends a message, as far as the server knows. The zero Caller is the one of a server that does not
// tell its callers apart, as on stdio.
type Caller struct {
	ID      string // differs for all callers who are told apart
	Issuer  string // of the caller's token
	Subject string // the issuer's name of the caller
	Scopes  []string
	Session string
	Address string // the IP address that the message came from
	Trace   Trace  // that the headers of its HTTP request name
}

// Environ returns what a script may know of the caller. All variables are there, also those without a value, so
// that none is taken from the environment of the server.
func (c Caller) Environ() []string {
	return []string{
		"MCP_CALLER_ISSUER=" + c.Issuer,
		"MCP_CALLER_SUBJECT=" + c.Subject,
		"MCP_CALLER_SCOPES=" + strings.Join(c.Scopes, " "),
		"MCP_CALLER_SESSION=" + c.Session,
		"MCP_CALLER_ADDRESS=" + c.Address,
	}
}

type callerKey struct{}

// WithCaller returns the context of messages of a caller.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the caller of the message of ctx. What a server keeps for a caller between requests serves only
// those with the same ID.
func CallerOf(ctx context.Context) Caller {
	caller, _ := ctx.Value(callerKey{}).(Caller)
	return caller
}

// MissingScope returns the first of these scopes that the token of the caller of ctx does not have; "" for none. A
// message without a caller, as on stdio, comes from who has started the server, and needs no scopes.
func MissingScope(ctx context.Context, scopes []string) string {
	caller, known := ctx.Value(callerKey{}).(Caller)
	if !known {
		return ""
	}
	for _, scope := range scopes {
		if !slices.Contains(caller.Scopes, scope) {
			return scope
		}
	}
	return ""
}

// InSession returns the context of messages of the caller of ctx in a session.
func InSession(ctx context.Context, id string) context.Context {
	caller := CallerOf(ctx)
	caller.Session = id
	return WithCaller(ctx, caller)
}
