package natscluster

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

// A value in a bucket begins with one of these.
const (
	inline  = 'v' // the value follows
	outside = 'o' // the name of the object that is the value follows
)

// inlineMax is how long values in a bucket may be: servers take messages of 1 MiB by default.
const inlineMax = 512 << 10

// Keep implements [handlers.Cluster].
func (c *Cluster) Keep(ctx context.Context, key string, value []byte, version uint64) (uint64, error) {
	ctx, cancel, err := c.reach(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	kept, large := c.stores()
	text := append([]byte{inline}, value...)
	if len(value) > inlineMax {
		name := rand.Text()
		if _, err := large.PutBytes(ctx, name, value); err != nil {
			return 0, c.failed("store a long value", err)
		}
		text = append([]byte{outside}, name...)
	}
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
	ctx, cancel, err := c.reach(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer cancel()
	kept, large := c.stores()
	entry, err := kept.Get(ctx, encode(key))
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
		value, err := large.GetBytes(ctx, string(text[1:]))
		if err != nil {
			return nil, 0, c.failed("look up a long value", err)
		}
		return value, entry.Revision(), nil
	}
	return nil, 0, c.failed("look up a value", errors.New("it is not from a server of this version"))
}

func (c *Cluster) stores() (kept jetstream.KeyValue, large jetstream.ObjectStore) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept, c.large
}
