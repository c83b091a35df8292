// Package natscluster connects the replicas of a server through NATS: shared state is in JetStream
// key-value buckets, and questions to each other are sent over subjects.
package natscluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

// Options configure the connection with NATS.
type Options struct {
	URL string // of the server, or of several with commas between them
	// Name is the prefix of the names of all buckets and subjects. Replicas of the same server have
	// the same Name.
	Name string
	// CA, Cert and Key are PEM files for TLS, Creds is a file with the user's credentials, or with
	// USER:PASSWORD. Empty: the system's certificate authorities, no client certificate, no credentials.
	CA, Cert, Key, Creds string
	// Keep is how long values are kept: at least as long as ended tasks are.
	Keep time.Duration
	// Copies is how many NATS servers keep each value of buckets that are created. Zero: 1.
	Copies int
	// Lease is how long a silent replica counts as alive. Zero: 30 s.
	Lease time.Duration
	Log   *slog.Logger
}

// wait is the timeout of an operation, longWait that of one with a value too long for a message.
const (
	wait     = 5 * time.Second
	longWait = 30 * time.Second
)

// clocks is the maximum difference between the clocks of two replicas.
const clocks = time.Minute

// A Cluster is a [handlers.Cluster] over one connection with NATS, for one server.
type Cluster struct {
	options Options
	conn    *nats.Conn
	js      jetstream.JetStream

	mu        sync.Mutex
	used      jetstream.KeyValue
	kept      jetstream.KeyValue
	alive     jetstream.KeyValue
	large     jetstream.ObjectStore
	restoring int           // how many times restore is running
	restored  time.Time     // when it has last ended
	renew     chan struct{} // has a value when the lease must be renewed at once
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// Connect connects with NATS and creates the buckets that do not exist yet. Existing ones are used as
// they are.
func Connect(ctx context.Context, o Options) (*Cluster, error) {
	c, err := connect(ctx, o)
	return c, readable(err)
}

// readable returns an error without the prefix of the library.
func readable(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), "nats: ", ""))
}

func connect(ctx context.Context, o Options) (*Cluster, error) {
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	c := &Cluster{options: o, renew: make(chan struct{}, 1)}
	var err error
	c.conn, err = o.dial(
		nats.NoEcho(), // messages of this replica are for others
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			o.Log.Warn("the connection with NATS is lost; answers to questions and tasks of other replicas wait for it", "error",
				err)
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.reconnected() }),
	)
	if err != nil {
		return nil, err
	}
	if c.js, err = jetstream.New(c.conn); err == nil {
		err = c.prepare(ctx)
	}
	if err != nil {
		c.conn.Close()
		return nil, err
	}
	return c, nil
}

// Connected reports whether the NATS server is reached now.
func (c *Cluster) Connected() bool { return c.conn.IsConnected() }

// Close ends the connection.
func (c *Cluster) Close() { c.conn.Close() }

// prepare creates the buckets.
func (c *Cluster) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	name, keep := c.options.Name, c.options.Keep
	used, err := c.bucket(ctx, jetstream.KeyValueConfig{
		Bucket: name + "-used", Description: "request states that were used", LimitMarkerTTL: clocks,
	})
	if err != nil {
		return err
	}
	if status, err := used.Status(ctx); err != nil || status.LimitMarkerTTL() == 0 {
		return errors.Join(err, fmt.Errorf("the bucket %s-used must have a limit marker TTL: make it with `nats kv add "+
			"%s-used --marker-ttl 1m`, or delete it and it is made", name, name))
	}
	kept, err := c.bucket(ctx, jetstream.KeyValueConfig{Bucket: name + "-tasks", Description: "tasks and their results",
		TTL: keep})
	if err != nil {
		return err
	}
	alive, err := c.bucket(ctx, jetstream.KeyValueConfig{Bucket: name + "-replicas",
		Description: "replicas that are alive", TTL: c.options.Lease})
	if err != nil {
		return err
	}
	object := jetstream.ObjectStoreConfig{
		Bucket: name + "-large", Description: "results that are too long for a message", TTL: keep,
		Replicas: c.options.Copies,
	}
	large, err := made(ctx, object.Bucket, c.js.ObjectStore, func(ctx context.Context) (jetstream.ObjectStore, error) {
		return c.js.CreateObjectStore(ctx, object)
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used, c.kept, c.alive, c.large = used, kept, alive, large
	return nil
}

// bucket returns a bucket, and creates it if it does not exist.
func (c *Cluster) bucket(ctx context.Context, config jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	config.Replicas = c.options.Copies
	return made(ctx, config.Bucket, c.js.KeyValue, func(ctx context.Context) (jetstream.KeyValue, error) {
		return c.js.CreateKeyValue(ctx, config)
	})
}

// made returns what has a name, and creates it if it does not exist.
func made[T any](
	ctx context.Context, name string,
	find func(context.Context, string) (T, error), create func(context.Context) (T, error),
) (T, error) {
	found, err := find(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		found, err = create(ctx)
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another replica was faster
		found, err = find(ctx, name)
	}
	if err != nil {
		err = fmt.Errorf("bucket %s: %w", name, err)
	}
	return found, err
}

// reconnected is called when the connection is reestablished. The server may have lost its buckets.
func (c *Cluster) reconnected() {
	c.options.Log.Info("the connection with NATS is back")
	c.mu.Lock()
	c.restoring++
	c.mu.Unlock()
	go c.restore()
}

// restore creates the buckets that do not exist any more, as soon as JetStream can be used, and renews the
// lease.
func (c *Cluster) restore() {
	level := slog.LevelWarn
	for c.conn.Status() == nats.CONNECTED {
		err := c.prepare(context.Background())
		if err == nil {
			break
		}
		c.options.Log.Log(context.Background(), level, "the buckets of NATS cannot be used yet", "error", err)
		level = slog.LevelDebug
		<-time.After(time.Second)
	}
	c.mu.Lock()
	c.restoring--
	c.restored = time.Now()
	c.mu.Unlock()
	select {
	case c.renew <- struct{}{}:
	default:
	}
}

// reach returns a context with the given timeout, or an error if there is no connection.
func (c *Cluster) reach(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc, error) {
	if c.conn.Status() != nats.CONNECTED {
		return nil, nil, handlers.ErrUnreachable
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	return ctx, cancel, nil
}

// failed returns the error for a client, and logs the reason for the operator. If the client has cancelled
// its request NATS has not failed.
func (c *Cluster) failed(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	c.options.Log.Warn("NATS has failed", "to", what, "error", err)
	return handlers.ErrUnreachable
}

var safeKey = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// encode returns a key in the form that NATS allows.
func encode(key string) string {
	if safeKey.MatchString(key) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "=" + hex.EncodeToString(sum[:])
}

// Use implements [handlers.Cluster].
func (c *Cluster) Use(ctx context.Context, id string, expires time.Time) (first bool, err error) {
	life := time.Until(expires)
	if life <= 0 {
		return false, nil
	}
	ctx, cancel, err := c.reach(ctx, wait)
	if err != nil {
		return false, err
	}
	defer cancel()
	c.mu.Lock()
	used := c.used
	c.mu.Unlock()
	_, err = used.Create(ctx, encode(id), nil, jetstream.KeyTTL((life + clocks).Round(time.Second)))
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		return false, nil
	case err != nil:
		return false, c.failed("note that a state is used", err)
	}
	return true, nil
}
