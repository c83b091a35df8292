package handlers_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestANotificationSentAsARequestIsAnUnknownMethod(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	s.call("initialize", `{}`)
	is.Equal(s.call("notifications/initialized", ""), `"error":{"code":-32601,"message":"Method not found: notifications/initialized is a notification, which has no id"}`) // J-11
	is.Equal(s.session.Phase(), mcp.Opening)                                                                                                                                // the session is not confirmed
	is.True(strings.HasPrefix(s.call("notifications/roots/list_changed", ""), `"error":{"code":-32601,`))
	methods := everyMethod()
	for _, version := range mcp.Versions() {
		for _, name := range []string{"notifications/initialized", "notifications/roots/list_changed", "notifications/cancelled", "notifications/none"} {
			is.True(!methods.Knows(mcp.Lookup(version), name)) // N-11: as stages ask about calls
		}
	}
}

func TestARequestThatIsSentAsANotificationDoesNothing(t *testing.T) {
	is := is.New(t)
	s := newServer(t, map[string]string{"a": `{}`})
	is.Equal(len(pipetest.Chain(t, nil, s.methods.Serve, pipetest.Notification("initialize", `{}`))), 0)
	is.Equal(s.session.Phase(), mcp.Unopened) // B-08: no session is opened without the client's knowledge
	s.call("initialize", `{}`)
	pipetest.Chain(t, nil, s.methods.Serve,
		pipetest.Notification("tools/call", `{"name":"a"}`), pipetest.Notification("logging/setLevel", `{"level":"error"}`), pipetest.Notification("shutdown", ""))
	is.True(s.asked.Tool == nil)             // no tool ran
	is.Equal(s.session.Level(), mcp.Info)    // no other level was set
	is.Equal(s.session.Phase(), mcp.Opening) // and no shutdown requested
}
