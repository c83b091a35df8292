package middleware

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// CallLog logs each call for which logged reports true, or all if it is nil, and the others at
// debug level: how the call ended, how long it took including its time in the queue, the sizes of
// its params and result in bytes, and why it failed.
//
//	level=INFO msg=call method=tools/call name=resize outcome=ok took=12ms in=214 out=96 id=7
//	level=WARN msg=call method=tools/call name=resize outcome=failed took=4ms in=214 out=131 id=8 exit=7 reason="no file"
//
// Values of arguments that were read as what they mean, are counted in converted.
// The outcome is ok, failed (a result that says so, in MCP by isError), refused (an error),
// cancelled, and in MCP input_required or task. How a task has ended is a second record of its call, whose message is
// "task". Behind HTTP there is the caller, which is the subject of the token, and from, the address. Arguments and
// results are not logged.
//
// It is inside of [Cancel], whose context shows that the client has cancelled a call, and outside of [RateLimit] and
// [Workers], so that calls that are refused there have a line, and waiting counts.
//
// The record is written after the answer has been sent: an answer that could not leave as it was, as
// [OutputGuard] decides, is refused. observe is called for every call, logged or not. A nil log writes nothing, a nil
// observe is not called, and without both the stage costs nothing.
//
// Without it there is no record of which calls are made, how long they take and why they fail.
func CallLog(
	d pipeline.Dialect, log *slog.Logger, observe CallObserver, logged func(*pipeline.Message) bool,
) pipeline.Middleware {
	if log == nil && observe == nil {
		return pipeline.Middleware{Name: "calllog"}
	}
	var unsent sync.Map // of the turns whose answer could not leave: why
	return pipeline.Middleware{
		Name: "calllog",
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err := next(ctx, m)
			unfit := err != nil && (errors.As(err, new(*SizeError)) || errors.Is(err, ErrCorrupt))
			if turn := pipeline.Turn(ctx); turn != nil && m.Kind() == pipeline.Response && unfit {
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
				ended = observe(ctx, m)
			}
			if !writes && ended == nil {
				return next(ctx, m)
			}
			began := time.Now()
			turn, caller := pipeline.Turn(ctx), mcp.CallerOf(ctx)
			end := func(ctx context.Context, e CallEnd) {
				if ended != nil {
					ended(e)
				}
				if writes {
					logCall(ctx, log, level, m, Subject(d, m), caller, e)
				}
			}
			if m.Method() == "tools/call" { // no other call becomes a task
				ctx = mcp.WithTaskEnd(ctx, func(task mcp.TaskResult) {
					e := endOfTask(d, m, task)
					e.Task, e.Took = true, time.Since(began)
					end(context.Background(), e)
				})
			}
			e := CallEnd{Outcome: "refused", Reason: "panic"} // unless next returns
			defer func() {
				e.Took = time.Since(began)
				unsent.Store(turn, nil)
				// When it is known what the client got, which need not wait for it.
				pipeline.Afterwards(ctx, func(ctx context.Context) {
					if why, _ := unsent.LoadAndDelete(turn); why != nil {
						e.Outcome, e.Reason = "refused", firstLine(why.(error).Error())
					}
					end(ctx, e)
				})
			}()
			answer, err := next(ctx, m)
			e = endOf(ctx, d, answer, err)
			return answer, err
		},
	}
}

// A CallObserver is called when a call begins, and the func that it returns, unless that is nil,
// when the call has ended, and once more when the task has ended that the call may have become. Calls may run at the
// same time. Both run within the call, so they must not block. [Subject] tells what the call is about, [mcp.CallerOf]
// whose it is.
type CallObserver func(context.Context, *pipeline.Message) (ended func(CallEnd))

// Observers returns an observer that calls several; nil ones are left out, and without any it is nil.
func Observers(all ...CallObserver) CallObserver {
	all = slices.DeleteFunc(slices.Clone(all), func(o CallObserver) bool { return o == nil })
	if len(all) < 2 {
		return append(all, nil)[0]
	}
	return func(ctx context.Context, m *pipeline.Message) func(CallEnd) {
		var ends []func(CallEnd)
		for _, observe := range all {
			if ended := observe(ctx, m); ended != nil {
				ends = append(ends, ended)
			}
		}
		return func(e CallEnd) {
			for _, ended := range ends {
				ended(e)
			}
		}
	}
}

// A CallEnd is how a call ended.
type CallEnd struct {
	Outcome string // see [CallLog]
	Task    bool   // this is the end of the task that the call became, whose outcome was task
	Took    time.Duration
	Bytes   int    // of the result
	Exit    *int   // exit code of its script; nil if unknown
	Reason  string // why it failed or was refused, in one line
	At      string // where its script failed, as in tool.sh:5; empty if unknown

	Converted int // values of the arguments that were of another type than their schema names, and read as one of it
}

// Event is what has ended: a call, or the task that it became.
func (e CallEnd) Event() string {
	if e.Task {
		return "task"
	}
	return "call"
}

// Failed reports whether the call failed or was refused.
func (e CallEnd) Failed() bool { return e.Outcome == "failed" || e.Outcome == "refused" }

func logCall(
	ctx context.Context, log *slog.Logger, level slog.Level, m *pipeline.Message, name string, caller mcp.Caller,
	e CallEnd,
) {
	if e.Failed() && level == slog.LevelInfo {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("method", m.Method())}
	if name != "" {
		attrs = append(attrs, slog.String("name", name))
	}
	attrs = append(attrs,
		slog.String("outcome", e.Outcome),
		slog.Duration("took", e.Took.Round(10*time.Microsecond)),
		slog.Int("in", len(m.Params())),
		slog.Int("out", e.Bytes),
		slog.String("id", m.ID().String()),
	)
	if caller.Subject != "" {
		attrs = append(attrs, slog.String("caller", caller.Subject))
	}
	if caller.Address != "" {
		attrs = append(attrs, slog.String("from", caller.Address))
	}
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
	log.LogAttrs(ctx, level, e.Event(), attrs...)
}

// marks are texts in results that are not simply successful, as our encoder writes them. Results may be large, and
// most are not read here.
var marks = [][]byte{
	[]byte(`"isError":true`), []byte(`"converted":`),
	[]byte(`"resultType":"input_required"`), []byte(`"resultType":"task"`),
}

func endOf(ctx context.Context, d pipeline.Dialect, answer *pipeline.Message, err error) CallEnd {
	switch {
	case errors.Is(context.Cause(ctx), ErrCancelled), errors.Is(err, context.Canceled): // its client has disconnected
		return CallEnd{Outcome: "cancelled"}
	case err != nil:
		refused := (*jsonrpc2.Error)(nil)
		if errors.As(err, &refused) {
			return CallEnd{Outcome: "refused", Reason: firstLine(refused.Message)}
		}
		return CallEnd{Outcome: "refused", Reason: firstLine(err.Error())}
	case answer == nil:
		return CallEnd{Outcome: "dropped"}
	}
	return EndOf(d, answer)
}

// endOfTask returns how the task has ended that a call became.
func endOfTask(d pipeline.Dialect, m *pipeline.Message, task mcp.TaskResult) CallEnd {
	switch task.Status {
	case mcp.TaskCancelled:
		return CallEnd{Outcome: "cancelled"}
	case mcp.TaskFailed:
		return CallEnd{Outcome: "refused", Reason: firstLine(task.Error.Message)}
	}
	answer, err := m.Answer(task.Outcome)
	return endOf(context.Background(), d, answer, err)
}

// EndOf returns how a call ended that has got this answer.
func EndOf(d pipeline.Dialect, answer *pipeline.Message) CallEnd {
	if answer.Fault() != nil {
		return CallEnd{Outcome: "refused", Reason: firstLine(answer.Fault().Message)}
	}
	result := answer.Result()
	e := CallEnd{Outcome: "ok", Bytes: len(result)}
	isIn := func(mark []byte) bool { return bytes.Contains(result, mark) }
	if d.Failure == "" || answer.Encoded() && d.Failure == pipeline.MCP.Failure && !slices.ContainsFunc(marks, isIn) {
		return e
	}
	var failed bool
	var content, meta json.Value
	for m, err := range json.Members(result, '{', json.Lenient) {
		if err != nil { // the guard refuses what is not JSON; other methods may have results that are not objects
			return e
		}
		switch m.Name {
		case d.Failure:
			failed = m.Value.Kind() == 't'
		case "resultType":
			if kind := json.Text(m.Value); kind == "input_required" || kind == "task" {
				e.Outcome = kind
			}
		case "content":
			content = m.Value
		case "_meta":
			meta = m.Value
		}
	}
	if n := number(meta, "converted"); n != nil {
		e.Converted = *n
	}
	if !failed || e.Outcome != "ok" {
		return e
	}
	e.Outcome, e.Exit, e.At = "failed", number(meta, "exitCode"), short(text(meta, "at"))
	e.Reason = lastLine(text(meta, "stderr"))
	if blocks := json.Elements(content); e.Reason == "" && len(blocks) > 0 {
		e.Reason = firstLine(text(blocks[0], "text"))
	}
	return e
}

// text returns a member of an object that is a text, else "": a tool may use our names for its own data.
func text(object []byte, name string) string {
	return json.Text(json.Value(pipeline.Member(object, name)))
}

// number returns a member of an object that is a whole number, else nil.
func number(object []byte, name string) *int {
	n, err := strconv.Atoi(string(pipeline.Member(object, name)))
	if err != nil {
		return nil
	}
	return &n
}

// Subject returns what a call is about, in MCP the name of a tool or prompt, or a URI, cut to about 200
// bytes; or empty.
func Subject(d pipeline.Dialect, m *pipeline.Message) string { return short(d.SubjectOf(m)) }

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
