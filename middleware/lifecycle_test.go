package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleLifecycle() {
	s := new(mcp.Session)
	methods := pipeline.Mux{
		"initialize": func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			s.Open(mcp.Latest(), mcp.ClientCapabilities{})
			return m.Answer(nil)
		},
		"notifications/initialized": func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
			s.Confirm()
			return nil, nil
		},
		"tools/list": pipetest.OK,
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Lifecycle(s, middleware.Admission{Grace: 5 * time.Second})}, methods.Serve,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Server not initialized"}}
	// {"jsonrpc":"2.0","id":2,"result":{}}
	// {"jsonrpc":"2.0","id":3,"result":{}}
}

const grace = 5 * time.Second

var (
	initialize  = pipetest.Call("i", "initialize", "")
	initialized = pipetest.Notification("notifications/initialized", "")
	shutdown    = pipetest.Call("s", "shutdown", "")
	exit        = pipetest.Call("e", "exit", "")
)

var (
	notInitialized = func(id any) string { return refusal(id, -32000, "Server not initialized") }
	shuttingDown   = func(id any) string { return refusal(id, -32003, "Server shutting down") }
)

// lifecycle are the methods that move a session on, and some that do not.
func lifecycle(s *mcp.Session) pipeline.Mux {
	x := methods()
	x["tools/list"] = pipetest.OK
	x["initialize"] = func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Params() != nil && string(m.Params()) != "{}" {
			return nil, pipeline.ErrInvalidParams
		}
		s.Open(mcp.Latest(), mcp.ClientCapabilities{})
		return m.Answer(nil)
	}
	x["notifications/initialized"] = func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
		s.Confirm()
		return nil, nil
	}
	x["shutdown"] = func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		s.Close()
		return m.Answer(nil)
	}
	return x
}

// lived sends lines through Lifecycle to a fresh session.
func lived(t *testing.T, lines ...string) []string {
	t.Helper()
	s := new(mcp.Session)
	return pipetest.In(t, middleware.Lifecycle(s, admission), lifecycle(s).Serve, lines...)
}

// live starts a pipeline with a fresh session.
func live(t *testing.T) (*pipetest.Client, *mcp.Session) {
	s := new(mcp.Session)
	return pipetest.Start(t, chain(middleware.Lifecycle(s, admission)), lifecycle(s).Serve, pipeline.Options{}), s
}

func TestBeforeInitializeOnlyTheLifecycleIsServed(t *testing.T) {
	is := is.New(t)
	got := lived(t, pipetest.Call(1, "tools/list", ""), pipetest.Call(2, "unknown", ""), ping(3), initialize)
	is.Equal(got, []string{notInitialized(1), notInitialized(2), pong(3), pong("i")})
}

func TestCallsThatComeBeforeTheClientConfirmsAreHeldUntilItDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c, _ := live(t)
		list := func(id int) string { return pipetest.Call(id, "tools/list", "") }
		c.Send(initialize, list(1), ping(2), list(3), pipetest.Call(4, "unknown", ""), pipetest.Call(5, "tasks/get", ""))
		<-time.After(900 * time.Millisecond)
		is.Equal(c.Written(), []string{pong("i"), pong(2), refusal(5, -32601, "Method not found: tasks/get")})
		c.Send(initialized, list(6))
		synctest.Wait()
		is.Equal(c.Written(), []string{pong(1), pong(3), refusal(4, -32601, "Method not found: unknown"), pong(6)}) // before later messages
	})
}

func TestHeldCallsRunInParallelOnceTheyContinue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c, _ := live(t)
		c.Send(initialize, wait(1, 3), wait(2, 2), wait(3, 1), initialized, ping(4))
		start := time.Now()
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{pong("i"), pong(4), waited(3), waited(2), waited(1)})
		is.Equal(time.Since(start), 3*time.Second)
	})
}

func TestHeldCallsTakeTheirSlotsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := new(mcp.Session)
		var crew crew
		stages := append(chain(middleware.Lifecycle(s, admission)), middleware.Workers(middleware.NewSlots(1, 100), func(m *pipeline.Message) bool { return m.Method() == "wait" }, nil))
		x := lifecycle(s)
		x["wait"] = crew.work
		c := pipetest.Start(t, stages, x.Serve, pipeline.Options{})
		c.Send(initialize)
		var want []string
		for i := range 50 {
			if i == 40 {
				c.Send(initialized)
			}
			c.Send(wait(i, 0))
			want = append(want, fmt.Sprint(i))
		}
		is.NoErr(c.Close())
		is.Equal(crew.order, want)
	})
}

func TestAClientThatNeverConfirmsIsServedAfterASecondAndTheLogSaysSoOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s, log := new(mcp.Session), new(bytes.Buffer)
		told := admission
		told.Log = slog.New(slog.NewTextHandler(log, nil))
		c := pipetest.Start(t, chain(middleware.Lifecycle(s, told)), lifecycle(s).Serve, pipeline.Options{})
		c.Send(initialize)
		is.Equal(c.Recv(), pong("i"))
		start := time.Now()
		c.Send(wait(1, 0))
		<-time.After(500 * time.Millisecond)
		c.Send(wait(2, 0), ping(3))
		is.Equal(c.Recv(), pong(3))
		both := []string{c.Recv(), c.Recv()} // they work at once, so either may be done first
		slices.Sort(both)
		is.Equal(both, []string{waited(1), waited(2)})
		is.Equal(time.Since(start), time.Second)
		c.Send(wait(4, 0)) // and no later one waits
		is.Equal(c.Recv(), waited(4))
		c.Send(initialized, wait(5, 0))
		is.Equal(c.Recv(), waited(5))
		is.Equal(time.Since(start), time.Second)
		is.Equal(s.Phase(), mcp.Ready)
		is.Equal(strings.Count(log.String(), "notifications/initialized"), 1)
	})
}

func TestAHeldCallIsServedAtTheEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		start := time.Now()
		is.Equal(lived(t, initialize, wait(1, 0)), []string{pong("i"), waited(1)})
		is.Equal(time.Since(start), time.Duration(0)) // no confirmation can come
	})
}

func TestAHeldCallIsRefusedWhenTheClientShutsDownInstead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		is.Equal(lived(t, initialize, wait(1, 0), shutdown), []string{pong("i"), pong("s"), shuttingDown(1)})
	})
}

func TestCallsWithAClaimAreNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := new(mcp.Session)
		c := pipetest.Start(t, chain(middleware.Stateless(knows), middleware.Lifecycle(s, admission)), lifecycle(s).Serve, pipeline.Options{})
		start := time.Now()
		c.Send(initialize, pipetest.Call(1, "tools/list", claim("")))
		is.Equal(c.Recv(), pong("i"))
		is.Equal(c.Recv(), pong(1))
		is.Equal(time.Since(start), time.Duration(0))
	})
}

func TestAConfirmationWithoutInitializeOpensNothing(t *testing.T) {
	is := is.New(t)
	is.Equal(lived(t, initialized, pipetest.Call(1, "tools/list", "")), []string{notInitialized(1)})
}

func TestOtherMessagesPassAtAnyTime(t *testing.T) {
	is := is.New(t)
	got := lived(t, `garbage`, `{"jsonrpc":"2.0","id":9,"result":{}}`, pipetest.Notification("tools/list", ""), `5`)
	is.Equal(len(got), 2) // errors for malformed lines, nothing for the others
}

func TestASecondInitializeIsRefused(t *testing.T) {
	is := is.New(t)
	refused := refusal("i", -32600, "invalid request: the session is already initialized")
	got := lived(t, initialize, initialize, initialized, initialize, pipetest.Call(1, "tools/list", ""))
	is.Equal(got, []string{pong("i"), refused, refused, pong(1)}) // and has no effect
}

func TestAFailedInitializeCanBeTriedAgain(t *testing.T) {
	is := is.New(t)
	got := lived(t, pipetest.Call("i", "initialize", `{"protocolVersion":5}`), initialize, initialized, pipetest.Call(1, "tools/list", ""))
	is.Equal(got, []string{refusal("i", -32602, "invalid params"), pong("i"), pong(1)})
}

func TestAfterShutdownOnlyExitIsServed(t *testing.T) {
	is := is.New(t)
	got := lived(t, initialize, initialized, shutdown, pipetest.Call(1, "tools/list", ""), ping(2), shutdown,
		pipetest.Call(3, "unknown", ""), exit)
	is.Equal(got, []string{pong("i"), pong("s"), shuttingDown(1), shuttingDown(2), shuttingDown("s"), shuttingDown(3), pong("e")})
}

func TestShutdownIsServedBeforeInitialize(t *testing.T) {
	is := is.New(t)
	is.Equal(lived(t, shutdown, exit), []string{pong("s"), pong("e")})
}

func TestExitWithoutShutdownIsRefused(t *testing.T) {
	is := is.New(t)
	refused := refusal("e", -32005, "Shutdown not requested")
	got := lived(t, exit, initialize, initialized, exit, pipetest.Notification("exit", ""), ping(1))
	is.Equal(got, []string{refused, pong("i"), refused, pong(1)}) // as a notification it is ignored
}

func TestExitEndsThePipelineWithStdinStillOpen(t *testing.T) {
	for name, line := range map[string]string{"call": exit, "notification": pipetest.Notification("exit", "")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				c, _ := live(t)
				start := time.Now()
				c.Send(initialize, initialized, shutdown, line)
				is.NoErr(c.Wait()) // no error
				is.Equal(time.Since(start), time.Duration(0))
				want := []string{pong("i"), pong("s")}
				if name == "call" {
					want = append(want, pong("e"))
				}
				is.Equal(c.Written(), want)
			})
		})
	}
}

func TestWhatWasReadBeforeExitIsStillAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c, _ := live(t)
		start := time.Now()
		c.Send(initialize, initialized, wait(1, 3600), shutdown, exit)
		is.NoErr(c.Wait())
		is.Equal(time.Since(start), time.Hour) // longer than grace, which only applies without exit
		is.Equal(c.Written(), []string{pong("i"), pong("s"), pong("e"), waited(1)})
	})
}

func TestAShutdownOutsideOfASessionChangesNothingForCallsWithAClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := new(mcp.Session)
		c := pipetest.Start(t, chain(middleware.Stateless(knows), middleware.Lifecycle(s, admission)), lifecycle(s).Serve, pipeline.Options{})
		c.Send(shutdown, ping(1), initialize)
		is.Equal(c.Recv(), pong("s"))
		is.Equal(c.Recv(), shuttingDown(1))
		is.Equal(c.Recv(), shuttingDown("i"))
		<-time.After(2 * grace)
		c.Send(pipetest.Call(2, "tools/list", claim("")))
		is.Equal(c.Recv(), pong(2))
		c.Send(exit)
		is.NoErr(c.Wait())
	})
}

func TestNothingAfterExitIsServed(t *testing.T) {
	is := is.New(t)
	is.Equal(lived(t, shutdown, exit, ping(1)), []string{pong("s"), pong("e")})
}

func TestTheEndOfGraceEndsThePipelineWithStdinStillOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c, _ := live(t)
		c.Send(initialize, initialized, wait(1, 3600), shutdown)
		start := time.Now()
		is.NoErr(c.Wait()) // no error
		is.Equal(time.Since(start), grace)
		is.Equal(c.Written(), []string{pong("i"), pong("s"), refusal(1, -32603, "pipeline closed")}) // running calls are cancelled
	})
}

func TestAShutdownThatIsRefusedFurtherInEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		full := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			if m.Method() == "shutdown" {
				return nil, errors.New("not now")
			}
			return m.Answer(nil)
		}
		c := pipetest.Start(t, chain(middleware.Lifecycle(session("2025-11-25"), admission)), full, pipeline.Options{})
		c.Send(shutdown)
		is.Equal(c.Recv(), refusal("s", -32603, "not now"))
		<-time.After(2 * grace)
		c.Send(ping(1))
		is.Equal(c.Recv(), pong(1)) // still running
	})
}

func TestTheServersOwnMessagesAreSentOnlyWhileTheSessionIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c, _ := live(t)
		tell := func(when string) { is.NoErr(c.Pipeline.Notify(t.Context(), when, nil)) }
		tell("unopened")
		c.Send(initialize)
		is.Equal(c.Recv(), pong("i"))
		tell("opening")
		c.Send(initialized)
		synctest.Wait()
		tell("ready")
		is.Equal(c.Recv(), pipetest.Notification("ready", ""))
		c.Send(shutdown)
		is.Equal(c.Recv(), pong("s"))
		tell("closing")
		is.NoErr(c.Close())
		is.Equal(len(c.Written()), 0) // only what was sent while the session was ready
	})
}

func TestACallToTheClientThatCannotBeSentFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c, _ := live(t)
		_, err := c.Pipeline.Call(t.Context(), "roots/list", nil)
		is.Equal(err, middleware.ErrNotReady)
		is.Equal(len(c.Written()), 0) // it was not sent
	})
}

func TestMessagesCausedByACallAreSentBeforeTheSessionIsReady(t *testing.T) {
	is := is.New(t)
	telling := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		is.NoErr(pipeline.From(ctx).Notify(ctx, "note", nil))
		return m.Answer(nil)
	}
	got := pipetest.In(t, middleware.Lifecycle(new(mcp.Session), admission), telling, ping(1))
	is.Equal(got, []string{pipetest.Notification("note", ""), pong(1)})
}
