package natscluster

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

// The first byte of a value in a bucket.
const (
	inline  = 'v' // the value follows
	outside = 'o' // the name of the object with the value follows
)

// inlineMax is the maximum size of a value in a bucket: servers accept messages of 1 MiB by default.
const inlineMax = 512 << 10

// Keep implements [handlers.Cluster].
func (c *Cluster) Keep(ctx context.Context, key string, value []byte, version uint64) (uint64, error) {
	text := append([]byte{inline}, value...)
	if len(value) > inlineMax {
		name := rand.Text()
		if err := c.putLong(ctx, name, value); err != nil {
			return 0, err
		}
		text = append([]byte{outside}, name...)
	}
	ctx, cancel, err := c.reach(ctx, wait)
	if err != nil {
		return 0, err
	}
	defer cancel()
	kept, _ := c.stores()
	var next uint64
	if version == 0 {
		next, err = kept.Create(ctx, encode(key), text)
	} else {
		next, err = kept.Update(ctx, encode(key), text, version)
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyExists), errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return 0, handlers.ErrConflict
	case err != nil:
		return 0, c.failed("store a value", err)
	}
	return next, nil
}

// Look implements [handlers.Cluster].
func (c *Cluster) Look(ctx context.Context, key string) (value []byte, version uint64, err error) {
	short, cancel, err := c.reach(ctx, wait)
	if err != nil {
		return nil, 0, err
	}
	defer cancel()
	kept, _ := c.stores()
	entry, err := kept.Get(short, encode(key))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, c.failed("look up a value", err)
	}
	text := entry.Value()
	switch {
	case len(text) > 0 && text[0] == inline:
		return text[1:], entry.Revision(), nil
	case len(text) > 0 && text[0] == outside:
		value, err := c.getLong(ctx, string(text[1:]))
		return value, entry.Revision(), err
	}
	return nil, 0, c.failed("look up a value", errors.New("it is not from a server of this version"))
}

// putLong stores a value that is too long for a message.
func (c *Cluster) putLong(ctx context.Context, name string, value []byte) error {
	ctx, cancel, err := c.reach(ctx, longWait)
	if err != nil {
		return err
	}
	defer cancel()
	_, large := c.stores()
	if _, err := large.PutBytes(ctx, name, value); err != nil {
		return c.failed("store a long value", err)
	}
	return nil
}

// getLong returns a value that putLong has stored.
func (c *Cluster) getLong(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel, err := c.reach(ctx, longWait)
	if err != nil {
		return nil, err
	}
	defer cancel()
	_, large := c.stores()
	value, err := large.GetBytes(ctx, name)
	if err != nil {
		return nil, c.failed("look up a long value", err)
	}
	return value, nil
}

func (c *Cluster) stores() (kept jetstream.KeyValue, large jetstream.ObjectStore) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept, c.large
}
