package main

import (
	"context"
	"io"
	"net"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// An insideServer serves a project to a client in the same process: calls of a
// command pass the same stages and handlers as calls of a client.
type insideServer struct {
	*dial.Session
	served *server.Server
	ended  chan error
	state  *statedir.Dir
}

// serveInside starts it and opens a session of a revision, unless ctx ends before; "" for the newest
// that has sessions. The client declares extensions. What the server writes for people besides
// its log goes to stderr. Close it.
func (p program) serveInside(ctx context.Context, root string, s operator.Settings, revision string,
	extensions map[string]any, people *ask.Audience, stderr io.Writer) (*insideServer, error) {
	process.SetUmask(0o077)
	state, err := makeState(s)
	if err != nil {
		return nil, err
	}
	o := serverOptions(s, stderr, p.env, state.Path, people.Log())
	o.ProjectRoot = root
	o.Secret.Token, o.Limits.Idle = "", 0 // these apply to other clients only
	o.Begin = func() func(context.Context) { return claim(s, state) }
	served, err := server.Open(context.Background(), o)
	if err != nil {
		state.Remove()
		return nil, console.UsageError{Err: err}
	}
	ours, theirs := net.Pipe()
	i := &insideServer{served: served, ended: make(chan error, 1), state: state}
	go func() {
		i.ended <- served.Serve(context.Background(), pipeline.NewNDJSON(ours, ours, max(s.Limits.Message, 0)))
	}()
	i.Session, err = dial.Open(ctx, theirs,
		dial.Options{Revision: revision, Audience: people, Version: version, Extensions: extensions})
	if err != nil {
		theirs.Close()
		i.end()
		return nil, err
	}
	return i, nil
}

// Close ends the server and returns when everything of it has ended.
func (i *insideServer) Close() error {
	err := i.Session.Close()
	i.end()
	return err
}

func (i *insideServer) end() {
	<-i.ended
	_ = i.served.Close() // its folder is removed here
	i.state.Remove()
}
