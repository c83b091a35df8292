package calls

import (
	"context"
	"errors"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// An asker asks the client of a call the questions of a worker.
type asker struct {
	context context.Context
	link    *link
	call    handlers.ToolCall
	stop    context.CancelFunc
	asking  sync.WaitGroup

	mu   sync.Mutex
	open map[int]context.CancelCauseFunc // unanswered questions, by number
}

func newAsker(ctx context.Context, l *link, call handlers.ToolCall) *asker {
	a := &asker{link: l, call: call, open: make(map[int]context.CancelCauseFunc)}
	a.context, a.stop = context.WithCancel(ctx)
	return a
}

// end cancels open questions and returns when all of them have ended.
func (a *asker) end() {
	a.stop()
	a.asking.Wait()
}

// ask asks the client, and sends its answers to the worker.
func (a *asker) ask(q questions) {
	a.mu.Lock()
	if a.open[q.Number] != nil { // no worker numbers two alike
		a.mu.Unlock()
		return
	}
	ctx, cancel := context.WithCancelCause(a.context)
	a.open[q.Number] = cancel
	a.mu.Unlock()
	a.asking.Go(func() {
		defer a.forget(q.Number)
		given, err := a.answer(ctx, q)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = a.link.send(a.context, kindAnswer, given)
		}
		if err != nil {
			_ = a.link.send(a.context, kindAnswer, without(q, err)) // fails if the link is broken, which ends the call
		}
	})
}

// without returns the answers to questions that have none.
func without(q questions, why error) answers {
	given := answers{Number: q.Number, Error: why.Error()}
	for range q.Questions {
		given.Answers = append(given.Answers, answer{Error: why.Error()})
	}
	return given
}

// errDismissed is why a question is cancelled. It is shown to the client.
var errDismissed = errors.New("the script waits for the answer no longer")

// dismiss cancels questions whose answers are no longer needed.
func (a *asker) dismiss(number int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.open[number]; cancel != nil {
		cancel(errDismissed)
	}
}

func (a *asker) forget(number int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[number](nil)
	delete(a.open, number)
}

func (a *asker) answer(ctx context.Context, q questions) (given answers, err error) {
	defer caught(a.link.peer.Log, a.call.Tool.Name, &err)
	given.Number = q.Number
	switch {
	case len(q.Questions) > 0 && a.call.Ask != nil:
		var all []sdk.Question
		for _, one := range q.Questions {
			all = append(all, sdk.Question(one))
		}
		for _, one := range a.call.Ask(ctx, all...) {
			text := answer{Result: one.Result}
			if one.Err != nil {
				text = answer{Error: one.Err.Error(), Unsupported: errors.Is(one.Err, sdk.ErrUnsupported)}
			}
			given.Answers = append(given.Answers, text)
		}
	case len(q.Questions) == 0 && a.call.Roots != nil:
		given.Folders, err = a.call.Roots(ctx)
	}
	return given, err
}
