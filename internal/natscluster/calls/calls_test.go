package calls_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestACallHasTheSameResultAtAWorkerAsHere(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRig(t)
	c := r.pair(2)
	for _, call := range []struct{ tool, arguments string }{
		{"text", `{"name":"<&> \u00e4"}`}, {"spelling", `{"a":1.50,"b":"<&>\u00e4"}`}, {"text", ``}, {"json", `{}`}, {"fails", `{}`}, {"error", `{}`}, {"image", `{}`},
		{"large", `{}`}, {"huge", `{}`}, {"quotes", `{}`}, {"roots", `{}`},
		{"args", `{"text":"` + strings.Repeat("x", 3<<20) + `"}`},
	} {
		t.Run(call.tool, func(t *testing.T) {
			is := is.New(t)
			want, wrong := r.host.Call(t.Context(), r.of(call.tool, call.arguments))
			got, err := c.Call(t.Context(), r.of(call.tool, call.arguments))
			if wrong != nil {
				is.Equal(pipeline.WireError(err), pipeline.WireError(wrong))
				return
			}
			is.NoErr(err)
			is.Equal(shown(t, got), shown(t, want))
		})
	}
}

// shown returns a result as a client reads it.
func shown(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	text, err := pipeline.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text.Bytes()); len(s) < 1000 {
		return s
	}
	return fmt.Sprintf("%.200s… %d bytes", text.Bytes(), len(text.Bytes()))
}

func TestProgressAndLogsArriveInOrderBeforeTheResult(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	call := r.of("talks", `{}`)
	var heard []string
	call.Progress = func(_ context.Context, p mcp.ProgressParams) error {
		heard = append(heard, fmt.Sprintf("%s/%s %s", p.Progress, p.Total, p.Message))
		return nil
	}
	call.Log = func(_ context.Context, p mcp.LogParams) error {
		heard = append(heard, fmt.Sprintf("%s %s %s", p.Level, p.Logger, p.Data))
		return nil
	}
	_, err := r.pair(1).Call(t.Context(), call)
	is.NoErr(err)
	is.Equal(strings.Join(heard, ", "), `1/3 step 1, info talk "line 1", 2/3 step 2, info talk "line 2", 3/3 step 3, info talk "line 3"`)
}

func TestAClientThatReadsSlowlySlowsItsToolDownAndNoOtherCall(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	c := r.pair(2)
	reads := make(chan struct{})
	heard := 0
	call := r.of("chats", `{}`)
	call.Log = func(ctx context.Context, _ mcp.LogParams) error {
		select {
		case <-reads:
		case <-ctx.Done():
		}
		heard++
		return nil
	}
	slow := goes(t.Context(), c, call)
	for range 3 {
		_, err := c.Call(t.Context(), r.of("text", ""))
		is.NoErr(err)
	}
	select {
	case <-slow:
		t.Fatal("the tool has ended, and nobody has read what it said")
	default:
	}
	close(reads)
	is.NoErr((<-slow).err)
	is.Equal(heard, 200)
}

func TestTheClientIsAskedThroughItsReplica(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	c := r.pair(1)
	call := r.of("ask", `{}`)
	call.Ask = func(_ context.Context, q ...sdk.Question) []sdk.Answer {
		is.Equal(q[0].Method, "elicitation/create")
		return []sdk.Answer{{Result: json.RawMessage(`{"action":"accept","content":{"name":"Ada","value":"Ada"}}`)}}
	}
	result, err := c.Call(t.Context(), call)
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), "hello Ada"))

	call.Ask = func(context.Context, ...sdk.Question) []sdk.Answer {
		return []sdk.Answer{{Err: fmt.Errorf("%w: no forms", sdk.ErrUnsupported)}}
	}
	want, wrong := r.host.Call(t.Context(), call)
	is.NoErr(wrong)
	got, err := c.Call(t.Context(), call)
	is.NoErr(err)
	is.Equal(shown(t, got), shown(t, want))
}

func TestAQuestionIsVoidWhenItsScriptWaitsNoLonger(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	var why atomic.Value
	call := r.of("hurry", `{}`)
	call.Ask = func(ctx context.Context, _ ...sdk.Question) []sdk.Answer {
		<-ctx.Done()
		why.Store(context.Cause(ctx).Error())
		return []sdk.Answer{{Err: context.Cause(ctx)}}
	}
	result, err := r.pair(1).Call(t.Context(), call)
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), "gone on"))
	is.True(why.Load() != nil) // as soon as Call has returned
}

func TestFoldersOfTheClientAreSentAndOthersAreThoseOfTheWorker(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	c := r.pair(1)
	result, err := c.Call(t.Context(), r.of("roots", `{}`))
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), r.root))
	dir := t.TempDir()
	call := r.of("roots", `{}`)
	call.Folders = []roots.Root{{URI: "file://" + dir, Name: "n", Path: dir}}
	result, err = c.Call(t.Context(), call)
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), dir))
	call.Roots = func(context.Context) ([]string, error) { return []string{"/one", "/two"}, nil }
	result, err = c.Call(t.Context(), call)
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), `/one\n/two`))
}

func TestACancelledCallEndsItsToolAtTheWorker(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	c := r.pair(1)
	ctx, cancel := context.WithCancelCause(t.Context())
	done := goes(ctx, c, r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	gone := errors.New("the user has left")
	cancel(gone)
	is.Equal((<-done).err, gone)
	is.Equal(r.lines("ended"), 1)
	_, err := c.Call(t.Context(), r.of("text", "")) // its slot is free
	is.NoErr(err)
}

func code(err error) int64 { return pipeline.WireError(err).Code }

func TestWhereAllAreBusyCallsWaitForAStatedTimeAndInStatedNumber(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	r.worker(1, r.host, r.options("w"))
	short := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: 300 * time.Millisecond})
	few := r.caller(calls.CallerOptions{Options: r.options("b"), MaxWaiting: 1})
	at := goes(t.Context(), few, r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })

	_, err := short.Call(t.Context(), r.of("text", ""))
	is.Equal(code(err), int64(mcp.CodeBusy))
	is.Equal(err.(*jsonrpc2.Error).Message, "Server busy: no worker has taken the call within 300ms: those that have the tool are busy; try again later")

	patient := goes(t.Context(), few, r.of("text", ""))
	waittest.Until(t, "a call waits", func() bool { return few.Status().Waiting == 1 })
	_, err = few.Call(t.Context(), r.of("text", ""))
	is.Equal(code(err), int64(mcp.CodeBusy))
	is.Equal(err.(*jsonrpc2.Error).Message, "Server busy: 1 calls are waiting for a worker; try again later")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = few.Call(ctx, r.of("text", ""))
	is.True(err != nil)

	r.release()
	is.NoErr((<-at).err)
	is.NoErr((<-patient).err) // it has waited, and was not refused
}

func TestAWorkerRunsNoMoreCallsAtOnceThanItHasSlots(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	w := r.worker(3, r.host, r.options("w"))
	c := r.caller(calls.CallerOptions{Options: r.options("a")})
	var waiting sync.WaitGroup
	for range 12 {
		waiting.Go(func() {
			_, err := c.Call(t.Context(), r.of("wait", `{}`))
			is.NoErr(err)
		})
	}
	waittest.Until(t, "three run", func() bool { return r.lines("runs") == 3 })
	waittest.Until(t, "the others wait", func() bool { return c.Status().Waiting == 9 })
	is.Equal(w.Status().Running, 3)
	r.release()
	waiting.Wait()
	is.Equal(r.lines("runs"), 12)
}

func TestWhileAClientIsAskedItsSlotIsForOthers(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	c := r.pair(1)
	asked, answer := make(chan struct{}), make(chan struct{})
	call := r.of("ask", `{}`)
	call.Ask = func(context.Context, ...sdk.Question) []sdk.Answer {
		close(asked)
		<-answer
		return []sdk.Answer{{Result: json.RawMessage(`{"action":"decline"}`)}}
	}
	asking := goes(t.Context(), c, call)
	<-asked
	_, err := c.Call(t.Context(), r.of("text", ""))
	is.NoErr(err)
	close(answer)
	is.NoErr((<-asking).err)
	for range 3 { // the slot is back
		_, err := c.Call(t.Context(), r.of("text", ""))
		is.NoErr(err)
	}
}

func TestAWorkerWithAnotherVersionOfTheToolIsNotUsed(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	old := project(t)
	write(t, old, "tools/text/helper.sh", "echo old")
	r.worker(4, r.open(old), r.options("old"))
	short := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: time.Second})
	c := r.caller(calls.CallerOptions{Options: r.options("b")})
	_, err := short.Call(t.Context(), r.of("text", ""))
	is.True(strings.Contains(err.Error(), "no worker can run the tool: worker old: it has another version of the tool text than replica a: their metadata or files differ"))
	is.Equal(code(err), int64(jsonrpc2.CodeInternalError))
	_, err = c.Call(t.Context(), r.of("json", "")) // which has not changed, though the project has
	is.NoErr(err)

	r.worker(4, r.host, r.options("new"))
	for range 10 {
		result, err := c.Call(t.Context(), r.of("text", ""))
		is.NoErr(err)
		is.True(strings.Contains(shown(t, result), "grüße"))
	}
	write(t, r.root, "tools/text/tool.sh", "#!/bin/sh\necho changed\n")
	result, err := c.Call(t.Context(), r.of("text", "")) // the worker sees the same files
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), "changed"))
}

// slow is a host that finds no tool before it is let go.
type slow struct {
	*server.Server
	looks atomic.Int64
	goOn  chan struct{}
}

func (s *slow) Tool(ctx context.Context, name string) (*handlers.Tool, error) {
	s.looks.Add(1)
	<-s.goOn
	return s.Server.Tool(ctx, name)
}

func TestACallThatIsOfferedTwiceToASlowWorkerIsRunOnce(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	host := &slow{Server: r.host, goOn: make(chan struct{})}
	o, mine := r.options("w"), r.options("a")
	o.Beat, mine.Beat = 20*time.Millisecond, 20*time.Millisecond
	w, err := calls.NewWorker(calls.WorkerOptions{Options: o, Slots: 4, Host: host})
	is.NoErr(err)
	defer w.Close(0)
	c := r.caller(calls.CallerOptions{Options: mine})
	done := goes(t.Context(), c, r.of("wait", `{}`))
	waittest.Until(t, "it is offered again", func() bool { return host.looks.Load() >= 3 })
	close(host.goOn)
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	for range 3 { // while the other answers of the worker arrive
		_, err := c.Call(t.Context(), r.of("text", ""))
		is.NoErr(err)
	}
	waittest.Until(t, "nothing else is at work", func() bool { return w.Status().Running == 1 })
	r.release()
	is.NoErr((<-done).err)
	is.Equal(r.lines("runs"), 1)
}

func TestAWorkerThatIsGoneGivesItsCallsAnErrorAndNothingIsRunAgain(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	o := r.options("first")
	o.Beat = 100 * time.Millisecond
	r.worker(1, r.host, o)
	mine := r.options("a")
	mine.Beat, mine.Patience = 100*time.Millisecond, 2*time.Second
	c := r.caller(calls.CallerOptions{Options: mine})
	done := goes(t.Context(), c, r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	other := r.options("second")
	other.Beat = 100 * time.Millisecond
	r.worker(1, r.host, other)
	o.Conn.Close()
	err := (<-done).err
	is.Equal(code(err), int64(jsonrpc2.CodeInternalError))
	is.True(strings.Contains(err.Error(), "the call was lost: worker first has been silent for "))
	is.True(strings.Contains(err.Error(), "what the tool has done until then is done, and it is not run again"))
	is.Equal(r.lines("runs"), 1)
	_, err = c.Call(t.Context(), r.of("text", ""))
	is.NoErr(err)
}

func TestTheCallsOfAReplicaThatIsGoneAreEnded(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	o := r.options("w")
	o.Beat, o.Patience = 100*time.Millisecond, 2*time.Second
	w := r.worker(1, r.host, o)
	gone, next := r.options("gone"), r.options("b")
	gone.Beat, next.Beat, gone.Patience = 100*time.Millisecond, 100*time.Millisecond, 2*time.Second
	done := goes(t.Context(), r.caller(calls.CallerOptions{Options: gone}), r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	gone.Conn.Close()
	waittest.Until(t, "the tool is ended", func() bool { return r.lines("ended") == 1 })
	waittest.Until(t, "its slot is free", func() bool { return w.Status().Running == 0 })
	is.True((<-done).err != nil)
	_, err := r.caller(calls.CallerOptions{Options: next}).Call(t.Context(), r.of("text", ""))
	is.NoErr(err)
}

func TestAWorkerThatIsToldToEndFinishesItsCallsAndTakesNoNewOnes(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	w := r.worker(2, r.host, r.options("w"))
	c := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: 300 * time.Millisecond})
	done := goes(t.Context(), r.caller(calls.CallerOptions{Options: r.options("b")}), r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	ended := make(chan struct{})
	go func() {
		w.Close(time.Minute)
		close(ended)
	}()
	waittest.Until(t, "it takes no more calls", func() bool {
		_, err := c.Call(t.Context(), r.of("text", ""))
		return err != nil && code(err) == mcp.CodeBusy
	})
	r.release()
	<-ended
	o := <-done
	is.NoErr(o.err)
	is.True(strings.Contains(shown(t, o.result), "done"))
}

func TestWhenTheGraceOfAWorkerIsOverItsCallsAreEnded(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	w := r.worker(1, r.host, r.options("w"))
	c := r.caller(calls.CallerOptions{Options: r.options("a")})
	done := goes(t.Context(), c, r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	w.Close(50 * time.Millisecond)
	is.True(strings.Contains((<-done).err.Error(), "the worker is shutting down and has ended the tool"))
	is.Equal(r.lines("ended"), 1)
}

func TestAToolThatTheOperatorOfAWorkerForbidsIsNotRunThere(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	r.worker(1, r.forbidding("json"), r.options("w"))
	short := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: time.Second})
	c := r.caller(calls.CallerOptions{Options: r.options("b")})
	_, err := short.Call(t.Context(), r.of("text", ""))
	is.True(strings.Contains(err.Error(), "none that has the tool answers"))
	_, err = c.Call(t.Context(), r.of("json", ""))
	is.NoErr(err)
}

func TestAllProcessesReportWhatTheyDo(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	o, mine := r.options("w"), r.options("a")
	w := r.worker(2, r.host, o)
	c := r.caller(calls.CallerOptions{Options: mine})
	for _, one := range []struct {
		o    calls.Options
		kind string
		look func() calls.Status
	}{{o, "worker", w.Status}, {mine, "replica", c.Status}} {
		_, err := calls.Announce(one.o.Conn, "test", func() calls.Status {
			return calls.Status{Kind: one.kind, Name: one.o.Name}.With(one.look())
		})
		is.NoErr(err)
	}
	_, err := c.Call(t.Context(), r.of("text", ""))
	is.NoErr(err)
	waittest.Until(t, "the worker has counted it", func() bool { return w.Status().Calls == 1 }) // the replica has the result before
	done := goes(t.Context(), c, r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	top := r.options("top")
	var all []calls.Status
	waittest.Until(t, "both answer in time", func() bool {
		all, err = calls.Survey(t.Context(), top.Conn, "test", 50*time.Millisecond)
		is.NoErr(err)
		return len(all) == 2
	})
	is.Equal(all[0].Kind, "replica")
	is.Equal(all[1].Slots, 2)
	for i, other := range []string{"w", "a"} {
		is.Equal(all[i].Running, 1)
		is.Equal(all[i].Calls, uint64(1))
		is.Equal(all[i].InFlight[0].Tool, "wait")
		is.Equal(all[i].InFlight[0].With, other)
		is.Equal(all[i].InFlight[0].ID, all[1-i].InFlight[0].ID)
	}
	r.release()
	is.NoErr((<-done).err)
	none, err := calls.Survey(t.Context(), r.options("top").Conn, "another", time.Second)
	is.NoErr(err)
	is.Equal(len(none), 0)
}

var _ handlers.Runner = (*calls.Caller)(nil)
