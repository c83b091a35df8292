package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/interview"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// An insideServer serves a project to a client in the same process: what a
// command calls passes the same stages and handlers as what a client calls.
type insideServer struct {
	served *server.Server
	client *jsonrpc2.Conn
	people *audience
	ended  chan error
	state  *statedir.Dir
}

// callID is the id of the one call that may take long, so that it can be
// cancelled.
const callID = 1000

// serveInside starts it. Close it.
func (p program) serveInside(root string, s settings) (*insideServer, error) {
	log := slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: max(s.logLevel, slog.LevelWarn)}))
	script.SetUmask(0o077)
	state, err := makeState(s)
	if err != nil {
		return nil, err
	}
	o := s.options(p.err, p.env, state.Path, log)
	o.ProjectRoot = root
	o.Secret.Token, o.Limits.Idle = "", 0 // for clients from elsewhere, not for us
	served, err := server.Open(context.Background(), o)
	if err != nil {
		state.Remove()
		return nil, usageError{err}
	}
	ours, theirs := net.Pipe()
	i := &insideServer{served: served, people: p.audience(), ended: make(chan error, 1), state: state}
	go func() {
		i.ended <- served.Serve(context.Background(), pipeline.NewNDJSON(ours, ours, max(s.Limits.Message, 0)))
	}()
	ctx := context.Background()
	i.client = jsonrpc2.NewConn(ctx, jsonrpc2.NewPlainObjectStream(theirs), i.people, jsonrpc2.SetLogger(quiet{}))
	var welcome json.RawMessage
	if err := i.client.Call(ctx, "initialize", map[string]any{"capabilities": i.people.capabilities()}, &welcome); err != nil {
		i.close()
		return nil, err
	}
	return i, i.client.Notify(ctx, "notifications/initialized", nil)
}

// call calls a method. When ctx ends, the call is cancelled; its error is that of
// ctx.
func (i *insideServer) call(ctx context.Context, method string, params any) (result json.RawMessage, err error) {
	waiting, err := i.client.DispatchCall(context.Background(), method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: callID}))
	if err != nil {
		return nil, err
	}
	defer i.people.leave()
	err = waiting.Wait(ctx, &result)
	if ctx.Err() != nil {
		cancelled := i.client.Notify(context.Background(), "notifications/cancelled", map[string]any{"requestId": callID, "reason": "interrupted"})
		return nil, errors.Join(ctx.Err(), cancelled)
	}
	return result, err
}

// close ends the server and returns when nothing of it is left.
func (i *insideServer) close() {
	i.client.Close()
	<-i.ended
	_ = i.served.Close() // its folder is removed here
	i.state.Remove()
}

// An audience tells people what a call tells while it works, and asks them what
// it asks.
type audience struct {
	out *console.Console
	in  *bufio.Reader // nil: nobody is there to answer

	asking sync.Mutex // one question at a time

	mu   sync.Mutex // guards all below: a call can be left while it still tells something
	bar  *console.Bar
	left bool
}

// audience is who sits at the terminal.
func (p program) audience() *audience {
	a := &audience{out: p.console(p.err)}
	if isTerminal(p.in) {
		a.in = bufio.NewReader(p.in)
	}
	return a
}

// capabilities are what the server may ask.
func (a *audience) capabilities() map[string]any {
	if a.in == nil {
		return map[string]any{}
	}
	return map[string]any{"elicitation": map[string]any{"form": map[string]any{}, "url": map[string]any{}}}
}

// Handle takes notifications and questions to the user.
func (a *audience) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	switch {
	case r.Method == "elicitation/create" && a.in != nil && r.Params != nil:
		go a.elicit(ctx, conn, r) // people take their time
	case !r.Notif:
		_ = conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "nobody is here to answer"}) // who asks goes on without
	case r.Params == nil:
	case r.Method == "notifications/progress":
		a.progress(*r.Params)
	case r.Method == "notifications/message":
		a.message(*r.Params)
	}
}

// elicit asks the user.
func (a *audience) elicit(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	a.asking.Lock()
	defer a.asking.Unlock()
	a.mu.Lock()
	if a.bar != nil {
		a.bar.Clear()
	}
	a.mu.Unlock()
	answer, err := interview.Ask(a.in, a.out, *r.Params)
	if err != nil {
		_ = conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}) // who asks goes on without
		return
	}
	_ = conn.Reply(ctx, r.ID, answer) // as above
}

// leave takes the bar away, for what is printed next. Nothing is told after it.
func (a *audience) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = true
	if a.bar != nil {
		a.bar.Done()
	}
}

func (a *audience) progress(params json.RawMessage) {
	var p struct {
		Progress float64
		Total    float64
		Message  string
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left {
		return
	}
	if a.bar == nil {
		total := int(p.Total)
		if total <= 0 {
			total = -1 // who knows
		}
		a.bar = a.out.Progress(cmp.Or(p.Message, "working"), total)
	} else if p.Message != "" {
		a.bar.Tell(p.Message)
	}
	a.bar.At(int(p.Progress), int(p.Total))
}

func (a *audience) message(params json.RawMessage) {
	var p struct {
		Level, Logger string
		Data          json.RawMessage
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	text := string(p.Data)
	if s := ""; json.Unmarshal(p.Data, &s) == nil {
		text = s
	}
	if p.Logger != "" {
		text = fmt.Sprintf("%s: %s", p.Logger, text)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left {
		return
	}
	if a.bar != nil {
		a.bar.Clear()
	}
	switch p.Level {
	case "debug", "info", "notice":
		a.out.Say("%s", text)
	case "warning":
		a.out.Warn("%s", text)
	default:
		a.out.Fail("%s", text)
	}
}

// quiet drops what the library would print.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
