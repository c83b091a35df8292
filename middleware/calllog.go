package middleware

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// CallLog logs each call for which logged reports true, or all if it is nil, and the others at
// debug level: how the call ended, how long it took including its time in the queue, the sizes of
// its params and result in bytes, and why it failed.
//
//	level=INFO msg=call method=tools/call name=resize outcome=ok took=12ms in=214 out=96 id=7
//	level=WARN msg=call method=tools/call name=resize outcome=failed took=4ms in=214 out=131 id=8 exit=7 reason="no such file: photo.png"
//
// Values of arguments that were read as what they mean, are counted in converted.
// The outcome is ok, failed (a result with isError), refused (an error),
// cancelled, input_required or task. Arguments and results are not logged.
//
// It is inside of [Cancel], whose context shows that the client has cancelled a call, and outside
// of [Workers], so that waiting counts.
//
// The record is written after the answer has been sent: an answer that could not leave as it was, as
// [OutputGuard] decides, is refused. observe is called for every call, logged or not. A nil log writes nothing, a nil observe is not called, and without both the stage costs
// nothing.
//
// Without it there is no record of which calls are made, how long they take and why they fail.
func CallLog(log *slog.Logger, observe CallObserver, logged func(*pipeline.Message) bool) pipeline.Middleware {
	if log == nil && observe == nil {
		return pipeline.Middleware{Name: "calllog"}
	}
	var unsent sync.Map // of the turns whose answer could not leave: why
	return pipeline.Middleware{
		Name: "calllog",
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err := next(ctx, m)
			large := (*SizeError)(nil)
			if turn := pipeline.Turn(ctx); turn != nil && m.Kind() == pipeline.Response && (errors.As(err, &large) || errors.Is(err, ErrCorrupt)) {
				unsent.CompareAndSwap(turn, nil, err) // of a call that is logged
			}
			return err
		},
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call {
				return next(ctx, m)
			}
			level, writes := slog.LevelInfo, log != nil
			if writes && logged != nil && !logged(m) {
				level = slog.LevelDebug
				writes = log.Enabled(ctx, level)
			}
			var ended func(CallEnd)
			if observe != nil {
				ended = observe(m)
			}
			if !writes && ended == nil {
				return next(ctx, m)
			}
			began := time.Now()
			answer, err := next(ctx, m)
			e := endOf(ctx, answer, err)
			e.Took = time.Since(began)
			turn := pipeline.Turn(ctx)
			unsent.Store(turn, nil)
			pipeline.Afterwards(ctx, func(ctx context.Context) { // when it is known what the client got, which need not wait for it
				if why, _ := unsent.LoadAndDelete(turn); why != nil {
					e.Outcome, e.Reason = "refused", firstLine(why.(error).Error())
				}
				if ended != nil {
					ended(e)
				}
				if writes {
					logCall(ctx, log, level, m, e)
				}
			})
			return answer, err
		},
	}
}

// A CallObserver is called when a call begins, and the func that it returns, unless that is nil,
// when the call has ended. Calls may run at the same time. Both run within the call, so they must
// not block. [Subject] tells what the call is about.
type CallObserver func(*pipeline.Message) (ended func(CallEnd))

// A CallEnd is how a call ended.
type CallEnd struct {
	Outcome string // see [CallLog]
	Took    time.Duration
	Bytes   int    // of the result
	Exit    *int   // exit code of its script; nil if unknown
	Reason  string // why it failed or was refused, in one line
	At      string // where its script failed, as in tool.sh:5; empty if unknown

	Converted int // values of the arguments that were of another type than their schema names, and read as one of it
}

// Failed reports whether the call failed or was refused.
func (e CallEnd) Failed() bool { return e.Outcome == "failed" || e.Outcome == "refused" }

func logCall(ctx context.Context, log *slog.Logger, level slog.Level, m *pipeline.Message, e CallEnd) {
	if e.Failed() && level == slog.LevelInfo {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("method", m.Method())}
	if name := Subject(m); name != "" {
		attrs = append(attrs, slog.String("name", name))
	}
	attrs = append(attrs,
		slog.String("outcome", e.Outcome),
		slog.Duration("took", e.Took.Round(10*time.Microsecond)),
		slog.Int("in", len(m.Params())),
		slog.Int("out", e.Bytes),
		slog.String("id", m.ID().String()),
	)
	if e.Exit != nil && *e.Exit != 0 {
		attrs = append(attrs, slog.Int("exit", *e.Exit))
	}
	if e.Converted > 0 {
		attrs = append(attrs, slog.Int("converted", e.Converted))
	}
	if e.At != "" {
		attrs = append(attrs, slog.String("at", e.At))
	}
	if e.Reason != "" {
		attrs = append(attrs, slog.String("reason", e.Reason))
	}
	log.LogAttrs(ctx, level, "call", attrs...)
}

// marks are texts in results that are not simply successful. Results may be large, and most are not
// decoded here.
var marks = [][]byte{[]byte(`"isError":true`), []byte(`"resultType":"input_required"`), []byte(`"resultType":"task"`), []byte(`"converted":`)}

func endOf(ctx context.Context, answer *pipeline.Message, err error) CallEnd {
	switch {
	case errors.Is(context.Cause(ctx), ErrCancelled):
		return CallEnd{Outcome: "cancelled"}
	case err != nil:
		refused := (*jsonrpc2.Error)(nil)
		if errors.As(err, &refused) {
			return CallEnd{Outcome: "refused", Reason: firstLine(refused.Message)}
		}
		return CallEnd{Outcome: "refused", Reason: firstLine(err.Error())}
	case answer == nil:
		return CallEnd{Outcome: "dropped"}
	case answer.Fault() != nil:
		return CallEnd{Outcome: "refused", Reason: firstLine(answer.Fault().Message)}
	}
	result := answer.Result()
	e := CallEnd{Outcome: "ok", Bytes: len(result)}
	if !slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(result, mark) }) {
		return e
	}
	var parsed struct {
		ResultType string
		IsError    bool
		Content    []struct{ Text string }
		Meta       struct {
			ExitCode *int
			Stderr   string

			// A tool may use these for its own data.
			At        any
			Converted any
		} `json:"_meta"`
	}
	if json.Unmarshal(result, &parsed) != nil {
		return e // results of other methods have members of these names
	}
	if n, ok := parsed.Meta.Converted.(float64); ok {
		e.Converted = int(n)
	}
	switch {
	case parsed.ResultType == "input_required", parsed.ResultType == "task":
		e.Outcome = parsed.ResultType
	case parsed.IsError:
		e.Outcome, e.Exit, e.Reason = "failed", parsed.Meta.ExitCode, lastLine(parsed.Meta.Stderr)
		if e.Reason == "" && len(parsed.Content) > 0 {
			e.Reason = firstLine(parsed.Content[0].Text)
		}
		if at, ok := parsed.Meta.At.(string); ok {
			e.At = short(at)
		}
	}
	return e
}

// Subject returns the subject of a call: the name of a tool or prompt, or a URI, cut to about 200
// bytes; or empty.
func Subject(m *pipeline.Message) string {
	for _, member := range []string{"name", "uri"} {
		value := pipeline.Member(m.Params(), member)
		if value == nil {
			continue
		}
		var name string
		if json.Unmarshal(value, &name) == nil && name != "" {
			return short(name)
		}
	}
	return ""
}

// firstLine returns the first line of a text, with the second if the first introduces it.
func firstLine(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasSuffix(first, ":") {
		second, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		first += " " + strings.TrimPrefix(second, "- ")
	}
	return short(first)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return short(text[strings.LastIndexByte(text, '\n')+1:])
}

// short limits what a client or a script can write to the log.
func short(text string) string {
	const most = 200
	if text = strings.TrimSpace(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
