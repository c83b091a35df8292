package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// far starts a server that is made with the official SDK and speaks HTTP, and sets URL to its address. It wants a token.
//
//	far token
func far(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: far token")
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	server.AddResource(&mcp.Resource{Name: "note", URI: "note://a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "note://a", Text: "a note"}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "ask"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "a question"}, nil
	})
	type person struct {
		Name string `json:"name"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(_ context.Context, _ *mcp.CallToolRequest, p person) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + p.Name}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+args[0] {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, "who are you?")
			return
		}
		handler.ServeHTTP(w, r)
	}))
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL+"/mcp")
}
