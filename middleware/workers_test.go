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
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Workers(middleware.NewSlots(1, 10), slow, nil)}, methods.Serve,
		`{"jsonrpc":"2.0","id":1,"method":"work"}`,
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"done"}`)
	// Output:
	// {"jsonrpc":"2.0","id":2,"result":{}}
	// {"jsonrpc":"2.0","id":1,"result":"worked"}
}

// isSlow reports which calls wait for a worker in these tests.
func isSlow(m *pipeline.Message) bool { return m.Method() != "ping" }

func workers(n, backlog int) []pipeline.Middleware {
	return chain(middleware.Workers(middleware.NewSlots(n, backlog), isSlow, nil))
}

// A crew notes who works.
type crew struct {
	mu      sync.Mutex
	working int
	most    int      // at once
	order   []string // ids, in the order in which they began
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

func TestTheNumberOfSlowCallsIsLimited(t *testing.T) {
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
				is.Equal(time.Since(start), time.Duration(48/n)*time.Second) // and not fewer while some wait
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
		is.Equal(time.Since(start), time.Duration(0)) // although no worker is free
	})
}

func TestACallThatIsCancelledWhileItWaitsLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		stages := chain(middleware.Cancel(pipeline.MCP, quiet), middleware.Workers(middleware.NewSlots(1, 2), isSlow, nil))
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
		stages := chain(middleware.Cancel(pipeline.MCP, quiet), middleware.Workers(middleware.NewSlots(1, 2), isSlow, nil))
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
	is.True(strings.Contains(strings.Join(got, "\n"), waited("last"))) // a worker is still free
}

func TestTheOnlyWorkerMayAskTheClient(t *testing.T) {
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
			is.True(i < 50 && strings.Contains(line, "pipeline closed")) // each gets an error
		}
	})
}

// asking starts a pipeline whose handler refuses calls that are bad, and asks for
// a slot for the others. A call with a gate waits for it first.
func asking(t *testing.T, slots *middleware.Slots, gates map[string]chan struct{}, crew *crew) *pipetest.Client {
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		switch m.Method() {
		case "ping":
			return m.Answer(nil)
		case "bad":
			return nil, pipeline.ErrInvalidParams
		}
		var wait func(context.Context) error
		if gate := gates[m.ID().String()]; gate != nil {
			wait = func(ctx context.Context) error {
				select {
				case <-gate:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		}
		done, err := pipeline.WorkAfter(ctx, wait)
		if err != nil {
			return nil, err
		}
		defer done()
		return crew.work(ctx, m)
	}
	stages := chain(middleware.Cancel(pipeline.MCP, quiet), middleware.Workers(slots, nil, isSlow))
	return pipetest.Start(t, stages, handler, pipeline.Options{})
}

func TestAnImmediateRefusalNeedsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		c := asking(t, middleware.NewSlots(1, 1), nil, &crew)
		c.Send(wait(1, 3600), wait(2, 3600)) // one runs and one waits: the backlog is full
		start := time.Now()
		for i := range 10 {
			c.Send(pipetest.Call(i+10, "bad", ""), ping(i+20))
			is.Equal(c.Recv(), refusal(i+10, -32602, "invalid params")) // no later ping overtakes it
			is.Equal(c.Recv(), pong(i+20))
		}
		is.Equal(time.Since(start), time.Duration(0))
		c.Send(wait(3, 1))
		is.Equal(c.Recv(), refusal(3, -32000, "Server busy: 1 calls are waiting; try again later"))
		is.NoErr(c.Close())
		is.Equal(crew.most, 1)
	})
}

func TestSlotsAreGivenInTheOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		c := asking(t, middleware.NewSlots(1, 100), nil, &crew)
		var want []string
		for i := range 50 {
			c.Send(wait(i, i%3))
			want = append(want, fmt.Sprint(i))
		}
		is.NoErr(c.Close())
		is.Equal(crew.order, want)
		is.Equal(crew.most, 1)
	})
}

func TestACallThatWaitsAtItsGateHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		gate := make(chan struct{})
		c := asking(t, middleware.NewSlots(1, 100), map[string]chan struct{}{"1": gate}, &crew)
		c.Send(wait(1, 1), wait(2, 5), wait(3, 5), wait(4, 5))
		<-time.After(2 * time.Second)
		close(gate) // while 2 works, and 3 and 4 wait
		is.NoErr(c.Close())
		is.Equal(crew.order, []string{"2", "1", "3", "4"}) // it arrived before 3
		is.Equal(crew.most, 1)
	})
}

func TestACallThatIsCancelledAtItsGateLeavesItsPlaceToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		c := asking(t, middleware.NewSlots(1, 1), map[string]chan struct{}{"1": make(chan struct{})}, &crew)
		c.Send(wait(1, 1), wait(2, 1), wait(3, 1))
		is.Equal(c.Recv(), refusal(3, -32000, "Server busy: 1 calls are waiting; try again later"))
		c.Send(cancelled(1))
		synctest.Wait()
		c.Send(wait(4, 1))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{waited(2), waited(4)})
	})
}

func TestPipelinesMayShareTheirSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var crew crew
		slots := middleware.NewSlots(2, 100)
		a, b := asking(t, slots, nil, &crew), asking(t, slots, nil, &crew)
		var want []string
		for i := range 10 {
			a.Send(wait(i, 1))
			synctest.Wait()
			b.Send(wait(fmt.Sprint(i), 1))
			synctest.Wait()
			want = append(want, fmt.Sprint(i), fmt.Sprintf("%q", fmt.Sprint(i)))
		}
		start := time.Now()
		is.NoErr(a.Close())
		is.NoErr(b.Close())
		is.Equal(crew.most, 2)              // by both together
		for i := 0; i < len(want); i += 2 { // two begin at the same time
			slices.Sort(want[i : i+2])
			slices.Sort(crew.order[i : i+2])
		}
		is.Equal(crew.order, want) // neither is served before the other
		is.Equal(time.Since(start), 10*time.Second)
	})
}

func TestASlotIsFreeWhenItsWorkIsDoneAndAtTheLatestWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			done, err := pipeline.Work(ctx)
			if err != nil {
				return nil, err
			}
			_, err = pipeline.Work(ctx) // it works already
			is.NoErr(err)
			if m.Method() == "short" {
				done()
				done()
			}
			return waiting(ctx, m)
		}
		c := pipetest.Start(t, chain(middleware.Workers(middleware.NewSlots(1, 10), nil, isSlow)), handler, pipeline.Options{})
		start := time.Now()
		for i := range 3 {
			c.Call(i, "short", `{"secs":10}`)
		}
		for i := range 3 {
			c.Call(i, "long", `{"secs":10}`)
		}
		is.NoErr(c.Close())
		is.Equal(len(c.Written()), 6)
		is.Equal(time.Since(start), 30*time.Second) // the short ones together, the long ones one after the other
	})
}

func TestSlotsNeedPositiveNumbers(t *testing.T) {
	for _, numbers := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {1, -1}} {
		t.Run(fmt.Sprint(numbers), func(t *testing.T) {
			is := is.New(t)
			defer func() { is.True(recover() != nil) }() // reported while the chain is built
			workers(numbers[0], numbers[1])
		})
	}
}
