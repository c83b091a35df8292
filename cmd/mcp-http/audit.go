package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/auth"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An audit file is rotated when it has auditMB megabytes; the second constant is how many old files are kept.
const (
	auditMB        = 64
	auditFilesKept = 10
)

// An auditor writes who has called what, and who was refused: a line of JSON each, with the members that
// docs/REMOTE.md lists. It is written before the next one is, so what is missing was not written by a full disk
// alone, which the log reports.
type auditor struct {
	lines     *slog.Logger
	arguments bool
	proxies   auth.Proxies
	close     func() error
	workers   *sync.Map // with --use-workers, of open calls and tasks by pipeline.Turn: the worker, "" before there is one
}

// openAudit opens the audit file, for "-" stdout. It returns nil without a file. The secret is left out.
func (o options) openAudit(stdout io.Writer, secret string, proxies auth.Proxies, log *slog.Logger) (*auditor, error) {
	a := &auditor{arguments: o.auditArguments, proxies: proxies, close: func() error { return nil }}
	switch o.audit {
	case "":
		if o.auditArguments {
			return nil, errors.New("--audit-arguments needs --audit, which names the file")
		}
		return nil, nil
	case "-":
	default:
		f, err := os.OpenFile(o.audit, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("--audit: %w", err)
		}
		rotated := &lumberjack.Logger{Filename: o.audit, MaxSize: auditMB, MaxBackups: auditFilesKept}
		stdout, a.close = rotated, rotated.Close
	}
	written := writerFunc(func(line []byte) (int, error) {
		n, err := stdout.Write(line)
		if err != nil {
			log.Error("a line of the audit could not be written", "error", err, "line", string(line))
		}
		return n, err
	})
	a.lines = slog.New(slog.NewJSONHandler(written, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			switch {
			case attr.Key == slog.LevelKey:
				return slog.Attr{}
			case attr.Key == slog.MessageKey:
				attr.Key = "event"
			case secret != "" && attr.Value.Kind() == slog.KindString:
				attr.Value = slog.StringValue(strings.ReplaceAll(attr.Value.String(), secret, redact.Mark))
			}
			return attr
		},
	}))
	return a, nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// call is a [middleware.CallObserver]: it writes the calls of tools, prompts and resources, and all that were refused.
func (a *auditor) call(ctx context.Context, m *pipeline.Message) func(middleware.CallEnd) {
	caller, turn := mcp.CallerOf(ctx), pipeline.Turn(ctx)
	if a.workers != nil {
		a.workers.Store(turn, "")
	}
	return func(e middleware.CallEnd) {
		var worker any
		if a.workers != nil {
			worker, _ = a.workers.Load(turn)
			if e.Outcome != "task" {
				a.workers.Delete(turn)
			}
		}
		switch m.Method() {
		case "tools/call", "prompts/get", "resources/read":
		default:
			if e.Outcome != "refused" {
				return
			}
		}
		attrs := append(who(caller),
			slog.String("id", m.ID().String()),
			slog.String("method", m.Method()),
			slog.String("name", middleware.Subject(pipeline.MCP, m)),
			slog.String("outcome", e.Outcome),
			slog.Float64("ms", float64(e.Took.Microseconds())/1000),
			slog.Int("in", len(m.Params())),
			slog.Int("out", e.Bytes),
		)
		if worker != nil && worker != "" {
			attrs = append(attrs, slog.Any("worker", worker))
		}
		if e.Exit != nil {
			attrs = append(attrs, slog.Int("exit", *e.Exit))
		}
		if e.Outcome == "refused" || strings.HasPrefix(e.Reason, "refused by ") { // by an interceptor
			attrs = append(attrs, slog.String("reason", e.Reason))
		}
		if trace := cmp.Or(mcp.TraceOf(pipeline.Member(m.Params(), "_meta")).Parent, caller.Trace.Parent); trace != "" {
			attrs = append(attrs, slog.String("trace", strings.Split(trace, "-")[1]))
		}
		if arguments := pipeline.Member(m.Params(), "arguments"); a.arguments && arguments != nil {
			attrs = append(attrs, slog.Any("arguments", json.RawMessage(arguments)))
		}
		a.lines.LogAttrs(ctx, slog.LevelInfo, e.Event(), attrs...)
	}
}

// step is a [pipeline.Tracer]: it learns which worker has a call.
func (a *auditor) step(s pipeline.Step) {
	for _, note := range s.Notes {
		if note.Key == "worker" {
			a.workers.CompareAndSwap(s.Turn, "", note.Value.String())
		}
	}
}

// who returns what is known of a caller.
func who(c mcp.Caller) (attrs []slog.Attr) {
	for _, known := range []slog.Attr{slog.String("caller", c.Subject), slog.String("issuer", c.Issuer),
		slog.String("from", c.Address), slog.String("session", c.Session)} {
		if known.Value.String() != "" {
			attrs = append(attrs, known)
		}
	}
	return attrs
}

// refused writes a request that was answered with a status of 4xx or 5xx.
func (a *auditor) refused(r *http.Request, status int) {
	caller := auth.Known(r)
	caller.Address = a.proxies.Address(r)
	caller.Session = cmp.Or(r.Header.Get("Mcp-Session-Id"), r.URL.Query().Get("sessionId"))
	attrs := append(who(caller),
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", status))
	a.lines.LogAttrs(r.Context(), slog.LevelInfo, "refused", attrs...)
}
