package handlers_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// everyMethod is the table of a server with all features.
func everyMethod() *handlers.Methods {
	return handlers.Table(handlers.Families{
		Resources:  &handlers.Resources{},
		Prompts:    &handlers.Prompts{},
		Completion: &handlers.Completion{},
		Tasks:      &handlers.Tasks{Log: slog.New(slog.DiscardHandler)},
		Listens:    &handlers.Listens{},
	})
}

// having returns the names of the methods for which has reports true.
func having(methods *handlers.Methods, holds func(handlers.Method) bool) []string {
	var names []string
	for m := range methods.All() {
		if holds(m) {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

func TestEachRevisionHasItsMethods(t *testing.T) {
	is := is.New(t)
	methods := everyMethod()
	for _, version := range mcp.Versions() {
		r := mcp.Lookup(version)
		for _, method := range []string{"initialize", "ping", "shutdown", "exit", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
			is.Equal(methods.Knows(r, method), !r.Stateless) // N-11
		}
		for _, method := range []string{"server/discover", "subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel"} {
			is.Equal(methods.Knows(r, method), r.Stateless) // TX-18
		}
		for _, method := range []string{"tools/list", "tools/call", "resources/read", "prompts/get", "completion/complete", "x"} {
			is.True(methods.Knows(r, method)) // unknown ones are refused by the handlers
		}
	}
}

func TestTheTableHasThePropertiesOfEachMethod(t *testing.T) {
	is := is.New(t)
	methods := everyMethod()
	is.Equal(having(methods, func(m handlers.Method) bool { return m.Slow }),
		[]string{"completion/complete", "prompts/get", "resources/read", "resources/subscribe", "tools/call"})
	is.Equal(having(methods, func(m handlers.Method) bool { return m.Early }), []string{"exit", "initialize", "ping", "shutdown"})
	is.Equal(having(methods, func(m handlers.Method) bool { return !m.Counted }),
		[]string{"exit", "initialize", "notifications/initialized", "notifications/roots/list_changed", "ping", "shutdown"})
	is.Equal(having(methods, func(m handlers.Method) bool { return (m.Slow || m.Looks) && m.Limit == 0 }),
		[]string{"prompts/get", "server/discover", "tools/call"}) // scripts have their own limits, and discover reads almost nothing
	is.Equal(having(methods, func(m handlers.Method) bool { return m.Cache != "" && m.Slow }), []string{"resources/read"})
	is.True(methods.Counted("unknown"))
}

func TestMessagesOfDifferentMethodsGetTheirOwnRows(t *testing.T) {
	is := is.New(t)
	methods := everyMethod()
	methods.Add(handlers.Method{Name: "own", Slow: true, Handle: pipetest.OK})
	for range 2 { // whatever was asked before
		for method, slow := range map[string]bool{"ping": false, "tools/call": true, "unknown": false, "own": true} {
			m := pipeline.Parse([]byte(pipetest.Call(1, method, "{}")))
			is.Equal(methods.Slow(m), slow)
			is.Equal(methods.Counted(method), method == "tools/call" || method == "unknown")
		}
	}
	is.Equal(pipetest.Chain(t, nil, methods.Serve, pipetest.Call(1, "own", ""), pipetest.Call(2, "unknown", "")), []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: unknown"}}`,
	})
}
