package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A served holds the server that answers requests, and what is needed to reach it.
type served struct {
	name      string
	cluster   string // its name, "" for none
	sessions  backend.Opener
	stateless backend.Opener
	schema    func(ctx context.Context, tool string) (json.RawMessage, error)
	// maxMessage is the maximum size of a message in bytes, 0 if only --max-body limits it.
	maxMessage int
	// maxCalls is how many calls a client may make in a minute, 0 for any number; the server itself only
	// limits those of a session.
	maxCalls int
	// unready returns why no request should be sent here now, "" if it may; nil: it always may.
	unready func() string
	close   func()
}

// open opens what the options name.
func (o options) open(
	ctx context.Context, stderr io.Writer, environ []string, observe middleware.CallObserver, log *slog.Logger,
) (*served, error) {
	if o.project != "" {
		return o.openProject(ctx, stderr, environ, observe, log)
	}
	return o.openProgram(ctx, stderr, environ, observe, log)
}

// openProject opens a project, as a replica if there are several.
func (o options) openProject(
	ctx context.Context, stderr io.Writer, environ []string, observe middleware.CallObserver, log *slog.Logger,
) (*served, error) {
	options, err := o.projectOptions(ctx, stderr, environ, log)
	if err != nil {
		return nil, err
	}
	var recorded func() error
	options.Record, options.Trace, recorded, err = o.record.Open([]string{options.Secret.Token}, nil)
	if err != nil {
		return nil, err
	}
	options.Observe, options.Intercepted = observe, o.intercepted
	options.Trace = tracers(options.Trace, o.placed)
	options.Limits.Idle = 0 // idle sessions are ended here, not by the server
	options.Chain = noteCauses
	o.observe(&options)
	if o.cluster.name, err = o.cluster.nameFor(options); err != nil {
		return nil, err
	}
	disconnect, err := o.join(ctx, &options, log)
	if err != nil {
		return nil, err
	}
	srv, err := server.Open(context.WithoutCancel(ctx), options) // its sessions are ended separately
	if err != nil {
		disconnect()
		return nil, fmt.Errorf("--project %s: %w", o.project, err)
	}
	if !o.useWorkers {
		countLoad(o.counted, srv.Load)
	}
	opener := backend.ServeFunc(srv.Serve)
	var unready func() string
	if cluster, several := options.Cluster.(*natscluster.Cluster); several {
		caller, _ := options.Runner.(*calls.Caller)
		unready = func() string {
			switch {
			case !cluster.Connected():
				return "NATS cannot be reached"
			case caller != nil && !caller.Ready():
				return "no worker has been seen"
			}
			return ""
		}
	}
	return &served{
		name:      srv.Root(),
		cluster:   o.cluster.name,
		sessions:  opener,
		stateless: opener,
		schema: func(ctx context.Context, tool string) (json.RawMessage, error) {
			return srv.InputSchema(ctx, tool), nil
		},
		maxMessage: max(options.Limits.Message, 0),
		maxCalls:   options.Limits.Requests,
		unready:    unready,
		close: func() {
			srv.Close()
			disconnect()
			_ = recorded()
		},
	}, nil
}

// projectOptions returns the options of the server, from the variables that mcp-bash serve reads.
func (o options) projectOptions(
	ctx context.Context, stderr io.Writer, environ []string, log *slog.Logger,
) (server.Options, error) {
	settings, env, complaints := operator.ReadServed(ctx, &process.Runner{}, operator.Map(environ), o.project)
	for _, c := range append(complaints, operator.StrayFolders(settings, o.project)...) {
		log.Warn(c)
	}
	if settings.Refusal != nil {
		return server.Options{}, settings.Refusal
	}
	if err := cage.Hide(); err != nil {
		log.Debug("other processes of this user can look into this one", "error", err)
	}
	process.SetUmask(0o077)
	options := settings.ServerOptions(env, log)
	options.ProjectRoot = o.project
	options.Guard, options.Program, options.AdoptOrphans = server.GuardCommand(), program(), true
	if settings.StreamStderr {
		options.ToolStderr = stderr
	}
	if settings.LogCalls {
		options.Calls = log
	}
	return options, nil
}

// program returns the mcp-bash program that scripts call as jq: the one beside this program, or the
// one on the PATH. This program has a jq too.
func program() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	name := "mcp-bash"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
		return beside
	}
	if found, err := exec.LookPath(name); err == nil {
		return found
	}
	return self
}

// openProgram prepares to start a command.
func (o options) openProgram(
	ctx context.Context, stderr io.Writer, environ []string, observe middleware.CallObserver, log *slog.Logger,
) (*served, error) {
	env := operator.Map(environ)
	settings, complaints := operator.Read(env)
	for _, c := range complaints {
		log.Warn(c)
	}
	if settings.Refusal != nil {
		return nil, settings.Refusal
	}
	options := settings.ServerOptions(env, log)
	options.Guard, options.AdoptOrphans, options.Observe = server.GuardCommand(), true, observe
	options.Chain, options.Intercepted, options.HookEnv = noteCauses, o.intercepted, operator.HookEnvironment(env)
	if settings.LogCalls {
		options.Calls = log
	}
	var recorded func() error
	var err error
	options.Record, options.Trace, recorded, err = o.record.Open([]string{settings.Secret.Token}, nil)
	if err != nil {
		return nil, err
	}
	options.Program = program()
	o.observe(&options)
	wrapped, err := server.Wrap(context.WithoutCancel(ctx), server.Wrapping{Command: o.command, Stderr: stderr,
		Interceptors: o.interceptors}, options)
	if err != nil {
		return nil, errors.Join(err, recorded())
	}
	// The calls of a pool are of many clients, and are limited in front of it.
	pool := &backend.Pool{Opener: backend.ServeFunc(wrapped.Uncounted().Serve), Max: o.maxProcesses, Idle: time.Minute}
	return &served{
		name:      strings.Join(o.command, " "),
		sessions:  backend.ServeFunc(wrapped.Serve),
		stateless: pool,
		schema:    (&backend.Schemas{Opener: pool}).Schema,
		maxCalls:  options.Limits.Resolved().Requests,
		close: func() {
			pool.Close()
			_ = wrapped.Close()
			_ = recorded()
		},
	}, nil
}

// noteCauses adds the stage that tells to which HTTP response a message belongs.
func noteCauses(stages []pipeline.Middleware) []pipeline.Middleware {
	return append([]pipeline.Middleware{backend.Causes()}, stages...)
}
