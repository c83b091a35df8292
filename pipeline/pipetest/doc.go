// Package pipetest tests stages and chains, as net/http/httptest tests handlers and servers: send
// it the lines of a client and get what the client would read. It runs a real [pipeline.Pipeline].
//
// A stage alone:
//
//	got := pipetest.In(t, middleware.Sanitize(), nil, "\ufeff"+ping)
//
// A conversation: [Start]. A recorded one: [Replay]. An Example: [Serve].
package pipetest
