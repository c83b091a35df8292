package pipeline

import (
	"context"
	"time"
)

// A Worker waits until work that takes long may begin. It yields, so that other messages come in
// meanwhile; then it waits for wait, if that is not nil, and then for a resource of its own, such
// as a slot. done gives that back; it may be called more than once. The error is why the work may
// not begin: the error of wait, the cause of ctx, or a refusal.
type Worker func(ctx context.Context, wait func(context.Context) error) (done func(), err error)

// Work declares that what follows takes long, as a script does, and waits until it may begin:
//
//	done, err := pipeline.Work(ctx)
//	if err != nil {
//		return nil, err
//	}
//	defer done()
//
// What a handler does before that is done in the message's turn: a call that is refused there is
// answered before anything that came later. How many calls work at once, and in which order they
// begin, is decided by the stages around; see [WithWorker]. Without such a stage, Work only calls
// [Yield].
func Work(ctx context.Context) (done func(), err error) { return WorkAfter(ctx, nil) }

// WorkAfter is Work for a call that must wait for something of its own first, and holds no slot
// while it does.
func WorkAfter(ctx context.Context, wait func(context.Context) error) (done func(), err error) {
	return WorkerOf(ctx)(ctx, wait)
}

// WithWorker returns a context in which w decides when work may begin. A stage passes it to next;
// to continue with the worker further out it calls [WorkerOf] with the context that it was given.
func WithWorker(ctx context.Context, w Worker) context.Context {
	return context.WithValue(ctx, workerKey{}, w)
}

// WorkerOf returns the worker of ctx; it is never nil.
func WorkerOf(ctx context.Context) Worker {
	if w, ok := ctx.Value(workerKey{}).(Worker); ok {
		return w
	}
	return yielding
}

type workerKey struct{}

// yielding is a Worker that lets all work begin.
func yielding(ctx context.Context, wait func(context.Context) error) (done func(), err error) {
	Yield(ctx)
	if wait != nil {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	return func() {}, nil
}

// YieldAfter lets the message of ctx hold the baton for d at most: then the message yields by
// itself, unless stop was called before. It is for work that is usually quick, such as looking at
// files, so that it is done in its turn, yet never delays others for long.
func YieldAfter(ctx context.Context, d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { Yield(ctx) }).Stop
}
