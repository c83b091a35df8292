package middleware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleRateLimit() {
	rates := middleware.Rates{Progress: 2, Report: func(_ context.Context, method string, dropped int) {
		fmt.Println(dropped, "of", method, "dropped")
	}}
	work := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		for i := range 5 {
			pipeline.From(ctx).Notify(ctx, "notifications/progress", map[string]int{"progress": i})
		}
		return m.Answer("done")
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.RateLimit(pipeline.MCP, rates)}, work, `{"jsonrpc":"2.0","id":1,"method":"work"}`)
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0}}
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}
	// 3 of notifications/progress dropped
	// {"jsonrpc":"2.0","id":1,"result":"done"}
}

const (
	progress = "notifications/progress"
	logs     = "notifications/message"
)

// notifies is a handler that sends a notification of the call's "method" at each
// second in its "at".
func notifies(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	pipeline.Yield(ctx)
	var p struct {
		Method string `json:"method"`
		At     []int  `json:"at"`
	}
	if err := m.Decode(&p); err != nil {
		return nil, err
	}
	start := time.Now()
	for _, second := range p.At {
		select {
		case <-time.After(time.Duration(second)*time.Second - time.Since(start)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		pipeline.From(ctx).Notify(ctx, p.Method, json.RawMessage(fmt.Sprintf(`{"of":%v,"at":%d}`, m.ID(), second)))
	}
	return m.Answer(nil)
}

func notifying(id any, method string, at ...int) string {
	seconds, _ := json.Marshal(at)
	return pipetest.Call(id, "tell", fmt.Sprintf(`{"method":"%s","at":%s}`, method, seconds))
}

// sentAt returns the seconds of the notifications that a call sent, in order.
func sentAt(id any, lines []string) string {
	var at []string
	for _, line := range lines {
		var p struct{ Of, At int }
		m := pipeline.Parse([]byte(line))
		if json.Unmarshal(m.Params(), &p); m.Kind() == pipeline.Notification && p.Of == id {
			at = append(at, fmt.Sprint(p.At))
		}
	}
	return strings.Join(at, " ")
}

func TestNotificationsOfACallAreLimitedInASlidingMinute(t *testing.T) {
	for _, method := range []string{progress, logs} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				rates := middleware.Rates{Progress: 2, Logs: 2}
				got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, rates), notifies, notifying(1, method, 0, 30, 31, 59, 60, 61, 89, 90, 119, 120))
				is.Equal(sentAt(1, got), "0 30 60 90 120") // never more than two in any minute
				is.Equal(got[len(got)-1], pong(1))         // the answer always leaves
			})
		})
	}
}

func TestEachKindOfNotificationHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		rates := middleware.Rates{Progress: 1, Logs: 3}
		both := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			for range 5 {
				pipeline.From(ctx).Notify(ctx, progress, nil)
				pipeline.From(ctx).Notify(ctx, logs, nil)
			}
			return m.Answer(nil)
		}
		got := strings.Join(pipetest.In(t, middleware.RateLimit(pipeline.MCP, rates), both, pipetest.Call(1, "work", "")), "\n")
		is.Equal(strings.Count(got, progress), 1)
		is.Equal(strings.Count(got, logs), 3)
	})
}

func TestOtherNotificationsAreNotLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, middleware.Rates{Progress: 1, Logs: 1}), notifies,
			notifying(1, "notifications/resources/updated", 1, 2, 3))
		is.Equal(sentAt(1, got), "1 2 3")
	})
}

func TestWithoutALimitEveryNotificationIsSent(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, middleware.Rates{}), notifies, notifying(1, progress, make([]int, 1000)...))
	is.Equal(len(got), 1001)
}

func TestTheLimitOfOneCallDoesNotAffectAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, middleware.Rates{Progress: 2}), notifies,
			notifying(1, progress, 0, 1, 2, 3), notifying(2, progress, 0, 1, 2, 3), notifying(1, progress, 2, 3, 4))
		is.Equal(sentAt(2, got), "0 1")
		is.Equal(sentAt(1, got), "0 1 2 3") // two of each call with that id
	})
}

func TestNotificationsOutsideCallsAreNotLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.RateLimit(pipeline.MCP, middleware.Rates{Logs: 1})), nil, pipeline.Options{})
		for range 10 {
			is.NoErr(c.Pipeline.Notify(t.Context(), logs, nil))
		}
		is.Equal(len(c.Written()), 10)
	})
}

func TestDroppedNotificationsAreReportedOnceBeforeTheAnswer(t *testing.T) {
	is := is.New(t)
	rates := middleware.Rates{Progress: 2, Logs: 1, Report: func(ctx context.Context, method string, dropped int) {
		pipeline.From(ctx).Notify(ctx, logs, fmt.Sprintf("%d of %s", dropped, method))
	}}
	flood := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		for i := range 10 {
			pipeline.From(ctx).Notify(ctx, progress, i)
			pipeline.From(ctx).Notify(ctx, logs, i)
		}
		return m.Answer(nil)
	}
	got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, rates), flood, pipetest.Call(1, "flood", ""), pipetest.Call(2, "flood", ""))
	want := []string{
		pipetest.Notification(progress, "0"),
		pipetest.Notification(logs, "0"),
		pipetest.Notification(progress, "1"),
		pipetest.Notification(logs, `"8 of notifications/progress"`), // the reports themselves are sent
		pipetest.Notification(logs, `"9 of notifications/message"`),
	}
	is.Equal(got[:6], append(want, pong(1)))
	is.Equal(got[6:], append(want, pong(2))) // counted separately for each call
}

func TestNothingIsReportedWhereNothingWasDropped(t *testing.T) {
	is := is.New(t)
	rates := middleware.Rates{Progress: 3, Report: func(context.Context, string, int) { is.Fail() }} // nothing to report
	pipetest.In(t, middleware.RateLimit(pipeline.MCP, rates), notifies, notifying(1, progress, 0, 0, 0))
}

func TestTheReportOfACancelledCallIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		reported := 0
		rates := middleware.Rates{Progress: 1, Report: func(ctx context.Context, method string, dropped int) {
			reported += dropped
			pipeline.From(ctx).Notify(ctx, logs, nil)
		}}
		c := pipetest.Start(t, chain(middleware.RateLimit(pipeline.MCP, rates), middleware.Cancel(pipeline.MCP, quiet)), notifies, pipeline.Options{})
		c.Send(notifying(1, progress, 0, 1, 2, 3, 4, 3600))
		<-time.After(10 * time.Second)
		c.Send(cancelled(1))
		is.NoErr(c.Close())
		is.Equal(reported, 4)                 // the report was made
		is.Equal(sentAt(1, c.Written()), "0") // but nothing was sent after the cancellation
	})
}

func TestIncomingCallsAreNotLimitedUnlessAsked(t *testing.T) {
	is := is.New(t)
	var lines []string
	for i := range 2000 {
		lines = append(lines, pipetest.Call(i, "work", ""))
	}
	got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, middleware.Rates{}), nil, lines...)
	is.Equal(len(got), 2000)
	is.True(!strings.Contains(strings.Join(got, ""), "error")) // none refused
}

func TestIncomingCallsBeyondTheLimitAreRefusedUntilAMinuteIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.RateLimit(pipeline.MCP, middleware.Rates{Calls: 3})), nil, pipeline.Options{})
		work := func(id int) string {
			c.Call(id, "work", "")
			return c.Recv()
		}
		refused := func(id int) string {
			return refusal(id, -32000, "Too many calls: at most 3 a minute; try again later")
		}
		is.Equal(work(1), pong(1))
		is.Equal(work(2), pong(2))
		is.Equal(work(3), pong(3))
		is.Equal(work(4), refused(4)) // used up
		<-time.After(59 * time.Second)
		is.Equal(work(5), refused(5))
		<-time.After(time.Second)
		is.Equal(work(6), pong(6))
		<-time.After(time.Hour)
		is.Equal(work(7)+work(8)+work(9), pong(7)+pong(8)+pong(9)) // and never more than three
		is.Equal(work(10), refused(10))
	})
}

func TestInNoMinuteMoreCallsPassThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var passed []time.Time
		work := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			passed = append(passed, time.Now())
			return m.Answer(nil)
		}
		c := pipetest.Start(t, chain(middleware.RateLimit(pipeline.MCP, middleware.Rates{Calls: 60})), work, pipeline.Options{})
		for i := range 1000 {
			c.Call(i, "work", "")
			c.Recv()
			<-time.After(500 * time.Millisecond)
		}
		is.True(len(passed) >= 480) // 60 in each of eight minutes
		for i, at := range passed[60:] {
			is.True(at.Sub(passed[i]) >= time.Minute)
		}
	})
}

func TestGarbageIsAnsweredAFewTimesAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		flooded := 0
		rates := middleware.Rates{Unread: 3, Flooded: func() { flooded++ }}
		refusing := middleware.Batch(pipeline.MCP, func() bool { return false }) // further out, and refuses
		c := pipetest.Start(t, chain(refusing, middleware.RateLimit(pipeline.MCP, rates)), nil, pipeline.Options{})
		for range 2 {
			for range 500 {
				c.Send("garbage", "[1]")
			}
			c.Send(ping(1), `{"id":2,"method":"ping"}`, ping(3))
			for range 3 {
				is.Equal(pipeline.Parse([]byte(c.Recv())).ID(), pipeline.ID{})
			}
			is.Equal(c.Recv(), pong(1))                                                        // the next answer
			is.Equal(c.Recv(), refusal(2, -32600, `invalid request: "jsonrpc" must be "2.0"`)) // somebody may wait for it
			is.Equal(c.Recv(), pong(3))
			<-time.After(time.Minute)
		}
		is.Equal(flooded, 2)
	})
}

func TestMessagesThatKeepASessionAliveAreNotLimited(t *testing.T) {
	is := is.New(t)
	counted := func(method string) bool { return method == "work" }
	got := pipetest.In(t, middleware.RateLimit(pipeline.MCP, middleware.Rates{Calls: 1, Counted: counted}), nil,
		pipetest.Call(1, "work", ""), pipetest.Notification("work", ""),
		ping(2), initialize, shutdown, pipetest.Call(3, "work", ""))
	is.Equal(got[:4], []string{pong(1), pong(2), pong("i"), pong("s")})
	is.True(strings.Contains(got[4], "-32000")) // although the limit is used up
}

func TestProgressAndLogsAreThoseOfTheDialect(t *testing.T) {
	is := is.New(t)
	stage := middleware.RateLimit(pipeline.LSP, middleware.Rates{Progress: 1, Logs: 2})
	got := pipetest.Chain(t, chain(stage), func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		for range 3 {
			pipeline.From(ctx).Notify(ctx, "$/progress", nil)
			pipeline.From(ctx).Notify(ctx, "window/logMessage", nil)
			pipeline.From(ctx).Notify(ctx, "notifications/progress", nil) // means nothing here
		}
		return m.Answer(nil)
	}, ping(1))
	is.Equal(len(got), 1+2+3+1)
}
