package calls

import (
	"bytes"
	"context"
	"encoding/json"
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

// A link is this peer's end of a call. Messages arrive once and in order, also if NATS loses some or is gone for a
// while: those that are not acknowledged are sent again with each beat.
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
	sent     uint64  // the number of the last message sent
	unacked  []frame // those sent that the other end has not processed, oldest first
	received uint64  // the number of the last message received
	done     uint64  // of those received, how many this end has processed
	heard    time.Time
	absent   time.Time // when NATS has first said that nobody receives the messages; zero: they are received
}

// A frame is a message on its way.
type frame struct {
	kind   kind
	number uint64
	data   []byte
	at     time.Time // when it was sent last
}

// A message is an incoming message of a call.
type message struct {
	kind kind
	data []byte
}

func newLink(p *peer, call, address string) *link {
	l := &link{
		peer: p, call: call, address: address, name: nameOf(address), heard: time.Now(),
		in: make(chan message, window+1), credits: make(chan struct{}, window), broken: make(chan struct{}),
	}
	for range window {
		l.credits <- struct{}{}
	}
	return l
}

// receive accepts an incoming message. It does not block.
func (l *link) receive(k kind, number uint64, data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard, l.absent = time.Now(), time.Time{}
	switch {
	case k == kindAck:
		for len(l.unacked) > 0 && l.unacked[0].number <= number {
			l.unacked = l.unacked[1:]
			l.refund()
		}
		return
	case number != l.received+1: // it is here already, or one before it is missing and will be sent again
		return
	}
	l.received = number
	select {
	case l.in <- message{k, data}:
	default:
		l.fail(fmt.Errorf("%s sends more than it may", l.name))
	}
}

// begun reports whether a message has arrived.
func (l *link) begun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.received > 0
}

// nobody is called when NATS reports that nobody receives the messages of this link.
func (l *link) nobody() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.absent.IsZero() {
		l.absent = time.Now()
	}
}

// beat shows the other end that this one is there, sends again what it has not acknowledged, and breaks the link if the
// other end is gone: it has been silent for too long, or has no connection with NATS for a shorter time, as a process
// that was killed.
func (l *link) beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	silent := time.Since(l.heard)
	if silent > l.peer.Patience || !l.absent.IsZero() && time.Since(l.absent) > absence*l.peer.Beat {
		l.fail(errGone{l.name, silent})
		return
	}
	if l.sent == 0 && l.received == 0 { // the other end may not know the call yet
		return
	}
	for i, f := range l.unacked {
		if time.Since(f.at) >= l.peer.Beat {
			l.publish(&l.unacked[i])
		}
	}
	l.showAck(l.peer.reply(l.address, l.call, kindAck))
}

// absence is for how many beats the other end may have no connection with NATS.
const absence = 5

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

// put sends one NATS message.
func (l *link) put(ctx context.Context, k kind, data []byte) error {
	if err := l.credit(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	l.unacked = append(l.unacked, frame{kind: k, number: l.sent, data: data})
	l.publish(&l.unacked[len(l.unacked)-1])
	return nil
}

// publish hands a frame to NATS. If that fails, it is sent again with the next beat. l.mu is held.
func (l *link) publish(f *frame) {
	f.at = time.Now()
	l.log(l.peer.Conn.Publish(l.subject(f.kind, f.number), f.data))
}

func (l *link) subject(k kind, number uint64) string {
	return fmt.Sprint(l.peer.topic(l.address, l.call, k), ".", number)
}

func (l *link) log(err error) {
	if err != nil {
		l.peer.Log.Debug("a message waits for the connection with NATS", "to", l.name, "error", err)
	}
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

// drain waits until the other end has acknowledged all messages.
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

// ack acknowledges a message, so that the other end may send one more. If the ack is lost, that of the next beat takes
// its place.
func (l *link) ack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	l.showAck("")
}

// showAck sends how many messages were processed. If nobody receives it, NATS says so to reply. l.mu is held.
func (l *link) showAck(reply string) {
	l.log(l.peer.Conn.PublishMsg(&nats.Msg{Subject: l.subject(kindAck, l.done), Reply: reply}))
}

// errTooLong is the error of a message that is too long; its value is the size in bytes.
type errTooLong int

func (e errTooLong) Error() string {
	return fmt.Sprintf("%d bytes are too long for a message: workers and replicas send each other at most %d", int(e),
		longest)
}
