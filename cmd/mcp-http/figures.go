package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
)

// serveFigures serves the figures at --metrics-listen, if it is given, until stop is called.
func (o options) serveFigures(
	counted *metrics.Metrics, healthz, readyz http.HandlerFunc, log *slog.Logger,
) (stop func(), err error) {
	if o.metricsListen == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", o.metricsListen)
	if err != nil {
		return nil, fmt.Errorf("--metrics-listen %s: %w", o.metricsListen, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", counted.Handler())
	mux.Handle("/healthz", healthz)
	mux.Handle("/readyz", readyz)
	h := &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() { _ = h.Serve(listener) }()
	log.Info("figures", "metrics", "http://"+listener.Addr().String()+"/metrics")
	return func() { _ = h.Close() }, nil
}

// countNATS adds the state of the connection to NATS.
func countNATS(counted *metrics.Metrics, connected func() bool, reconnects func() int) {
	counted.Gauge("mcp_nats_connected", "Whether NATS can be reached: 1 or 0.", func() int {
		if connected() {
			return 1
		}
		return 0
	})
	counted.Gauge("mcp_nats_reconnects", "How often the connection to NATS was made again since the start.", reconnects)
}

// countLoad adds how busy the slots of this process are.
func countLoad(counted *metrics.Metrics, load func() (slots, working, waiting int)) {
	counted.Gauge("mcp_slots", "Calls whose scripts may run at once.", func() int { slots, _, _ := load(); return slots })
	counted.Gauge("mcp_slots_taken", "Of these, those that calls have.",
		func() int { _, taken, _ := load(); return taken })
	counted.Gauge("mcp_calls_waiting", "Calls that wait for a slot.",
		func() int { _, _, waiting := load(); return waiting })
}

// workerFigures serves the figures of a worker.
func (o options) workerFigures(
	counted *metrics.Metrics, status func() calls.Status, unready func() string, ending func() bool, log *slog.Logger,
) (stop func(), err error) {
	counted.Gauge("mcp_worker_slots", "Calls that may run at once.", func() int { return status().Slots })
	counted.Gauge("mcp_worker_calls_running", "Calls that run.", func() int { return status().Running })
	counted.Gauge("mcp_worker_calls_ended", "Calls that have ended since the start.",
		func() int { return int(status().Calls) })
	return o.serveFigures(counted, health(ending, nil), health(ending, unready), log)
}
