package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/prompt"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/internal/tool"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// An offer is what the server has for its client.
type offer struct {
	families handlers.Families
	// background keeps up with the project and tells the client, until ctx ends.
	background func(ctx context.Context, p *pipeline.Pipeline)
}

// minimal is an offer of nothing but the lifecycle, ping and logging.
func (o offer) minimal() offer {
	return offer{families: handlers.Minimal(o.families), background: func(context.Context, *pipeline.Pipeline) {}}
}

// open finds the project and what it offers. Without one, the server explains
// how to make one.
func open(ctx context.Context, root, state string, s streams, env map[string]string, settings settings, log *slog.Logger) (offer, error) {
	here, err := os.Getwd()
	if err != nil {
		here = string(os.PathSeparator)
	}
	session := &mcp.Session{}
	root, err = project.Find(root, here)
	if errors.Is(err, project.ErrNone) {
		log.Warn("no project found: serving the tool getting_started; set MCPBASH_PROJECT_ROOT or --project-root to a folder with tools/ in it")
		return gettingStarted(ctx, settings, log, "No project was found."), nil
	} else if err != nil {
		return offer{}, usageError{err}
	}
	runner := &script.Runner{}
	adopted := runner.Adopt()
	if adopted != nil {
		log.Debug("descendants that leave their session will not be ended", "error", adopted)
	}
	schemas := &tool.Schemas{}
	toolEnv, err := withJQ(toolEnvironment(env, settings), state)
	if err != nil {
		log.Warn("tools that call jq will find none", "error", err)
	}
	runner.Before = keepJQ(state)
	herald := newHerald(log.Handler(), session)
	p, err := project.Open(root, opening(settings, runner, toolEnv, schemas, slog.New(herald)))
	if err != nil {
		return offer{}, usageError{err}
	}
	troubles := newTroubles(p, settings.guards())
	runtime := &tool.Runtime{
		Runner:  runner,
		Root:    p.Root(),
		State:   state,
		Env:     append(toolEnv, aboutServer(p, settings)...),
		Schemas: schemas,
		Limits: tool.Limits{
			Timeout:          settings.toolTimeout,
			Extended:         settings.maxTimeout,
			ExtendOnProgress: settings.extend,
			Output:           settings.maxOutput,
			StderrTail:       settings.stderrTail,
			Inline:           settings.inline,
		},
		Log:    log,
		Reuse:  adopted == nil && goruntime.GOOS == "linux", // elsewhere a daemon may outlive its call
		Keep:   settings.preserveState,
		SDK:    &sdk.Server{Log: log, Downloads: settings.https.hosts(log)},
		SDKDir: installSDK(filepath.Join(state, "sdk")),
	}
	rounds := newRounds(ctx, settings, log)
	if settings.streamErr {
		runtime.Stderr = s.err
	}
	run := runtime.Call
	if !settings.live {
		run = collect(run)
	}
	known := &roots.Roots{
		Fallback: fallbackRoots(p, settings, log),
		Ask:      handlers.AskRoots(session),
		Patience: settings.rootsPatience,
		Log:      log,
	}
	logging := handlers.Logging{Session: session, Log: log}
	read := newReader(p, runner, env, settings, log)
	others := scripts{
		runner: runner,
		root:   p.Root(),
		env:    append(providers.Environment(pairs(env), settings.providerEnvMode, settings.providerEnvAllowlist), settings.projectEnv...),
		limit:  settings.maxOutput,
		state:  state,
		sdk:    runtime.SDK,
		sdkDir: runtime.SDKDir,
	}
	allowed := operatorPolicy(p, runtime, settings)
	subscriptions := &handlers.Subscriptions{
		Digest:   (&digests{reader: read}).of,
		Gone:     gone,
		Interval: settings.pollInterval,
		Log:      log,
	}
	offers := mcp.ServerCapabilities{
		Logging:     &struct{}{},
		Completions: &struct{}{},
		Prompts:     &mcp.ListChanged{ListChanged: true},
		Resources:   &mcp.Resources{Subscribe: true, ListChanged: true},
		Tools:       &mcp.ListChanged{ListChanged: true},
		Extensions: map[string]json.RawMessage{
			mcp.ExtensionTasks: json.RawMessage("{}"),
			mcp.ExtensionUI:    json.RawMessage(`{"mimeTypes":["text/html;profile=mcp-app"]}`),
		},
	}
	baseline := &baseline{}
	server := identity(p, troubles, baseline, log)
	confirmed := make(chan struct{})
	listens := &handlers.Listens{
		Offers: offers,
		Ready:  baseline.wait,
		Watch:  subscriptions.Watch,
		Task:   rounds.Tasks.Has,
		Log:    log,
	}
	rounds.Tasks.Changed = listens.TaskChanged
	return offer{
		families: handlers.Families{
			Envelope:  handlers.Envelope{Server: lately(p), TTL: listTTL(settings)},
			Lifecycle: handlers.Lifecycle{Session: session, Offers: offers, Server: server, Ready: func() { close(confirmed) }, Log: log},
			Logging:   logging,
			Roots:     handlers.Roots{Known: known},
			Tools: handlers.Tools{
				Session:  session,
				Catalog:  p,
				Policy:   allowed,
				Roots:    known,
				Run:      run,
				Rounds:   rounds,
				Logging:  logging,
				PageSize: settings.pageSize,
			},
			Resources: &handlers.Resources{
				Session:       session,
				Catalog:       p,
				Read:          read.read,
				Listed:        withTool(allowed),
				Subscriptions: subscriptions,
				PageSize:      settings.pageSize,
			},
			Prompts: &handlers.Prompts{
				Session:  session,
				Catalog:  p,
				Render:   prompt.Renderer{Run: others.prompt, Read: read.one}.Render,
				Rounds:   rounds,
				PageSize: settings.pageSize,
			},
			Completion: &handlers.Completion{Catalog: p, Run: others.completion},
			Tasks:      rounds.Tasks,
			Listens:    listens,
		},
		background: func(ctx context.Context, server *pipeline.Pipeline) {
			troubles.look()
			go func() {
				select {
				case <-confirmed:
				case <-ctx.Done():
					return
				}
				herald.news.begin(func(p mcp.LogParams) { _ = server.Notify(ctx, "notifications/message", p) }) // it is in the log
			}()
			upkeep{p, subscriptions, listens, baseline, confirmed, log}.begin(ctx, server)
		},
	}, nil
}

// listTTL is how long clients may keep lists: those of a server that does not
// look at its files change with a restart only.
func listTTL(s settings) time.Duration {
	if s.staticRegistry {
		return 5 * time.Minute
	}
	return 0
}

// installSDK returns what puts the SDK there at the first call, and again if it
// is gone: temporary files that are old get cleaned up.
func installSDK(dir string) func() (string, error) {
	var mu sync.Mutex
	return func() (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := os.Stat(filepath.Join(dir, "tool-sdk.sh")); err == nil {
			return dir, nil
		}
		return sdk.Install(dir)
	}
}
