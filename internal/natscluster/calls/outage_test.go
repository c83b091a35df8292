package calls_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// stop stops the NATS server.
func (r *rig) stop() {
	r.nats.Load().Shutdown()
	r.nats.Load().WaitForShutdown()
}

func TestACallOutlivesNATS(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	o, mine := r.options("w"), r.options("a")
	o.Patience, mine.Patience = time.Minute, time.Minute
	r.worker(2, r.host, o)
	c := r.caller(calls.CallerOptions{Options: mine, MaxWait: time.Minute})
	done := goes(t.Context(), c, r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	r.stop()
	r.start(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	result, err := c.Call(t.Context(), r.of("text", "")) // waits until both are back
	is.NoErr(err)
	is.True(strings.Contains(shown(t, result), "grüße"))
	r.release()
	ended := <-done
	is.NoErr(ended.err)
	is.Equal(r.lines("runs"), 1)
}

func TestAResultOutlivesNATS(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	done := goes(t.Context(), r.pair(2), r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	r.stop()
	r.release()
	waittest.Until(t, "the tool has ended", func() bool { return r.lines("left") == 1 })
	r.start(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	o := <-done
	is.NoErr(o.err)
	is.True(strings.Contains(shown(t, o.result), "done"))
	is.Equal(r.lines("runs"), 1)
}

func TestACallIsGivenUpWhenNATSIsGoneForLongerThanItsPatience(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	o, mine := r.options("w"), r.options("a")
	o.Patience, mine.Patience = 500*time.Millisecond, 500*time.Millisecond
	o.Beat, mine.Beat = 100*time.Millisecond, 100*time.Millisecond
	w := r.worker(2, r.host, o)
	done := goes(t.Context(), r.caller(calls.CallerOptions{Options: mine, MaxWait: time.Minute}), r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	r.stop()
	err := (<-done).err
	is.True(strings.Contains(err.Error(), "the call was lost: worker w has been silent for "))
	waittest.Until(t, "the tool is ended", func() bool { return r.lines("ended") == 1 && w.Status().Running == 0 })
	is.Equal(r.lines("runs"), 1)
}

// A gate is a dialer that waits until it is opened.
type gate struct {
	*rig
	opened atomic.Pointer[chan struct{}]
}

func (g *gate) Dial(network, address string) (net.Conn, error) {
	<-*g.opened.Load()
	return g.rig.Dial(network, address)
}

func TestAResultWaitsUntilTheConnectionIsBack(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	g := &gate{rig: r}
	open, shut := make(chan struct{}), make(chan struct{})
	close(open)
	g.opened.Store(&open)
	o, mine := r.options("w"), r.options("a")
	o.Patience, mine.Patience = time.Minute, time.Minute
	conn, err := nats.Connect(r.nats.Load().ClientURL(), nats.SetCustomDialer(g), nats.ReconnectBufSize(-1))
	is.NoErr(err)
	t.Cleanup(conn.Close)
	o.Conn = conn
	r.worker(1, r.host, o)
	done := goes(t.Context(), r.caller(calls.CallerOptions{Options: mine}), r.of("wait", `{}`))
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	g.opened.Store(&shut)
	r.stop()
	waittest.Until(t, "both notice", func() bool { return !conn.IsConnected() && !mine.Conn.IsConnected() })
	r.release()
	waittest.Until(t, "the tool has ended", func() bool { return r.lines("left") == 1 })
	r.start(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	waittest.Until(t, "the replica is back", mine.Conn.IsConnected)
	close(shut)
	is.NoErr((<-done).err)
	is.Equal(r.lines("runs"), 1)
}
