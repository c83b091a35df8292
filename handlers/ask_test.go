package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// session starts a server with an open session of a revision and a tool that asks.
func session(t *testing.T, version, capabilities string, run func(context.Context, run.Call) (*mcp.CallToolResult, error)) *pipetest.Client {
	t.Helper()
	var client mcp.ClientCapabilities
	if err := json.Unmarshal([]byte(capabilities), &client); err != nil {
		t.Fatal(err)
	}
	s, log := &mcp.Session{}, slog.New(slog.DiscardHandler)
	s.Open(mcp.Negotiate(version), client)
	s.Confirm()
	tools := handlers.Tools{
		Session: s, Catalog: shop{"plain": {Described: handlers.Described{Name: "plain"}}}, Policy: &hooks.Policy{}, Run: run, Logging: handlers.Logging{Session: s, Log: log},
		Roots: &roots.Roots{Ask: handlers.AskRoots(s), Log: log},
	}
	methods := handlers.Table(handlers.Families{Tools: tools, Listens: &handlers.Listens{}})
	var c *pipetest.Client
	c = pipetest.Start(t, []pipeline.Middleware{middleware.Stateless(methods.Knows), middleware.Lifecycle(s, middleware.Admission{Grace: time.Minute}), middleware.Cancel(pipeline.MCP, log)}, methods.Serve, pipeline.Options{
		Abandon: func(ctx context.Context, id pipeline.ID, cause error) { handlers.Abandon(ctx, c.Pipeline, id, cause) },
	})
	return c
}

// put is a tool that asks one question, with a timeout of one minute.
func put(q sdk.Question) func(context.Context, run.Call) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		a := c.Ask(ctx, q)[0]
		if a.Err != nil {
			return textResult(a.Err.Error())
		}
		return textResult(string(a.Result))
	}
}

const call = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"plain"}}`

func TestQuestionsAreConvertedForTheRevisionOfTheSession(t *testing.T) {
	page := sdk.Question{Method: "elicitation/create", Params: json.RawMessage(`{"mode":"url","message":"m","url":"https://x.example","elicitationId":"i"}`)}
	choice := sdk.Question{Method: "elicitation/create", Params: json.RawMessage(
		`{"message":"m","mode":"form","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"}],"default":"x"}}}}`)}
	several := sdk.Question{Method: "elicitation/create", Params: json.RawMessage(
		`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x"]}}}}}`)}
	tools := sdk.Question{Method: "sampling/createMessage", Params: json.RawMessage(`{"messages":[],"maxTokens":1,"tools":[]}`)}
	folders := sdk.Question{Method: "roots/list", Params: json.RawMessage(`{}`)}
	for _, c := range []struct {
		version, client string
		question        sdk.Question
		asked           string // params; "" if it is not asked
	}{
		{"2025-11-25", `{"elicitation":{"url":{}}}`, page, `{"elicitationId":"i","message":"m","mode":"url","url":"https://x.example"}`}, // EL-09
		{"2025-11-25", `{"elicitation":{}}`, page, ""}, // EL-01
		{"2025-06-18", `{"elicitation":{}}`, page, ""},
		{"2025-06-18", `{"elicitation":{}}`, choice, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"enum":["x"],"enumNames":["X"],"type":"string"}}}}`}, // EL-03, EL-05
		{"2025-06-18", `{"elicitation":{}}`, several, ""},
		{"2025-03-26", `{"elicitation":{}}`, choice, ""},
		{"2025-11-25", `{}`, choice, ""},
		{"2025-11-25", `{"sampling":{}}`, tools, ""}, // SA-02
		{"2025-11-25", `{"sampling":{"tools":{}}}`, tools, `{"messages":[],"maxTokens":1,"tools":[]}`},
		{"2025-06-18", `{"sampling":{"tools":{}}}`, tools, ""},
		{"2025-11-25", `{"sampling":null}`, tools, ""}, // SA-01
		{"2025-11-25", `{}`, folders, ""},              // RO-01
	} {
		in(t, func(t *testing.T, is *is.I) {
			client := session(t, c.version, c.client, put(c.question))
			client.Send(call)
			line := client.Recv()
			if c.asked == "" {
				is.True(strings.Contains(line, sdk.ErrUnsupported.Error()))
				return
			}
			is.Equal(line, `{"jsonrpc":"2.0","id":1,"method":"`+c.question.Method+`","params":`+c.asked+`}`)
			client.Send(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"rejected"}}`)
			is.True(strings.Contains(client.Recv(), "rejected")) // SA-07, EL-06
		})
	}
}

func TestAQuestionThatTimesOutIsWithdrawn(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		c := session(t, "2025-11-25", `{"elicitation":{}}`, put(confirm("a")))
		c.Send(call)
		is.True(strings.Contains(c.Recv(), `"id":1,"method":"elicitation/create"`))
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"context deadline exceeded","requestId":1}}`) // L-12
		is.True(strings.Contains(c.Recv(), `"id":"c","result"`))
	})
}

func TestAQuestionOfACancelledCallIsWithdrawn(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		c := session(t, "2025-11-25", `{"elicitation":{}}`, put(confirm("a")))
		c.Send(call)
		c.Recv()
		c.Notify("notifications/cancelled", `{"requestId":"c"}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"cancelled by the client","requestId":1}}`) // L-12, X-05
		is.NoErr(c.Close())
		is.Equal(c.Recv(), "")
	})
}

func TestAToolRunsWhateverTheClientAnswersAboutItsRoots(t *testing.T) {
	for name, says := range map[string]string{
		"that it has no such method": `"error":{"code":-32601,"message":"Method not found"}`,
		"that it cannot":             `"error":{"code":-32603,"message":"no"}`,
		"that there are none":        `"result":{"roots":[]}`,
		"something else":             `"result":{"roots":5}`,
		"that it is elsewhere":       `"result":{"roots":[{"uri":"https://example.com"}]}`,
		"nothing":                    "",
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T, is *is.I) {
				c := session(t, "2025-11-25", `{"roots":{}}`, func(_ context.Context, c run.Call) (*mcp.CallToolResult, error) {
					return textResult(fmt.Sprint(len(c.Folders), " roots"))
				})
				start := time.Now()
				c.Send(call)
				is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
				if says != "" {
					c.Send(`{"jsonrpc":"2.0","id":1,` + says + `}`)
				} else {
					is.True(strings.Contains(c.Recv(), `"method":"notifications/cancelled"`)) // nobody waits for it any longer
					is.Equal(time.Since(start), 5*time.Second)
				}
				is.True(strings.Contains(c.Recv(), "0 roots")) // RO-02
				c.Send(strings.Replace(call, `"c"`, `"d"`, 1))
				is.True(strings.Contains(c.Recv(), "0 roots")) // and the client is not asked again
			})
		})
	}
}

func TestStatelessRequestsGetNothingFromTheSession(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			c.Log(ctx, mcp.LogParams{Level: mcp.Emergency, Data: "x"})
			if c.Supports("elicitation") {
				return textResult("it elicits")
			}
			return textResult("it does not")
		})
		d.Send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`)
		d.Recv()
		d.Call(1, "tools/call", `{"name":"plain","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`)
		is.True(strings.Contains(d.Recv(), "it does not")) // B-08; LG-05: no level, no log message
	})
}

func TestAToolGetsTheFoldersOfItsRequest(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			if _, err := c.Roots(ctx); err != nil {
				return nil, err
			}
			found, err := c.Roots(ctx)
			is.NoErr(err)
			return textResult(strings.Repeat("x", len(found)))
		})
		first := d.ask("1", "tools/call", `"roots":{}`, `"name":"plain"`)
		is.Equal(len(first.keys()), 1) // RO-05
		key := first.keys()[0]
		is.Equal(first.Result.InputRequests[key].Method, "roots/list")
		none := d.ask("2", "tools/call", `"roots":{}`, retry("plain", first.Result.RequestState, `{"`+key+`":{"roots":[]}}`))
		is.Equal(none.Result.ResultType, "complete") // RO-02: asked once, even if there are none
		is.Equal(d.ask("3", "tools/call", "", `"name":"plain"`).Result.ResultType, "complete")
	})
}
