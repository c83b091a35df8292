package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// A guest is a session of the official client that answers the server's requests, and
// keeps these requests and the notifications.
type guest struct {
	*mcp.ClientSession
	root  string      // of the project, a copy of the fixtures
	asked chan string // METHOD PARAMS, as JSON
	told  chan string // notifications, in a few words
}

// able is a client with all capabilities, unable a client without capabilities.
const able, unable = true, false

// meet opens a session in an era, by its revision, on a copy of the fixtures.
func meet(t *testing.T, era string, can bool) *guest {
	t.Helper()
	g := &guest{root: t.TempDir(), asked: make(chan string, 100), told: make(chan string, 1000)}
	rig.CopyPrograms(t, g.root, "conformance")
	o := g.options()
	if can {
		o.ElicitationHandler, o.CreateMessageHandler = g.fillIn, g.say
	} else {
		o.Capabilities = &mcp.ClientCapabilities{}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "guest", Version: "1"}, o)
	client.AddRoots(&mcp.Root{URI: "file:///srv/a"}, &mcp.Root{URI: "file:///srv/b"})
	cmd := command(t, "serve", "-C", g.root)
	cmd.Env = append(cmd.Env, "MCPBASH_RESOURCES_POLL_INTERVAL_SECS=0.2")
	session, err := client.Connect(t.Context(), dial(t, cmd),
		&mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
	g.ClientSession = session
	return g
}

// options returns the options of a client that keeps the notifications.
func (g *guest) options() *mcp.ClientOptions {
	note := func(format string, args ...any) { g.told <- fmt.Sprintf(format, args...) }
	return &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { note("tools changed") },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { note("prompts changed") },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			note("updated %s", r.Params.URI)
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			note("%s: %v", r.Params.Level, r.Params.Data)
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			note("%v: %v of %v", r.Params.ProgressToken, r.Params.Progress, r.Params.Total)
		},
	}
}

// fillIn accepts each form: with these values for its fields, and the
// client's defaults for the others.
func (g *guest) fillIn(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	g.note("elicitation/create", r.Params.RequestedSchema)
	schema, _ := r.Params.RequestedSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	content := map[string]any{}
	for name, value := range map[string]any{
		"username": "ada", "email": "ada@example.com", "color": "green", "context": "tea", "ok": true, "confirmed": true,
		"untitledSingle": "option1", "titledSingle": "value2", "legacyEnum": "opt3",
		"untitledMulti": []any{"option1", "option3"}, "titledMulti": []any{"value1"},
	} {
		if properties[name] != nil {
			content[name] = value
		}
	}
	if name, ok := properties["name"].(map[string]any); ok && name["default"] == nil {
		content["name"] = "Ada"
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// say acts as the client's model.
func (g *guest) say(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	g.note("sampling/createMessage", struct {
		Messages  any   `json:"messages"`
		MaxTokens int64 `json:"maxTokens"`
	}{r.Params.Messages, r.Params.MaxTokens})
	return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "Paris"}}, nil
}

func (g *guest) note(method string, params any) {
	text, err := json.Marshal(params)
	if err != nil {
		text = []byte(err.Error())
	}
	g.asked <- method + " " + string(text)
}
