package interceptor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Server is an MCP server that has interceptors, in a process of its own. Close it.
type Server struct {
	All  []*Interceptor
	conn *jsonrpc2.Conn
	end  context.CancelFunc
	work sync.WaitGroup
}

// Start starts a server by a command line that stands in a file of the project, and asks it for its interceptors until
// ctx ends. The file must belong to the user of the server, as scripts do.
func (h Host) Start(ctx context.Context, file string, line []string) (*Server, error) {
	pipeline.Yield(ctx) // a program may take seconds to start
	c, err := h.command(file)
	if err != nil {
		return nil, err
	}
	if c.Path, c.Args = line[0], line[1:]; !strings.ContainsRune(c.Path, '/') {
		if c.Path = process.LookPath(line[0], c.Env); c.Path == "" {
			return nil, fmt.Errorf("%s: program not found", line[0])
		}
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout := io.Pipe()
	stderr := process.Tail{Limit: maxStderr}
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, &stderr
	running, end := context.WithCancel(context.Background())
	s := &Server{end: end}
	s.work.Go(func() {
		_, err := h.Runner.Run(running, c)
		stdin.Close()
		stdout.CloseWithError(err)
	})
	s.conn = jsonrpc2.NewConn(running, pipeline.NewNDJSON(out, in, maxAnswer), jsonrpc2.HandlerWithError(answer),
		jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	defer context.AfterFunc(ctx, end)()
	_, err = s.call(ctx, "initialize", map[string]any{"protocolVersion": mcp.Latest().Version,
		"capabilities": struct{}{}, "clientInfo": map[string]string{"name": "mcp-bash", "version": "2"}})
	if err == nil {
		err = s.conn.Notify(ctx, "notifications/initialized", nil)
	}
	if err == nil {
		s.All, err = Of(ctx, s.call)
	}
	if err == nil {
		return s, nil
	}
	s.Close()
	lines := strings.Split(strings.TrimSpace(stderr.Text()), "\n")
	if theirs := (*jsonrpc2.Error)(nil); errors.As(err, &theirs) {
		err = errors.New("it answers: " + theirs.Message)
	} else if last := lines[len(lines)-1]; last != "" {
		err = fmt.Errorf("%w: %s", err, last)
	}
	return nil, err
}

func (s *Server) call(ctx context.Context, method string, params map[string]any) (result json.RawMessage, err error) {
	written := context.AfterFunc(ctx, s.end) // a server that does not read would hold the next calls, too
	sent, err := s.conn.DispatchCall(ctx, method, params)
	if written(); err == nil {
		err = sent.Wait(ctx, &result)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, jsonrpc2.ErrClosed), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it has ended, or printed a line that is not a message")
	}
	return result, err
}

// answer answers what a server asks its client.
func answer(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	if r.Method == "ping" {
		return struct{}{}, nil
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "nobody is here to answer"}
}

// Ended reports whether the server has ended.
func (s *Server) Ended() bool {
	select {
	case <-s.conn.DisconnectNotify():
		return true
	default:
		return false
	}
}

// Close ends the server and returns when it has ended.
func (s *Server) Close() {
	s.end()
	s.conn.Close()
	s.work.Wait()
}

// Call calls a method of another server.
type Call func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)

// Of returns the interceptors of another server, which answers by call.
func Of(ctx context.Context, call Call) ([]*Interceptor, error) {
	text, err := call(ctx, MethodList, map[string]any{})
	if err != nil {
		return nil, err
	}
	var listed struct{ Interceptors []Definition }
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, fmt.Errorf("%s: %w", MethodList, err)
	}
	if listed.Interceptors == nil {
		return nil, fmt.Errorf("%s: the result has no interceptors", MethodList)
	}
	var all []*Interceptor
	for _, d := range listed.Interceptors {
		all = append(all, &Interceptor{Definition: d, Slow: true,
			Answer: func(ctx context.Context, q Question) (r Result, err error) {
				text, err := q.Put(ctx, call)
				if err != nil {
					return r, err
				}
				return resultOf(text)
			}})
	}
	return all, nil
}

// Put puts the question to another server, and returns its Result.
func (q Question) Put(ctx context.Context, call Call) (json.RawMessage, error) {
	params := map[string]any{"name": q.Name, "event": q.Event, "phase": q.Phase, "payload": q.Payload}
	if q.TimeoutMS > 0 {
		params["timeoutMs"] = q.TimeoutMS
	}
	if len(q.Config) > 0 {
		params["config"] = q.Config
	}
	if len(q.Context) > 0 {
		params["context"] = q.Context
	}
	return call(ctx, MethodInvoke, params)
}
