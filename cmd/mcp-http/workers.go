package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// share makes a replica visible to `mcp-http top`, and makes workers run its tools if the options ask
// for it. end is called when the server is closed.
func (o options) share(to *server.Options, with natscluster.Options, log *slog.Logger) (end func(), err error) {
	conn, err := natscluster.Dial(with)
	if err != nil {
		return nil, fmt.Errorf("--cluster: cannot use NATS: %w", err)
	}
	countNATS(o.counted, conn.IsConnected, func() int { return int(conn.Stats().Reconnects) })
	about := calls.Status{Kind: "replica", Name: cmp.Or(o.replicaName(), "replica"), Version: server.Version,
		Project: o.project,
		Since:   time.Now().UTC()}
	var look func() calls.Status
	end = conn.Close
	if o.useWorkers {
		limits := to.Limits.Resolved()
		caller, err := calls.NewCaller(calls.CallerOptions{
			Options:    calls.Options{Conn: conn, Cluster: with.Name, Name: about.Name, Patience: o.patience, Log: log},
			MaxWaiting: o.maxWaiting, MaxWait: o.maxWait, Limits: run.Limits{
				Timeout: limits.ToolTimeout, Extended: limits.ToolTimeoutMax, ExtendOnProgress: limits.ExtendTimeout,
			},
		})
		if err != nil {
			conn.Close()
			return nil, fmt.Errorf("--use-workers: %w", err)
		}
		to.Runner, look = caller, caller.Status
		o.counted.Gauge("mcp_worker_calls_waiting", "Calls of this replica that wait for a worker with a free slot.",
			func() int { return caller.Status().Waiting })
		o.counted.Gauge("mcp_worker_offers_repeated",
			"Offers of calls that were made again, as no worker had taken the call.", caller.Repeated)
		o.counted.Gauge("mcp_workers_seen", "Workers that report to this replica.",
			func() int { all, _ := caller.Seen(); return all })
		o.counted.Gauge("mcp_workers_busy", "Of these, those without a free slot.",
			func() int { _, busy := caller.Seen(); return busy })
		end = func() {
			caller.Close()
			conn.Close()
		}
	} else {
		board := status.NewBoard(server.Version, os.Getpid())
		to.Observe, look = middleware.Observers(to.Observe, board.Observe),
			func() calls.Status { return ofBoard(board.Snapshot()) }
	}
	var refused atomic.Uint64
	told := to.Intercepted
	to.Intercepted = func(name, outcome string, audit bool) {
		if outcome == "refused" && !audit {
			refused.Add(1)
		}
		told(name, outcome, audit)
	}
	current := func() calls.Status {
		s := about.With(look())
		s.Refused = refused.Load()
		return s
	}
	if _, err := calls.Announce(conn, with.Name, current); err != nil {
		end()
		return nil, fmt.Errorf("--cluster: %w", err)
	}
	return end, nil
}

// ofBoard returns the status of a replica that runs its tools itself.
func ofBoard(s status.Snapshot) calls.Status {
	r := calls.Status{Calls: s.Calls, Running: s.Running, InFlight: []calls.InFlight{}}
	for _, c := range s.InFlight {
		r.InFlight = append(r.InFlight, calls.InFlight{Tool: cmp.Or(c.Name, c.Method), Began: c.Began})
	}
	return r
}

// work runs calls of replicas until ctx is done, and finishes those that are running then.
func (o options) work(ctx context.Context, stderr io.Writer, environ []string, log *slog.Logger) error {
	options, err := o.projectOptions(ctx, stderr, environ, log)
	if err != nil {
		return usageError{err}
	}
	if o.cluster.name, err = o.cluster.nameFor(options); err != nil {
		return usageError{err}
	}
	with, err := o.cluster.natsOptions(log)
	if err != nil {
		return usageError{err}
	}
	counted := metrics.New(server.Version)
	var sent func()
	if o.telemetry, sent, err = o.startTelemetry(ctx, environ, counted, log); err != nil {
		return usageError{err}
	}
	defer sent()
	if o.telemetry.Traces() {
		options.Trace = o.telemetry.Step // so that what happens to scripts is noted
	}
	srv, err := server.Open(context.WithoutCancel(ctx), options)
	if err != nil {
		return usageError{fmt.Errorf("--project %s: %w", o.project, err)}
	}
	defer srv.Close()
	conn, err := natscluster.Dial(with)
	if err != nil {
		return usageError{fmt.Errorf("--cluster: cannot use NATS: %w; check that it runs, and the URL, TLS and credentials",
			err)}
	}
	defer conn.Close()
	countNATS(counted, conn.IsConnected, func() int { return int(conn.Stats().Reconnects) })
	about := calls.Status{Kind: "worker", Name: cmp.Or(o.replicaName(), "worker"), Version: server.Version,
		Project: srv.Root(), Since: time.Now().UTC()}
	worker, err := calls.NewWorker(calls.WorkerOptions{
		Options: calls.Options{Conn: conn, Cluster: with.Name, Name: about.Name, Patience: o.patience, Log: log},
		Slots:   cmp.Or(o.slots, options.Limits.Resolved().Calls),
		Host:    o.observed(srv),
	})
	if err != nil {
		return err
	}
	if _, err := calls.Announce(conn, with.Name, func() calls.Status { return about.With(worker.Status()) }); err != nil {
		worker.Close(0)
		return err
	}
	unready := func() string {
		if conn.IsConnected() {
			return ""
		}
		return "NATS cannot be reached"
	}
	stop, err := o.workerFigures(counted, worker.Status, unready, func() bool { return ctx.Err() != nil }, log)
	if err != nil {
		worker.Close(0)
		return usageError{err}
	}
	defer stop()
	log.Info("taking calls", "what", srv.Root(), "cluster", with.Name, "slots", worker.Status().Slots)
	<-ctx.Done()
	log.Info("ending: calls at work are answered", "for", o.grace)
	worker.Close(o.grace)
	log.Info("ended")
	return nil
}
