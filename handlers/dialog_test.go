package handlers_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// shop is a catalog of tools without files.
type shop map[string]*catalog.Tool

func (s shop) Tools(context.Context) (found catalog.Snapshot[*catalog.Tool], err error) {
	return found, nil
}

func (s shop) Tool(_ context.Context, name string) (*catalog.Tool, error) {
	if t := s[name]; t != nil {
		return t, nil
	}
	return nil, catalog.ErrUnknownTool
}

// desk is a catalog of one prompt, ask.
type desk struct{}

func (desk) Prompts(context.Context) (found catalog.Snapshot[*catalog.Prompt], err error) {
	return found, nil
}

func (desk) Prompt(_ context.Context, name string) (*catalog.Prompt, error) {
	if name == "ask" {
		return &catalog.Prompt{Described: catalog.Described{Name: name}, Executable: true}, nil
	}
	return nil, catalog.ErrUnknownPrompt
}

// A dialog is a client of 2026-07-28 and its server.
type dialog struct {
	*pipetest.Client
	t       *testing.T
	check   *mcptest.Checker
	rounds  *handlers.Rounds
	listens *handlers.Listens
	key     []byte // of request states
	tools   shop
	policy  hooks.Policy
	run     func(context.Context, run.Call) (*mcp.CallToolResult, error)
	caller  atomic.Pointer[mcp.Caller] // who sends the next messages
}

// newDialog returns a dialog with the tools plain, other, single (one at a time)
// and forced (a task, which begins with a second of silence).
func newDialog(t *testing.T, run func(context.Context, run.Call) (*mcp.CallToolResult, error)) *dialog {
	log := slog.New(slog.DiscardHandler)
	d := &dialog{t: t, check: mcptest.New(t), key: round.NewKey(), run: run}
	d.caller.Store(&mcp.Caller{ID: "ada"})
	d.tools = shop{
		"plain":  {Described: catalog.Described{Name: "plain"}, Settings: &catalog.Settings{}},
		"other":  {Described: catalog.Described{Name: "other"}, Settings: &catalog.Settings{}},
		"single": {Described: catalog.Described{Name: "single"}, Settings: &catalog.Settings{Concurrency: 1}},
		"forced": {Described: catalog.Described{Name: "forced"}, Settings: &catalog.Settings{TaskSupport: mcp.TaskRequired}},
	}
	d.listens = &handlers.Listens{
		Offers: mcp.ServerCapabilities{Tools: &mcp.ListChanged{ListChanged: true}, Resources: &mcp.Resources{Subscribe: true}},
		Log:    log,
	}
	d.rounds = &handlers.Rounds{
		Context: t.Context(),
		Keeper:  &round.Keeper{For: time.Minute, Max: 4},
		TTL:     time.Hour,
		Cluster: handlers.Alone(),
		Tasks:   &handlers.Tasks{After: 10 * time.Second, TTL: time.Hour, Max: 4, Log: log, Cluster: handlers.Alone(), Changed: d.listens.TaskChanged},
		Log:     log,
	}
	d.rounds.Box = func() *round.Box {
		box, err := round.NewBox(d.key)
		if err != nil {
			t.Fatal(err)
		}
		return box
	}
	d.listens.Task = d.rounds.Tasks.Has
	d.start()
	return d
}

// start connects to a new server.
func (d *dialog) start() {
	log, session := slog.New(slog.DiscardHandler), &mcp.Session{}
	logging := handlers.Logging{Session: session, Log: log}
	methods := handlers.Table(handlers.Families{
		Envelope: handlers.Envelope{Server: func() mcp.Implementation { return mcp.Implementation{Name: "probe", Version: "1"} }},
		Lifecycle: handlers.Lifecycle{Session: session, Offers: d.listens.Offers, Log: log, Server: func(bool) (mcp.Implementation, string) {
			return mcp.Implementation{Name: "probe", Version: "1"}, ""
		}},
		Logging: logging,
		Tools: handlers.Tools{
			Session: session, Catalog: d.tools, Policy: &d.policy, Roots: &roots.Roots{Log: log}, Rounds: d.rounds, Gates: &handlers.Gates{}, Logging: logging,
			Run: func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
				if c.Tool.Name == "forced" {
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
				}
				return d.run(ctx, c)
			},
		},
		Prompts: &handlers.Prompts{
			Session: session, Catalog: desk{}, Rounds: d.rounds,
			Render: func(ctx context.Context, _ *catalog.Prompt, _ map[string]string, _ *mcp.Revision, c sdk.Call) ([]mcp.PromptMessage, error) {
				answer := c.Ask(ctx, confirm("a"))[0]
				if answer.Err != nil {
					return nil, answer.Err
				}
				return []mcp.PromptMessage{{Role: "user", Content: mcp.Text(string(answer.Result))}}, nil
			},
		},
		Tasks:   d.rounds.Tasks,
		Listens: d.listens,
	})
	stages := []pipeline.Middleware{
		{Name: "caller", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			return next(mcp.WithCaller(ctx, *d.caller.Load()), m)
		}},
		middleware.Stateless(methods.Knows),
		middleware.Cancel(pipeline.MCP, log),
		middleware.Workers(middleware.NewSlots(4, 64), nil, methods.Slow),
	}
	d.Client = pipetest.Start(d.t, stages, methods.Serve, pipeline.Options{Drain: time.Minute})
	d.t.Cleanup(d.rounds.Close)
}

// restart connects to a new server that shares only the key with the previous one.
func (d *dialog) restart() {
	d.Close()
	d.rounds.Close()
	before := d.rounds
	d.rounds = &handlers.Rounds{Context: before.Context, Box: before.Box, TTL: before.TTL, Log: before.Log, Cluster: handlers.Alone(),
		Keeper: &round.Keeper{For: time.Minute, Max: 4},
		Tasks:  &handlers.Tasks{After: 10 * time.Second, TTL: time.Hour, Max: 4, Log: before.Log, Cluster: handlers.Alone(), Changed: d.listens.TaskChanged}}
	d.listens.Task = d.rounds.Tasks.Has
	d.check = mcptest.New(d.t)
	d.start()
}

// Capabilities of the clients in these tests.
const (
	elicits = `"elicitation":{}`
	tasking = `"extensions":{"io.modelcontextprotocol/tasks":{}}`
)

// say sends a call of a client with the given capabilities. Params are the members other than
// _meta.
func (d *dialog) say(id, method, capabilities, params string) {
	d.t.Helper()
	if params != "" {
		params += ","
	}
	line := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params +
		`"_meta":{"progressToken":` + id + `,"io.modelcontextprotocol/logLevel":"info","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + capabilities + `}}}}`
	d.check.In([]byte(line))
	d.Send(line)
}

// hear returns the next line from the server.
func (d *dialog) hear() string {
	d.t.Helper()
	line := d.Recv()
	if line != "" {
		d.check.Out([]byte(line))
	}
	return line
}

// quiet reports whether the server has sent nothing more.
func (d *dialog) quiet() bool {
	d.t.Helper()
	lines := d.Written()
	for _, line := range lines {
		d.check.Out([]byte(line))
		d.t.Log(line)
	}
	return len(lines) == 0
}

// An answer holds the parts of a line from the server that tests check.
type answer struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
		RequestState  string
		Content       []struct{ Text string }
		TaskID        string
		Status        string
		StatusMessage string
		LastUpdatedAt string
		TTLMs         int64
		Result        struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error struct{ Code int }
	}
	Error struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// ask sends a call and returns its answer.
func (d *dialog) ask(id, method, capabilities, params string) (a answer) {
	d.t.Helper()
	d.say(id, method, capabilities, params)
	return d.read(d.hear())
}

func (d *dialog) read(line string) (a answer) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		d.t.Fatalf("%q: %v", line, err)
	}
	return a
}

// text returns the text of a tool's result.
func (a answer) text() string {
	var b strings.Builder
	for _, c := range a.Result.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// keys returns the keys of the questions.
func (a answer) keys() (all []string) {
	for key := range a.Result.InputRequests {
		all = append(all, key)
	}
	return all
}

func textResult(text string) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(text)}}, nil
}

// confirm is a question to the user.
func confirm(key string) sdk.Question {
	return sdk.Question{Key: key, Method: "elicitation/create", Params: json.RawMessage(
		`{"message":"` + key + `?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}}}}`)}
}

// asks returns a tool that asks one question after another.
func asks(keys ...string) func(context.Context, run.Call) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
		text := ""
		for _, key := range keys {
			a := c.Ask(ctx, confirm(key))[0]
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if a.Err != nil {
				text += a.Err.Error()
			}
			text += string(a.Result)
		}
		return textResult(text)
	}
}

// retry returns the params of a call that continues.
func retry(name, state, responses string) string {
	return `"name":"` + name + `","requestState":"` + state + `","inputResponses":` + responses
}

const yes = `{"action":"accept","content":{"ok":true}}`
