// Package telemetry sends traces and figures to an OpenTelemetry collector, by OTLP over HTTP. The variables of the
// OpenTelemetry specification say where to, and how: nothing is sent without OTEL_EXPORTER_OTLP_ENDPOINT.
package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Telemetry makes spans of calls. Nil makes none. Its methods may be called from several goroutines.
type Telemetry struct {
	tracer trace.Tracer
	calls  sync.Map // those that are open, by their pipeline.Turn: *call
	close  func(context.Context) error
}

// Service is what a process is called in traces and figures, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES says
// so.
type Service struct{ Name, Version, Instance string }

// Start starts sending, also the figures that are gathered, if the variables ask for it; otherwise it returns nil. What
// cannot be sent is logged, and lost: nothing waits for the collector but Close.
func Start(
	ctx context.Context, env map[string]string, s Service, figures prometheus.Gatherer, log *slog.Logger,
) (*Telemetry, error) {
	if env["OTEL_EXPORTER_OTLP_ENDPOINT"] == "" || env["OTEL_SDK_DISABLED"] == "true" {
		return nil, nil
	}
	const protocol = "http/protobuf"
	for _, name := range []string{"", "TRACES_", "METRICS_"} {
		name = "OTEL_EXPORTER_OTLP_" + name + "PROTOCOL"
		if asked := cmp.Or(env[name], protocol); asked != protocol {
			return nil, fmt.Errorf("%s=%s: only %s is spoken; leave the variable out, and send to the port of the collector "+
				"for it, usually 4318", name, asked, protocol)
		}
	}
	of, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", s.Name), attribute.String("service.version", s.Version),
		attribute.String("service.instance.id", s.Instance)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	values, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	otel.SetErrorHandler(complaints(log))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(of))
	meters := metric.NewMeterProvider(metric.WithResource(of), metric.WithReader(metric.NewPeriodicReader(values,
		metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(figures))))))
	return &Telemetry{
		tracer: provider.Tracer("github.com/mcp-bash/mcp-bash/v2"),
		close:  func(ctx context.Context) error { return errors.Join(provider.Shutdown(ctx), meters.Shutdown(ctx)) },
	}, nil
}

// complaints logs why something cannot be sent: a warning the first time, as it goes on for as long as the collector is
// away.
func complaints(log *slog.Logger) otel.ErrorHandlerFunc {
	var first sync.Once
	return func(err error) {
		level := slog.LevelDebug
		first.Do(func() { level = slog.LevelWarn })
		log.Log(context.Background(), level, "OpenTelemetry: what was measured cannot be sent", "error", err)
	}
}

// Close sends what was not sent yet, for a few seconds at most.
func (t *Telemetry) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := t.close(ctx); err != nil {
		otel.Handle(err)
	}
}
