package pipeline

import (
	"context"
	"sync"
	"sync/atomic"
)

// A turn is the time of one message in the chain, and the context of all that
// it causes. As long as it holds the baton nothing else comes in.
type turn struct {
	context.Context
	p      *Pipeline
	line   uint64      // which line of the stream it is, from 1
	resume   func()      // takes what comes after this message
	passed atomic.Bool // the baton is gone: passed on, or spent with the message

	mu    sync.Mutex
	later []func(context.Context) // see Afterwards
}

type turnKey struct{}

func (t *turn) Value(key any) any {
	if key == (turnKey{}) {
		return t
	}
	return t.Context.Value(key)
}

func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// From returns the pipeline on which the message of ctx came, nil outside of
// doors and handlers.
func From(ctx context.Context) *Pipeline {
	if t := turnOf(ctx); t != nil {
		return t.p
	}
	return nil
}

// Turn returns what all contexts of one message have in common and those of no
// other: a key by which two doors of a stage recognise the same message, also
// when its answer leaves. It is nil outside of doors and handlers.
func Turn(ctx context.Context) any {
	if t := turnOf(ctx); t != nil {
		return t
	}
	return nil
}

// Yield passes the baton on: the next message may come in while this one is
// still at work. Call it before anything that takes long. Only the first call
// for a message has an effect.
func Yield(ctx context.Context) {
	if t := turnOf(ctx); t != nil {
		t.yield()
	}
}

// Afterwards calls f when the message of ctx has been answered, before its turn
// ends: what f sends follows the answer. Outside of doors and handlers it does
// nothing.
func Afterwards(ctx context.Context, f func(context.Context)) {
	if t := turnOf(ctx); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.later = append(t.later, f)
	}
}

// finish calls what is to be called afterwards.
func (t *turn) finish() {
	t.mu.Lock()
	later := t.later
	t.later = nil
	t.mu.Unlock()
	for _, f := range later {
		f(t)
	}
}

func (t *turn) yield() {
	if !t.passed.Swap(true) {
		go t.resume()
	}
}

// Split handles the items of a message in order, each as if it had come on a
// line of its own: it calls next for each, with its own baton, and sends its
// answer as soon as there is one. Split returns when all are answered, or those
// that run when the pipeline is stopped, so a door that splits ends with
//
//	return nil, pipeline.Split(ctx, m.Items(), next)
//
// One item is a message in the place of a line that could not be read: it is
// answered or refused with its own id.
func Split(ctx context.Context, items []*Message, next Handler) error {
	whole := turnOf(ctx)
	var working sync.WaitGroup
	var from func(i int, alone bool)
	from = func(i int, alone bool) {
		defer working.Done()
		for ; i < len(items) && !whole.p.isStopped(); i++ {
			working.Add(1) // for who goes on with the next item if this one yields
			item := &turn{Context: ctx, p: whole.p, line: whole.line, resume: func() { from(i+1, false) }}
			whole.p.serve(item, items[i], next)
			if item.passed.Swap(true) {
				return
			}
			working.Done()
		}
		if !alone {
			whole.yield() // items before the last are still at work
		}
	}
	working.Add(1)
	from(0, true)
	working.Wait()
	return nil
}
