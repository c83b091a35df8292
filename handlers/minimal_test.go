package handlers_test

import (
	"log/slog"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestMinimalModeOffersNoMoreThanLogging(t *testing.T) {
	is := is.New(t)
	log, s := slog.New(slog.DiscardHandler), &mcp.Session{}
	families := handlers.Minimal(handlers.Families{
		Lifecycle: handlers.Lifecycle{
			Session: s, Log: log,
			Offers: mcp.ServerCapabilities{Logging: &struct{}{}, Tools: &mcp.ListChanged{}, Completions: &struct{}{}},
			Server: func(bool) (mcp.Implementation, string) { return mcp.Implementation{Name: "probe", Version: "1"}, "" },
		},
		Logging:    handlers.Logging{Session: s, Log: log},
		Resources:  &handlers.Resources{},
		Prompts:    &handlers.Prompts{},
		Completion: &handlers.Completion{},
		Tasks:      &handlers.Tasks{},
		Listens:    &handlers.Listens{},
	})
	methods := handlers.Table(families)
	answer := func(method, params string) string {
		return pipetest.In(t, pipeline.Middleware{Name: "none"}, methods.Serve, pipetest.Call(1, method, params))[0]
	}
	const result, refused = `{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":`
	is.Equal(answer("initialize", `{}`), result+`{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"probe","version":"1"}}}`)
	is.Equal(answer("ping", ""), result+`{}}`)
	is.Equal(answer("logging/setLevel", `{"level":"error"}`), result+`{}}`)
	for method, capability := range map[string]string{
		"tools/list": "Tools", "tools/call": "Tools",
		"resources/list": "Resources", "resources/templates/list": "Resources", "resources/read": "Resources",
		"resources/subscribe": "Resources", "resources/unsubscribe": "Resources",
		"prompts/list": "Prompts", "prompts/get": "Prompts",
		"completion/complete": "Completion",
	} {
		is.Equal(answer(method, ""), refused+`"`+capability+` capability unavailable in minimal mode"}}`) // gives the reason
	}
	is.Equal(answer("tasks/get", ""), refused+`"Method not found: tasks/get"}}`) // no capabilities
}
