package middleware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// quiet discards the log.
var quiet = slog.New(slog.DiscardHandler)

// raw is an id as it is on the wire.
type raw string

func ping(id any) string { return pipetest.Call(id, "ping", "") }

func pong(id any) string { return answer(id, `{}`) }

// wait is a call that takes so many seconds of fake time; see waiting.
func wait(id any, secs int) string {
	return pipetest.Call(id, "wait", fmt.Sprintf(`{"secs":%d}`, secs))
}

func waited(id any) string { return answer(id, `"waited"`) }

// answer is the line of a result.
func answer(id any, result string) string {
	if s, ok := id.(string); ok {
		id = `"` + s + `"`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, id, result)
}

// refusal is the line of an error; a nil id leaves the member out.
func refusal(id any, code int, message string) string {
	member := ""
	if s, ok := id.(string); ok {
		id = `"` + s + `"`
	}
	if id != nil {
		member = fmt.Sprintf(`"id":%v,`, id)
	}
	quoted, _ := json.Marshal(message)
	return fmt.Sprintf(`{"jsonrpc":"2.0",%s"error":{"code":%d,"message":%s}}`, member, code, quoted)
}

// waiting yields and waits as long as the call says, or until its context ends,
// which it answers with the cause.
func waiting(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	var p struct {
		Secs int `json:"secs"`
	}
	if err := m.Decode(&p); err != nil {
		return nil, err
	}
	pipeline.Yield(ctx)
	select {
	case <-time.After(time.Duration(p.Secs) * time.Second):
		return m.Answer("waited")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func panicking(context.Context, *pipeline.Message) (*pipeline.Message, error) { panic("oh") }

// methods are what most tests call.
func methods() pipeline.Mux {
	return pipeline.Mux{"ping": pipetest.OK, "wait": waiting, "panic": panicking}
}

// session returns one that the client has opened and confirmed.
func session(version string) *mcp.Session {
	s := new(mcp.Session)
	s.Open(mcp.Negotiate(version), mcp.ClientCapabilities{})
	s.Confirm()
	return s
}

// knows reports whether a revision has a method, for a few methods that differ.
func knows(r *mcp.Revision, method string) bool {
	switch method {
	case "initialize", "ping", "shutdown", "exit", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return !r.Stateless
	case "server/discover", "subscriptions/listen", "tasks/get":
		return r.Stateless
	}
	return true
}

// admission is that of a server, with ping as the only early method.
var admission = middleware.Admission{
	Early: func(method string) bool { return method == "ping" },
	Knows: knows,
	Grace: grace,
}

// chain lists stages, as in chain(a, b).
func chain(stages ...pipeline.Middleware) []pipeline.Middleware { return stages }
