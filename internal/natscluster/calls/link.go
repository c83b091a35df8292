package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
)

const (
	// window is the maximum number of unacknowledged messages of a call, each way.
	window = 8
	// longest is the maximum size of a message in bytes, all parts together.
	longest = 64 << 20
	// mostPart is the maximum size of a part in bytes. NATS may be configured for less.
	mostPart = 256 << 10
	// headroom is the number of bytes that NATS itself needs within its maximum message size.
	headroom = 1 << 10
	// leastPayload is the maximum message size, in bytes, that NATS must allow at least. Offers and lists
	// of calls are not sent in parts.
	leastPayload = 16 << 10
)

// A link is this peer's end of a call.
type link struct {
	peer    *peer
	call    string
	address string // of the other peer
	name    string // of the other process, for display

	in      chan message
	credits chan struct{} // a value for each message that may be sent
	broken  chan struct{} // closed when the other end is lost
	once    sync.Once
	why     error // written before broken is closed

	frames sync.Mutex // held while a message with all its parts is sent

	mu       sync.Mutex
	sent     uint64
	acked    uint64 // of those sent, how many the other side has processed
	received uint64
	done     uint64 // of those received, how many this side has processed
	over     bool   // the last message has arrived
}

// A message is an incoming message of a call.
type message struct {
	kind kind
	data []byte
}

func newLink(p *peer, call, address string) *link {
	l := &link{
		peer: p, call: call, address: address, name: nameOf(address),
		in: make(chan message, window+1), credits: make(chan struct{}, window), broken: make(chan struct{}),
	}
	for range window {
		l.credits <- struct{}{}
	}
	return l
}

// receive accepts an incoming message. It does not block.
func (l *link) receive(k kind, data []byte) {
	l.mu.Lock()
	if k == kindAck {
		defer l.mu.Unlock()
		l.acknowledge(l.acked + 1)
		return
	}
	l.received++
	l.over = l.over || k == kindResult || k == kindFailed
	l.mu.Unlock()
	select {
	case l.in <- message{k, data}:
	default:
		l.fail(fmt.Errorf("%s sends more than it may", l.name))
	}
}

// heard reports whether a message has arrived.
func (l *link) heard() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.received > 0
}

// counts returns the numbers of messages sent, and of those received and processed.
func (l *link) counts() (sent, done uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent, l.done
}

// acknowledge allows further messages, given how many the other side has processed. l.mu is held.
func (l *link) acknowledge(done uint64) {
	for ; l.acked < min(done, l.sent); l.acked++ {
		l.refund()
	}
}

// caughtUp does what lost acks would have done.
func (l *link) caughtUp(done uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledge(done)
}

// misses reports whether messages are missing, given how many the other side has sent and whether it
// knows the call. Before its first message it may not know the call yet.
func (l *link) misses(sent uint64, known bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return false
	case !known:
		return l.received > 0 || l.sent > 0
	}
	return l.received < sent
}

// fail breaks the link.
func (l *link) fail(why error) {
	l.once.Do(func() {
		l.why = why
		close(l.broken)
	})
}

// send sends a message, in parts if it is long. It waits while too many are unacknowledged.
func (l *link) send(ctx context.Context, k kind, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	if len(data) > longest {
		return errTooLong(len(data))
	}
	l.frames.Lock()
	defer l.frames.Unlock()
	if part := int(min(mostPart, max(l.peer.Conn.MaxPayload(), leastPayload)-headroom)); len(data) > part {
		if err := l.put(ctx, kindLong, sure(long{len(data)})); err != nil {
			return err
		}
		if err := l.drain(ctx); err != nil {
			return err
		}
		for ; len(data) > part; data = data[part:] {
			if err := l.put(ctx, kindPart, data[:part]); err != nil {
				return err
			}
		}
	}
	return l.put(ctx, k, data)
}

// put sends one NATS message. While this side has no connection it waits; if the other side has none, the
// message is lost.
func (l *link) put(ctx context.Context, k kind, data []byte) error {
	if err := l.credit(ctx); err != nil {
		return err
	}
	for {
		err := l.publish(k, data)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, nats.ErrReconnectBufExceeded): // that one means that nothing was sent
			return fmt.Errorf("%s cannot be reached: %w", l.name, err)
		}
		select {
		case <-time.After(reconnectPoll):
		case <-l.broken:
			l.refund()
			return l.why
		case <-ctx.Done():
			l.refund()
			return context.Cause(ctx)
		}
	}
}

// reconnectPoll is how long a message waits until it is tried whether there is a connection again.
const reconnectPoll = 50 * time.Millisecond

func (l *link) publish(k kind, data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.peer.Conn.Publish(l.peer.topic(l.address, l.call, k), data)
	if !errors.Is(err, nats.ErrReconnectBufExceeded) {
		l.sent++ // also on other failures, so that the other side notices that it is missing
	}
	return err
}

// credit waits until one more message may be sent.
func (l *link) credit(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-l.credits: // also of a broken link, so that the other side gets the reason if it is there
		return nil
	default:
	}
	select {
	case <-l.credits:
		return nil
	case <-l.broken:
		return l.why
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// drain waits until the other side has acknowledged all messages.
func (l *link) drain(ctx context.Context) error {
	for range window {
		if err := l.credit(ctx); err != nil {
			return err
		}
		defer l.refund()
	}
	return nil
}

// refund allows one more message.
func (l *link) refund() {
	select {
	case l.credits <- struct{}{}:
	default: // it was acknowledged twice
	}
}

// next returns the next message, with all its parts. Memory for a long one is taken from the budget of
// ctx. Call ack after processing it.
func (l *link) next(ctx context.Context) (message, error) {
	var whole *bytes.Buffer
	for {
		m, err := l.receiveFrame(ctx)
		if err != nil {
			return m, err
		}
		switch {
		case m.kind == kindLong:
			var size long
			if json.Unmarshal(m.data, &size) != nil || size.Bytes < 0 || size.Bytes > longest {
				return m, fmt.Errorf("%s sends a message that is longer than %d bytes", l.name, longest)
			}
			if err := budget.Of(ctx).Reserve(ctx, 4*size.Bytes+run.OutputMemory); err != nil {
				return m, err
			}
			whole = bytes.NewBuffer(make([]byte, 0, size.Bytes))
			l.ack()
		case whole == nil:
			return m, nil
		case whole.Available() < len(m.data):
			return m, fmt.Errorf("%s sends a message that is longer than announced", l.name)
		case m.kind == kindPart:
			whole.Write(m.data)
			l.ack()
		default:
			whole.Write(m.data)
			m.data = whole.Bytes()
			return m, nil
		}
	}
}

// receiveFrame returns the next NATS message. Those that arrived before the link broke are returned first.
func (l *link) receiveFrame(ctx context.Context) (message, error) {
	select {
	case m := <-l.in:
		return m, nil
	default:
	}
	select {
	case m := <-l.in:
		return m, nil
	case <-l.broken:
		return message{}, l.why
	case <-ctx.Done():
		return message{}, context.Cause(ctx)
	}
}

// ack acknowledges a message, so that the other side may send one more. If the ack is lost, the next
// "alive" takes its place.
func (l *link) ack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	if err := l.peer.Conn.Publish(l.peer.topic(l.address, l.call, kindAck), nil); err != nil {
		l.peer.Log.Debug("cannot acknowledge a message", "error", err)
	}
}

// errTooLong is the error of a message that is too long; its value is the size in bytes.
type errTooLong int

func (e errTooLong) Error() string {
	return fmt.Sprintf("%d bytes are too long for a message: workers and replicas send each other at most %d", int(e),
		longest)
}
