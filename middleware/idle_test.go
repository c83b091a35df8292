package middleware_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleIdle() {
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Idle(time.Hour, nil)}, nil, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

func TestAServerThatNobodyTalksToEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Idle(time.Minute, nil)), methods().Serve, pipeline.Options{})
		start := time.Now()
		for range 3 {
			c.Send(ping(1))
			is.Equal(c.Recv(), pong(1))
			<-time.After(59 * time.Second) // a message restarts the minute
		}
		is.NoErr(c.Wait()) // without an error, although the input is open
		is.Equal(c.Pipeline.Why(), pipeline.End("idle for 1m0s"))
		is.Equal(time.Since(start), (2*59+60)*time.Second)
	})
}

func TestACallAtWorkIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Idle(time.Minute, nil)), methods().Serve, pipeline.Options{})
		start := time.Now()
		c.Send(wait(1, 3600), wait(2, 1800), ping(3))
		is.Equal(c.Recv(), pong(3))
		is.Equal(c.Recv(), waited(2))
		is.Equal(c.Recv(), waited(1))
		is.NoErr(c.Wait())
		is.Equal(time.Since(start), time.Hour+time.Minute) // one minute after the last one ended
	})
}

func TestWorkThatHasOutlivedItsCallIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var tasks atomic.Int32
		start := time.Now()
		begin := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			tasks.Add(1)
			time.AfterFunc(time.Hour, func() { tasks.Add(-1) })
			return m.Answer("begun")
		}
		c := pipetest.Start(t, chain(middleware.Idle(time.Minute, func() bool { return tasks.Load() > 0 })), begin, pipeline.Options{})
		c.Call(1, "begin", "")
		is.Equal(c.Recv(), answer(1, `"begun"`))
		is.NoErr(c.Wait())
		is.Equal(tasks.Load(), int32(0))
		late := time.Since(start) - time.Hour - time.Minute // its result can be fetched for a minute after it ended
		is.True(late >= 0)
		is.True(late < 5*time.Second)
	})
}

func TestNothingIsKeptOfASessionThatHasEnded(t *testing.T) {
	opened := strings.Join([]string{initialize, initialized, shutdown}, "\n") // and the client leaves without exit
	for name, of := range map[string]func() (string, pipeline.Middleware, pipeline.Handler){
		"idle": func() (string, pipeline.Middleware, pipeline.Handler) {
			return ping(1), middleware.Idle(time.Hour, nil), nil
		},
		"lifecycle": func() (string, pipeline.Middleware, pipeline.Handler) {
			s := new(mcp.Session)
			return opened, middleware.Lifecycle(s, middleware.Admission{Grace: time.Hour}), lifecycle(s).Serve
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				var sessions []weak.Pointer[pipeline.Pipeline]
				for range 200 {
					lines, stage, handler := of()
					p := pipetest.New(strings.NewReader(lines), io.Discard, chain(stage), handler, pipeline.Options{})
					is.NoErr(p.Run(t.Context()))
					sessions = append(sessions, weak.Make(p))
				}
				<-time.After(time.Second) // the pipeline has a timer of its own for a moment
				runtime.GC()
				kept := 0
				for _, s := range sessions {
					if s.Value() != nil {
						kept++
					}
				}
				is.Equal(kept, 0) // long before the hour is over
			})
		})
	}
}

func TestWithoutALimitAServerWaitsForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Idle(0, nil)), nil, pipeline.Options{})
		c.Send(ping(1))
		is.Equal(c.Recv(), pong(1))
		<-time.After(1000 * time.Hour)
		c.Send(ping(2))
		is.Equal(c.Recv(), pong(2))
		is.NoErr(c.Close())
	})
}
