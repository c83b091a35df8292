package mcp

import "context"

type callerKey struct{}

// WithCaller returns the context of messages of a caller: a text that differs for all users who are told apart.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the caller of the message of ctx, "" if callers are not told apart. What a server keeps for a
// caller between requests serves no other one.
func CallerOf(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}
