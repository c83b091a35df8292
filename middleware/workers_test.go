package middleware_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleWorkers() {
	slow := func(m *pipeline.Message) bool { return m.Method() == "work" }
	done := make(chan struct{})
	methods := pipeline.Mux{
		"ping": pipetest.OK,
		"work": func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			<-done
			return m.Answer("worked")
		},
		"done": func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
			close(done)
			return nil, nil
		},
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Workers(1, 10, slow)}, methods.Serve,
		`{"jsonrpc":"2.0","id":1,"method":"work"}`,
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"done"}`)
	// Output:
	// {"jsonrpc":"2.0","id":2,"result":{}}
	// {"jsonrpc":"2.0","id":1,"result":"worked"}
}

// isSlow tells the calls that wait for a worker in these tests.
func isSlow(m *pipeline.Message) bool { return m.Method() != "ping" }

func workers(n, backlog int) []pipeline.Middleware {
	return chain(middleware.Workers(n, backlog, isSlow))
}

// A crew notes who works.
type crew struct {
	mu      sync.Mutex
	working int
	most    int      // at once
	order   []string // ids, as they began
}

func (c *crew) work(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	c.mu.Lock()
	c.working++
	c.most = max(c.most, c.working)
	c.order = append(c.order, m.ID().String())
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.working--
	}()
	return methods().Serve(ctx, m)
}

func TestAtMostSoManySlowCallsRunAtOnce(t *testing.T) {
	for _, n := range []int{1, 3, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				var crew crew
				c := pipetest.Start(t, workers(n, 100), crew.work, pipeline.Options{})
				start := time.Now()
				for i := range 48 {
					c.Send(wait(i, 1))
				}
				is.NoErr(c.Close())
				is.Equal(len(c.Written()), 48)
				is.Equal(crew.most, n)                                       // never more
				is.Equal(time.Since(start), time.Duration(48/n)*time.Second) // and never fewer while some wait
			})
		})
	}
}

func TestSlowCallsBeginInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		c := pipetest.Start(t, workers(1, 100), crew.work, pipeline.Options{})
		var want []string
		for i := range 50 {
			c.Send(wait(i, i%3))
			want = append(want, fmt.Sprint(i))
		}
		is.NoErr(c.Close())
		is.Equal(crew.order, want)
	})
}

func TestACallBeyondTheBacklogIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, workers(2, 3), methods().Serve, pipeline.Options{})
		for i := range 7 {
			c.Send(wait(i, 1))
		}
		const busy = "Server busy: 3 calls are waiting; try again later"
		is.Equal(c.Recv(), refusal(5, -32000, busy)) // two run, three wait
		is.Equal(c.Recv(), refusal(6, -32000, busy))
		<-time.After(time.Second)
		synctest.Wait()
		c.Send(wait(7, 1)) // two have ended, two began
		is.NoErr(c.Close())
		is.Equal(len(c.Written()), 6) // all the others were answered
	})
}

func TestQuickMethodsAndNotificationsNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var noted time.Time
		x := methods()
		x["note"] = func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
			noted = time.Now()
			return nil, nil
		}
		c := pipetest.Start(t, workers(1, 1), x.Serve, pipeline.Options{})
		start := time.Now()
		c.Send(wait(1, 3600), wait(2, 3600), pipetest.Notification("note", ""))
		for i := range 100 {
			c.Send(ping(i))
			is.Equal(c.Recv(), pong(i))
		}
		is.True(noted.Equal(start))
		is.Equal(time.Since(start), time.Duration(0)) // though no worker is free
	})
}

func TestACallThatIsCancelledWhileItWaitsLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		stages := chain(middleware.Cancel(quiet), middleware.Workers(1, 2, isSlow))
		c := pipetest.Start(t, stages, crew.work, pipeline.Options{})
		c.Send(wait("a", 10), wait("b", 10), wait("c", 10), cancelled("b"))
		synctest.Wait()
		c.Send(wait("d", 10)) // takes the place of b
		is.NoErr(c.Close())
		is.Equal(strings.Join(crew.order, " "), `"a" "c" "d"`) // b never began
		is.Equal(c.Written(), []string{waited("a"), waited("c"), waited("d")})
	})
}

func TestACallThatIsCancelledWhileItRunsGivesItsWorkerToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		stages := chain(middleware.Cancel(quiet), middleware.Workers(1, 2, isSlow))
		c := pipetest.Start(t, stages, methods().Serve, pipeline.Options{})
		start := time.Now()
		c.Send(wait("a", 3600), wait("b", 5), cancelled("a"))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{waited("b")})
		is.Equal(time.Since(start), 5*time.Second)
	})
}

func TestAPanicFreesItsWorker(t *testing.T) {
	is := is.New(t)
	var lines []string
	for i := range 100 {
		lines = append(lines, pipetest.Call(i, "panic", ""))
	}
	got := pipetest.Chain(t, workers(2, 1000), methods().Serve, append(lines, wait("last", 0))...)
	is.Equal(len(got), 101)
	is.True(strings.Contains(strings.Join(got, "\n"), waited("last"))) // a worker is left
}

func TestAWorkerMayAskTheClientThoughItIsTheOnlyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ask := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			answer, err := pipeline.From(ctx).Call(ctx, "question", nil)
			if err != nil {
				return nil, err
			}
			return m.Answer(answer)
		}
		c := pipetest.Start(t, workers(1, 10), ask, pipeline.Options{})
		c.Call("a", "ask", "")
		c.Call("b", "ask", "")
		synctest.Wait()
		is.Equal(c.Written(), []string{pipetest.Call(1, "question", "")}) // b waits for the worker
		c.Send(answer(1, `"yes"`))
		synctest.Wait()
		got := c.Written() // the answer to a, and the question of b, in any order
		slices.Sort(got)
		is.Equal(got, []string{answer("a", `"yes"`), pipetest.Call(2, "question", "")})
		c.Send(answer(2, `"no"`))
		is.Equal(c.Recv(), answer("b", `"no"`))
	})
}

func TestCallsThatWaitWhenThePipelineStopsNeverBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		c := pipetest.Start(t, workers(1, 100), crew.work, pipeline.Options{})
		for i := range 50 {
			c.Send(wait(i, 3600))
		}
		synctest.Wait()
		c.Pipeline.Stop(nil)
		is.NoErr(c.Wait())
		is.Equal(crew.order, []string{"0"})
		for i, line := range c.Written() {
			is.True(i < 50 && strings.Contains(line, "pipeline closed")) // each is told
		}
	})
}

func TestWorkersNeedsPositiveNumbers(t *testing.T) {
	for _, numbers := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {1, -1}} {
		t.Run(fmt.Sprint(numbers), func(t *testing.T) {
			is := is.New(t)
			defer func() { is.True(recover() != nil) }() // told while the chain is built
			workers(numbers[0], numbers[1])
		})
	}
}
