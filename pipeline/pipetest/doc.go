// Package pipetest tests stages and chains, as net/http/httptest tests handlers
// and servers: feed it the lines of a client and see what the client would
// read. What runs is a real [pipeline.Pipeline].
//
// A stage alone:
//
//	got := pipetest.In(t, middleware.Sanitize(), nil, "\ufeff"+ping)
//
// A conversation: [Start]. A recorded one: [Replay]. An Example: [Serve].
package pipetest
