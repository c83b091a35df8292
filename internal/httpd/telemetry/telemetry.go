// Package telemetry sends traces and figures to an OpenTelemetry collector, by OTLP over HTTP. The variables of the
// OpenTelemetry specification say where to, and how: nothing is sent without OTEL_EXPORTER_OTLP_ENDPOINT, or the one
// for traces or for metrics.
package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
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

// Telemetry makes spans of calls, and sends figures. Nil does neither. Its methods may be called from several
// goroutines.
type Telemetry struct {
	tracer trace.Tracer // nil: traces are off
	calls  sync.Map     // those that are open, by their pipeline.Turn: *call
	close  []func(context.Context) error
}

// Service is what a process is called in traces and figures, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES says
// so.
type Service struct{ Name, Version, Instance string }

// Start starts sending, also the figures that are gathered, if the variables ask for it; otherwise it returns nil. What
// cannot be sent is logged, and lost: nothing waits for the collector but Close.
func Start(
	ctx context.Context, env map[string]string, s Service, figures prometheus.Gatherer, log *slog.Logger,
) (*Telemetry, error) {
	traces, err := wanted(env, "TRACES")
	if err != nil {
		return nil, err
	}
	measures, err := wanted(env, "METRICS")
	if err != nil || !traces && !measures {
		return nil, err
	}
	of, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", s.Name), attribute.String("service.version", s.Version),
		attribute.String("service.instance.id", s.Instance)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(complaints(log))
	t := &Telemetry{}
	if traces {
		spans, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("traces for OpenTelemetry: %w", err)
		}
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(of))
		t.tracer = provider.Tracer("github.com/mcp-bash/mcp-bash/v2")
		t.close = append(t.close, provider.Shutdown)
	}
	if measures {
		values, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("figures for OpenTelemetry: %w", err)
		}
		meters := metric.NewMeterProvider(metric.WithResource(of), metric.WithReader(metric.NewPeriodicReader(values,
			metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(figures))))))
		t.close = append(t.close, meters.Shutdown)
	}
	return t, nil
}

// Traces reports whether calls have spans.
func (t *Telemetry) Traces() bool { return t != nil && t.tracer != nil }

// wanted reports whether the variables ask for a signal, TRACES or METRICS, to be sent.
func wanted(env map[string]string, signal string) (bool, error) {
	const protocol = "http/protobuf"
	if env["OTEL_SDK_DISABLED"] == "true" || env["OTEL_"+signal+"_EXPORTER"] == "none" {
		return false, nil
	}
	variable := func(about string) (name, value string) { // that of the signal, else that of all
		if name = "OTEL_EXPORTER_OTLP_" + signal + "_" + about; env[name] == "" {
			name = "OTEL_EXPORTER_OTLP_" + about
		}
		return name, env[name]
	}
	at, address := variable("ENDPOINT")
	if address == "" {
		return false, nil
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false, fmt.Errorf("%s=%s: must be a URL, as http://collector.example:4318", at, address)
	}
	if by, asked := variable("PROTOCOL"); cmp.Or(asked, protocol) != protocol {
		return false, fmt.Errorf("%s=%s: only %s is spoken; leave the variable out, and send to the port of the collector "+
			"for it, usually 4318", by, asked, protocol)
	}
	return true, nil
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

// Close sends what was not sent yet, for as long at most.
func (t *Telemetry) Close(most time.Duration) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	var closing sync.WaitGroup
	for _, end := range t.close {
		closing.Go(func() {
			if err := end(ctx); err != nil {
				otel.Handle(err)
			}
		})
	}
	closing.Wait()
}
