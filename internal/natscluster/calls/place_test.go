package calls

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// caller returns a caller and a peer that plays its workers.
func caller(t *testing.T) (*Caller, *peer) {
	t.Helper()
	_, other := peers(t)
	conn, err := nats.Connect(other.Conn.ConnectedUrl())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	c, err := NewCaller(CallerOptions{Options: Options{Conn: conn, Cluster: "test", Name: "a", Log: other.Log}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, other
}

func TestAWorkerThatTakesACallIsHeardAmongLateReplies(t *testing.T) {
	is := is.New(t)
	c, other := caller(t)
	w := &waiting{taken: make(chan struct{}), replies: make(chan *refused, 1)}
	is.True(c.enter("CALL", w))
	for range 10 { // to offers that were given up, as the call was offered again
		c.offered(other.address, "CALL-1", kindRefused, &nats.Msg{Data: sure(refused{Why: "late"})})
	}
	c.offered(other.address, "CALL-2", kindTaken, &nats.Msg{})
	for range 10 {
		if taken, err := w.wait(t.Context()); taken {
			is.NoErr(err)
			return
		}
	}
	t.Fatal("it was not heard")
}

func TestCallsWhoseToolIsReadSlowlyAreOfferedInOrder(t *testing.T) {
	is := is.New(t)
	c, other := caller(t)
	turns := semaphore.NewWeighted(1)
	c.turns["slow"] = turns
	offers, err := other.Conn.SubscribeSync("test.work.offer.slow")
	is.NoErr(err)
	is.NoErr(other.Conn.Flush())
	tool := &handlers.Tool{Settings: &handlers.ToolSettings{}}
	tool.Name, tool.Dir = "slow", t.TempDir()
	calling := func(n int) {
		go func() { _, _ = c.Call(t.Context(), handlers.ToolCall{Tool: tool}) }()
		waittest.Until(t, "it waits", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.waiting) == n
		})
	}
	c.versions.mu.Lock() // as if the files were read
	calling(1)
	waittest.Until(t, "it is its turn", func() bool {
		if turns.TryAcquire(1) {
			turns.Release(1)
			return false
		}
		return true
	})
	c.mu.Lock()
	first := ""
	for id := range c.waiting {
		first = id
	}
	c.mu.Unlock()
	calling(2)
	c.versions.mu.Unlock()
	m, err := offers.NextMsg(time.Minute)
	is.NoErr(err)
	is.Equal(m.Reply, "test.work."+c.address+".-.-."+first+"-1.offer")
}

func TestACallThatWasTakenIsNotOfferedAgain(t *testing.T) {
	is := is.New(t)
	for range 100 { // which of the two is seen first is random
		w := &waiting{taken: make(chan struct{}), replies: make(chan *refused, 1)}
		w.replies <- &refused{Why: "late"}
		close(w.taken)
		taken, err := w.wait(t.Context())
		is.NoErr(err)
		is.True(taken)
	}
}

func TestACallThatIsCancelledWhenItsResultIsThereHasTheResult(t *testing.T) {
	is := is.New(t)
	c, other := caller(t)
	offers, err := other.Conn.SubscribeSync("test.work.offer.a")
	is.NoErr(err)
	to, err := other.Conn.SubscribeSync("test.work.w.fake.ID.>")
	is.NoErr(err)
	is.NoErr(other.Conn.Flush())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call := handlers.ToolCall{Tool: &handlers.Tool{Settings: &handlers.ToolSettings{}}, Revision: mcp.Latest()}
	call.Tool.Name, call.Tool.Dir = "a", t.TempDir()
	call.Progress = func(context.Context, mcp.ProgressParams) error {
		waittest.Until(t, "the result is there", func() bool {
			c.peer.mu.Lock()
			defer c.peer.mu.Unlock()
			for _, l := range c.links {
				return len(l.in) == 1
			}
			return false
		})
		cancel()
		return nil
	}
	done := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, call)
		done <- err
	}()
	offered, err := offers.NextMsg(time.Minute)
	is.NoErr(err)
	from := strings.Replace(strings.TrimSuffix(offered.Reply, string(kindOffer)), ".-.-.", ".fake.ID.", 1)
	is.NoErr(other.Conn.Publish(from+string(kindTaken), nil))
	_, err = to.NextMsg(time.Minute) // it begins
	is.NoErr(err)
	is.NoErr(other.Conn.Publish(from+string(kindProgress)+".1", []byte(`{}`)))
	is.NoErr(other.Conn.Publish(from+string(kindResult)+".2", []byte(`{"content":[]}`)))
	is.NoErr(<-done)
}
