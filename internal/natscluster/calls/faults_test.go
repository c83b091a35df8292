package calls_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestACallThatAllRefuseGetsTheWorkerThatComesWithANewVersion(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	old := project(t)
	write(t, old, "tools/text/helper.sh", "echo old")
	o := r.options("old")
	refusals, err := o.Conn.SubscribeSync("test.work.r.*.*.*.*.*.refused")
	is.NoErr(err)
	r.worker(4, r.open(old), o)
	c := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: time.Minute})
	done := goes(t.Context(), c, r.of("text", ""))
	for range 20 {
		_, err := refusals.NextMsg(time.Minute)
		is.NoErr(err)
	}
	r.worker(4, r.host, r.options("new"))
	is.NoErr((<-done).err)
}

func TestCallsThatNoWorkerCanRunDoNotHoldUpOthers(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	old := project(t)
	write(t, old, "tools/text/helper.sh", "echo old")
	r.worker(4, r.open(old), r.options("old"))
	c := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	var refused []<-chan outcome
	for range 20 {
		refused = append(refused, goes(ctx, c, r.of("text", "")))
	}
	waittest.Until(t, "all wait", func() bool { return c.Status().Waiting == 20 })
	for range 3 {
		_, err := c.Call(t.Context(), r.of("json", ""))
		is.NoErr(err)
	}
	cancel()
	for _, one := range refused {
		is.Equal((<-one).err, context.Canceled) // they were still waiting
	}
}

// A pretender is a replica that a test plays.
type pretender struct {
	t    *testing.T
	conn *nats.Conn
	in   *nats.Subscription
}

func (r *rig) pretend() *pretender {
	r.t.Helper()
	p := &pretender{t: r.t, conn: r.options("pretender").Conn}
	var err error
	if p.in, err = p.conn.SubscribeSync("test.work.r.p.P.>"); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// offer offers a call until a worker takes it, and returns the worker's address. A worker reports how a
// call has ended before it takes another one.
func (p *pretender) offer(call string, tool *handlers.Tool) (worker string) {
	p.t.Helper()
	version, err := new(calls.Versions).Of(tool)
	if err != nil {
		p.t.Fatal(err)
	}
	text := fmt.Sprintf(`{"protocol":2,"tool":%q,"version":%q}`, tool.Name, version)
	var reply *nats.Msg
	waittest.Until(p.t, "a worker takes the call", func() bool {
		if err := p.conn.PublishRequest("test.work.offer."+tool.Name, "test.work.r.p.P.-.-."+call+".offer", []byte(text)); err != nil {
			p.t.Fatal(err)
		}
		reply = p.next("taken")
		return reply != nil
	})
	return "w." + strings.Join(strings.Split(reply.Subject, ".")[5:7], ".")
}

// next returns the next message of a kind; nil if nobody receives or takes what was sent.
func (p *pretender) next(kind string) *nats.Msg {
	p.t.Helper()
	for {
		m, err := p.in.NextMsg(time.Minute)
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return nil
		case err != nil:
			p.t.Fatalf("no message %s: %v", kind, err)
		case strings.HasSuffix(m.Subject, ".refused"): // as its slot is not free yet
			return nil
		}
		if strings.Contains(m.Subject, "."+kind) {
			return m
		}
	}
}

func (p *pretender) send(worker, call, kind, text string) {
	p.t.Helper()
	if err := p.conn.Publish("test.work."+worker+".p.P."+call+"."+kind+".1", []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func TestAWorkerReportsWhyACallDoesNotBegin(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	o := r.options("w")
	o.Beat, o.Patience = time.Hour, 100*time.Millisecond
	r.worker(1, r.host, o)
	p := r.pretend()
	tool := r.of("text", "").Tool

	to := p.offer("silent", tool)
	is.True(strings.Contains(string(p.next("failed").Data), "the replica did not send the call that the worker had taken"))
	p.send(to, "silent", "ack", "")

	to = p.offer("long", tool)
	p.send(to, "long", "long", `{"bytes":1000000000}`)
	is.True(strings.Contains(string(p.next("failed").Data), "p sends a message that is longer than"))
	p.send(to, "long", "ack", "")

	to = p.offer("odd", tool)
	p.send(to, "odd", "begin", `{"revision":"1999-01-01"}`)
	is.True(strings.Contains(string(p.next("failed").Data), "the worker cannot read the call"))
	p.send(to, "odd", "ack", "")
}

// narrow is a host whose calls share little memory.
type narrow struct {
	*server.Server
	memory *budget.Budget
}

func (n narrow) Share(ctx context.Context) (context.Context, func()) {
	return n.memory.With(ctx)
}

func TestACallWithLongArgumentsMayWaitForMemory(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	host := narrow{r.host, budget.New(1 << 20)}
	o, mine := r.options("w"), r.options("a")
	o.Beat, mine.Beat, o.Patience = 50*time.Millisecond, 50*time.Millisecond, 2*time.Second
	w, err := calls.NewWorker(calls.WorkerOptions{Options: o, Slots: 1, Host: host})
	is.NoErr(err)
	defer w.Close(0)
	other := host.memory.Share()
	is.NoErr(other.Reserve(t.Context(), 1<<20))
	began := time.Now()
	done := goes(t.Context(), r.caller(calls.CallerOptions{Options: mine}), r.of("args", `{"text":"`+strings.Repeat("x", 2<<20)+`"}`))
	waittest.Until(t, "it has waited for longer than a begin may take", func() bool { return time.Since(began) > 3*o.Patience/2 })
	other.Release()
	is.NoErr((<-done).err)
}

// shaky is a host that panics at its first look, as a fault of ours would.
type shaky struct {
	*server.Server
	once sync.Once
}

func (s *shaky) Tool(ctx context.Context, name string) (*handlers.Tool, error) {
	s.once.Do(func() { panic("at the first look") })
	return s.Server.Tool(ctx, name)
}

func TestAPanicEndsOneCallAndNotItsProcess(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	w, err := calls.NewWorker(calls.WorkerOptions{Options: r.options("w"), Slots: 1, Host: &shaky{Server: r.host}})
	is.NoErr(err)
	defer w.Close(0)
	c := r.caller(calls.CallerOptions{Options: r.options("a")})
	_, err = c.Call(t.Context(), r.of("text", "")) // refused at first
	is.NoErr(err)

	call := r.of("ask", `{}`)
	call.Ask = func(context.Context, ...sdk.Question) []sdk.Answer { panic("in the client's code") }
	_, err = c.Call(t.Context(), call)
	is.NoErr(err) // the script has got an error
	_, err = c.Call(t.Context(), r.of("text", ""))
	is.NoErr(err)
}

// stubborn is a host that does not keep the time limits of tools.
type stubborn struct {
	*server.Server
	ended chan struct{} // closed when the call has ended
}

func (s *stubborn) Call(ctx context.Context, _ handlers.ToolCall) (*mcp.CallToolResult, error) {
	<-ctx.Done()
	close(s.ended)
	return nil, context.Cause(ctx)
}

func TestAReplicaEndsACallThatItsWorkerDoesNotEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	host := &stubborn{Server: r.host, ended: make(chan struct{})}
	mine, o := r.options("w"), r.options("a")
	mine.Beat, o.Beat, o.Patience = 100*time.Millisecond, 100*time.Millisecond, 2*time.Second
	w, err := calls.NewWorker(calls.WorkerOptions{Options: mine, Slots: 1, Host: host})
	is.NoErr(err)
	defer w.Close(0)
	limit := 10 * time.Millisecond
	call := r.of("text", "")
	call.Timeout = &limit
	_, err = r.caller(calls.CallerOptions{Options: o}).Call(t.Context(), call)
	is.True(strings.Contains(err.Error(), "the call was lost: worker w has not ended it at its time limit"))
	<-host.ended
}

func TestANATSServerThatAllowsTooShortMessagesIsRefused(t *testing.T) {
	is := is.New(t)
	r := newRig(t, func(o *natsserver.Options) { o.MaxPayload = 512 })
	_, err := calls.NewCaller(calls.CallerOptions{Options: r.options("a")})
	is.True(err != nil)
	is.Equal(err.Error(), "the NATS server allows messages of 512 bytes only: set its max_payload to 16384 or more")
}

func TestWhenNATSIsDownACallThatWaitsHearsIt(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	c := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: 300 * time.Millisecond})
	r.stop()
	_, err := c.Call(t.Context(), r.of("text", ""))
	is.True(strings.Contains(err.Error(), "the connection with NATS is lost, so no worker can be reached"))
}
