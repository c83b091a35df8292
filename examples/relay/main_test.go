package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"
)

// TestMain makes this test a language server, written with jsonrpc2 alone, where a test asks for one.
func TestMain(m *testing.M) {
	if os.Getenv("RELAY_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}
	answer := jsonrpc2.HandlerWithError(func(ctx context.Context, c *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Notif {
			return nil, nil
		}
		var asked json.RawMessage
		if err := c.Call(ctx, "workspace/configuration", r.Params, &asked); err != nil {
			return nil, err
		}
		c.Notify(ctx, "window/logMessage", asked)
		return asked, nil
	})
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(stdio{}, jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.AsyncHandler(answer))
	<-conn.DisconnectNotify()
}

type stdio struct{}

func (stdio) Read(b []byte) (int, error)  { return os.Stdin.Read(b) }
func (stdio) Write(b []byte) (int, error) { return os.Stdout.Write(b) }
func (stdio) Close() error                { return nil }

// A peer is the client of a relay, written with jsonrpc2.
type peer struct {
	*jsonrpc2.Conn
	mu    sync.Mutex
	notes []string
	ended chan error
}

type pipe struct {
	io.Reader
	io.WriteCloser
}

func start(t *testing.T, codec func(io.ReadWriteCloser) jsonrpc2.ObjectStream, args ...string) *peer {
	t.Helper()
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	c := &peer{ended: make(chan error, 1)}
	go func() {
		c.ended <- relay(t.Context(), in, out, args)
		out.Close()
	}()
	handle := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Notif {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.notes = append(c.notes, r.Method)
			return nil, nil
		}
		return r.Params, nil
	})
	c.Conn = jsonrpc2.NewConn(t.Context(), codec(pipe{fromRelay, toRelay}), handle)
	t.Cleanup(func() { toRelay.Close() })
	return c
}

func vscode(rw io.ReadWriteCloser) jsonrpc2.ObjectStream {
	return jsonrpc2.NewBufferedStream(rw, jsonrpc2.VSCodeObjectCodec{})
}

func TestCallsBothWaysPassInFrontOfALanguageServer(t *testing.T) {
	is := is.New(t)
	self, err := os.Executable()
	is.NoErr(err)
	t.Setenv("RELAY_TEST_SERVER", "1")
	c := start(t, vscode, "-lsp", self)
	var calls sync.WaitGroup
	for i := range 500 {
		calls.Go(func() {
			var got map[string]int
			if err := c.Call(t.Context(), "echo", map[string]int{"i": i}, &got); err != nil || got["i"] != i {
				t.Errorf("call %d: %v, %v", i, got, err)
			}
		})
	}
	calls.Wait()
	c.Close()
	is.NoErr(<-c.ended)
	is.Equal(len(c.notes), 500)
}

func TestGoplsWorksBehindTheRelay(t *testing.T) {
	gopls, err := exec.LookPath("gopls")
	if err != nil {
		t.Skip("gopls is not installed")
	}
	is := is.New(t)
	c := start(t, vscode, "-lsp", gopls)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var hello struct{ ServerInfo struct{ Name string } }
	is.NoErr(c.Call(ctx, "initialize", map[string]any{"capabilities": map[string]any{}}, &hello))
	is.Equal(hello.ServerInfo.Name, "gopls")
	is.NoErr(c.Notify(ctx, "initialized", map[string]any{}))
	is.NoErr(c.Call(ctx, "shutdown", nil, nil))
	is.NoErr(c.Notify(ctx, "exit", nil))
	is.NoErr(<-c.ended)
}

func TestTheReferenceServerWorksBehindTheRelay(t *testing.T) {
	everything, err := exec.LookPath("mcp-server-everything")
	if err != nil {
		t.Skip("mcp-server-everything is not installed: npm install @modelcontextprotocol/server-everything")
	}
	is := is.New(t)
	c := start(t, jsonrpc2.NewPlainObjectStream, everything)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	is.NoErr(c.Call(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "relay", "version": "1"},
	}, nil))
	is.NoErr(c.Notify(ctx, "notifications/initialized", map[string]any{}))
	var calls sync.WaitGroup
	for i := range 500 {
		calls.Go(func() {
			var got struct{ Content []struct{ Text string } }
			args := map[string]any{"name": "echo", "arguments": map[string]string{"message": fmt.Sprint("m", i)}}
			if err := c.Call(ctx, "tools/call", args, &got); err != nil || len(got.Content) != 1 || got.Content[0].Text != fmt.Sprint("Echo: m", i) {
				t.Errorf("call %d: %v, %v", i, got, err)
			}
		})
	}
	calls.Wait()
	c.Close()
	is.NoErr(<-c.ended)
}
