package natscluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

func (c *Cluster) subject(of string) string { return c.options.Name + "." + of }

// Join implements [handlers.Cluster].
func (c *Cluster) Join(ctx context.Context, name string, m handlers.Member) (leave func(), err error) {
	asked, err := c.conn.Subscribe(c.subject("ask."+encode(name)), func(q *nats.Msg) {
		go func() { // a question that waits must not delay others
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			defer cancel()
			if err := q.Respond(m.Answer(ctx, q.Data)); err != nil {
				c.options.Log.Debug("another replica gets no answer", "error", err)
			}
		}()
	})
	if err != nil {
		return nil, err
	}
	told, err := c.conn.Subscribe(c.subject("news"), func(n *nats.Msg) { m.Hear(n.Data) })
	if err == nil {
		err = c.beat(ctx, name)
	}
	if err != nil {
		_, _ = asked.Unsubscribe(), told.Unsubscribe() // the connection may be closed
		return nil, err
	}
	stop := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { c.beats(name, stop) })
	return func() {
		close(stop)
		beating.Wait()
		_, _ = asked.Unsubscribe(), told.Unsubscribe() // the connection may be closed
		c.endLease(name)
	}, nil
}

// beats renews the lease of a replica until stop is closed.
func (c *Cluster) beats(name string, stop <-chan struct{}) {
	tick := time.NewTicker(c.options.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		case <-c.renew:
		}
		_ = c.beat(context.Background(), name) // errors are logged, and the next beat follows soon
	}
}

// beat renews the lease of a replica.
func (c *Cluster) beat(ctx context.Context, name string) error {
	ctx, cancel, err := c.reach(ctx, wait)
	if err != nil {
		return err
	}
	defer cancel()
	if _, err := c.replicas().Put(ctx, encode(name), nil); err != nil {
		return c.failed("note that this replica is alive", err)
	}
	return nil
}

// endLease ends the lease of a replica.
func (c *Cluster) endLease(name string) {
	ctx, cancel, err := c.reach(context.Background(), wait)
	if err != nil {
		return
	}
	defer cancel()
	if err := c.replicas().Delete(ctx, encode(name)); err != nil {
		c.options.Log.Debug("the other replicas learn later that this one is gone", "error", err)
	}
}

func (c *Cluster) replicas() jetstream.KeyValue {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive
}

// Alive implements [handlers.Cluster]. After a reconnection all replicas count as alive for a while, to
// have the time to renew their leases.
func (c *Cluster) Alive(ctx context.Context, name string) (bool, error) {
	ctx, cancel, err := c.reach(ctx, wait)
	if err != nil {
		return false, err
	}
	defer cancel()
	_, err = c.replicas().Get(ctx, encode(name))
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return false, c.failed("look whether a replica is alive", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restoring > 0 || time.Since(c.restored) < c.options.Lease, nil
}

// Ask implements [handlers.Cluster].
func (c *Cluster) Ask(ctx context.Context, name string, question []byte) (answer []byte, err error) {
	ctx, cancel, err := c.reach(ctx, wait)
	if err != nil {
		return nil, err
	}
	defer cancel()
	reply, err := c.conn.RequestWithContext(ctx, c.subject("ask."+encode(name)), question)
	if err != nil {
		return nil, c.failed("ask another replica", err)
	}
	return reply.Data, nil
}

// Tell implements [handlers.Cluster].
func (c *Cluster) Tell(news []byte) error {
	if c.conn.Status() != nats.CONNECTED {
		return handlers.ErrUnreachable
	}
	return c.conn.Publish(c.subject("news"), news)
}
