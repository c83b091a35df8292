package middleware

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// CallLog writes a record for each call that logged reports, nil for all: how it ended, how
// long it took with its time in the queue, how many bytes came and went, and why
// it failed.
//
//	level=INFO msg=call method=tools/call name=resize outcome=ok took=12ms in=214 out=96 id=7
//	level=WARN msg=call method=tools/call name=resize outcome=failed took=4ms in=214 out=131 id=8 exit=7 reason="no such file: photo.png"
//
// The outcome is ok, failed (a result with isError), refused (an error),
// cancelled, input_required or task. Arguments and results are not logged.
//
// It stands inside of [Cancel], whose context says that the client has cancelled
// a call, and outside of [Workers], so that waiting counts.
//
// A nil log writes nothing, at no cost.
//
// Without it nobody sees which calls are made, how long they take and why they fail.
func CallLog(log *slog.Logger, logged func(*pipeline.Message) bool) pipeline.Middleware {
	if log == nil {
		return pipeline.Middleware{Name: "calllog"}
	}
	return pipeline.Middleware{
		Name: "calllog",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call || logged != nil && !logged(m) {
				return next(ctx, m)
			}
			began := time.Now()
			answer, err := next(ctx, m)
			e := endOf(ctx, answer, err)
			level := slog.LevelInfo
			if e.outcome == "failed" || e.outcome == "refused" {
				level = slog.LevelWarn
			}
			attrs := []slog.Attr{slog.String("method", m.Method())}
			if name := nameOf(m); name != "" {
				attrs = append(attrs, slog.String("name", name))
			}
			attrs = append(attrs,
				slog.String("outcome", e.outcome),
				slog.Duration("took", time.Since(began).Round(10*time.Microsecond)),
				slog.Int("in", len(m.Params())),
				slog.Int("out", e.bytes),
				slog.String("id", m.ID().String()),
			)
			if e.exit != nil && *e.exit != 0 {
				attrs = append(attrs, slog.Int("exit", *e.exit))
			}
			if e.reason != "" {
				attrs = append(attrs, slog.String("reason", e.reason))
			}
			log.LogAttrs(ctx, level, "call", attrs...)
			return answer, err
		},
	}
}

// marks are in results that say more than that all is well. Results may be large,
// and most are not decoded here.
var marks = [][]byte{[]byte(`"isError":true`), []byte(`"resultType":"input_required"`), []byte(`"resultType":"task"`)}

// A callEnd is how a call ended.
type callEnd struct {
	outcome string
	bytes   int  // of the result
	exit    *int // of its script, where that is known
	reason  string
}

func endOf(ctx context.Context, answer *pipeline.Message, err error) callEnd {
	switch {
	case errors.Is(context.Cause(ctx), ErrCancelled):
		return callEnd{outcome: "cancelled"}
	case err != nil:
		refused := (*jsonrpc2.Error)(nil)
		if errors.As(err, &refused) {
			return callEnd{outcome: "refused", reason: firstLine(refused.Message)}
		}
		return callEnd{outcome: "refused", reason: firstLine(err.Error())}
	case answer == nil:
		return callEnd{outcome: "dropped"}
	case answer.Fault() != nil:
		return callEnd{outcome: "refused", reason: firstLine(answer.Fault().Message)}
	}
	result := answer.Result()
	e := callEnd{outcome: "ok", bytes: len(result)}
	if !slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(result, mark) }) {
		return e
	}
	var said struct {
		ResultType string
		IsError    bool
		Content    []struct{ Text string }
		Meta       struct {
			ExitCode *int
			Stderr   string
		} `json:"_meta"`
	}
	if json.Unmarshal(result, &said) != nil {
		return e // another method's result has members of that name
	}
	switch {
	case said.ResultType == "input_required", said.ResultType == "task":
		e.outcome = said.ResultType
	case said.IsError:
		e.outcome, e.exit, e.reason = "failed", said.Meta.ExitCode, lastLine(said.Meta.Stderr)
		if e.reason == "" && len(said.Content) > 0 {
			e.reason = firstLine(said.Content[0].Text)
		}
	}
	return e
}

// nameOf is what a call is about: the name of a tool or prompt, or a URI.
func nameOf(m *pipeline.Message) (name string) {
	for _, member := range []string{"name", "uri"} {
		if json.Unmarshal(pipeline.Member(m.Params(), member), &name) == nil && name != "" {
			return short(name)
		}
	}
	return ""
}

// firstLine returns the first line of a text, with the second where that is what
// the first announces.
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

// short bounds what a client or a script can put into the log.
func short(text string) string {
	const most = 200
	if text = strings.TrimSpace(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
