package handlers

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Tasks are calls that continue without their request, for clients that have declared
// io.modelcontextprotocol/tasks (TX-01 to TX-17). It may be used by several goroutines; a nil Tasks
// takes no call over.
type Tasks struct {
	// After is how long a call may take before it becomes a task; 0: no call does by itself.
	After time.Duration
	// TTL is how long a task is kept after its end, and how long it may run. It is at least ten
	// seconds, so that a client that polls at the suggested interval finds it.
	TTL time.Duration
	// Max is how many tasks may run at once. A call beyond them stays a call.
	Max int
	// Keep is how many bytes ended tasks may take together: their results, and the answers they
	// were given. As they are kept for TTL, a call beyond them stays a call. Zero: 128 MiB.
	Keep int
	// Changed is called with a task whose status has changed; nil: nothing is called.
	Changed func(mcp.TaskResult)
	// Watched reports whether a receiver of Changed watches a task. Nil: none does.
	Watched func(id string) bool
	// Cluster shares tasks with other replicas. Replica is the name of this replica.
	Cluster Cluster
	Replica string
	Log     *slog.Logger

	hearing sync.Mutex // held while a change of another replica's task is passed on

	mu      sync.Mutex
	tasks   map[string]*task
	running int // the number that has not ended
	kept    int // bytes of those that have ended
	closed  bool
	ending  chan struct{}  // closed by Close; nil before the first task
	follows sync.WaitGroup // goroutines in follow
}

// A task is a call that continues without its request.
type task struct {
	id           string
	name         string        // of what was called
	caller       string        // who may see it
	revision     *mcp.Revision // of the call that it was
	conversation *round.Conversation
	created      time.Time
	ended        func(mcp.TaskResult) // is told how it has ended
	forget       *time.Timer          // nil while it runs; guarded by Tasks.mu

	mu        sync.Mutex // guards what follows
	updated   time.Time
	known     string // what it was at updated; see [stateOf]
	cancelled bool

	sharing   sync.Mutex // guards what follows
	shared    string     // what the other replicas see; see [stateOf]
	version   uint64     // of that
	recorded  int        // size of the record in bytes; 0 before the end
	announced bool       // whether the other replicas were notified of the task
}

// pollInterval is how often a client should ask for the status of a task.
const pollInterval = time.Second

// lifetime returns how long a task is kept after its end, and how long it may run.
func (t *Tasks) lifetime() time.Duration { return max(t.TTL, 10*pollInterval) }

// These are causes with which the run of a task ends.
var (
	errTaskCancelled = errors.New("the task was cancelled")
	errTaskExpired   = errors.New("the task exceeded its time limit")
)

var tasksCapability = json.RawMessage(`{"extensions":{"` + mcp.ExtensionTasks + `":{}}}`)

// soon is how long a call waits for a first question, or for a quick result, before it becomes a task
// because its tool says so: what a client is asked at once it is asked by the call (MR-17).
const soon = 500 * time.Millisecond

// takes reports whether a call becomes a task if there is room for it then, and after how long.
func (t *Tasks) takes(ctx context.Context, support mcp.TaskSupport) (after time.Duration, ok bool) {
	switch {
	case t == nil || !mcp.ClaimOf(ctx).Has("tasks") || support == mcp.TaskForbidden:
		return 0, false // TX-02
	case inputEnded(ctx): // nobody could ask for the task
		return 0, false
	case support == mcp.TaskRequired:
		return soon, true
	case support == mcp.TaskOptional: // its author knows that it takes long
		return min(t.After, soon), t.After > 0
	}
	return t.After, t.After > 0
}

// inputEnded reports whether the client of a call sends nothing more.
func inputEnded(ctx context.Context) bool {
	p := pipeline.From(ctx)
	if p == nil {
		return false
	}
	select {
	case <-p.Ending():
		return true
	default:
		return false
	}
}

// requires refuses a call that can only be a task if it cannot become one (TX-03).
func (t *Tasks) requires(ctx context.Context, support mcp.TaskSupport) error {
	if claim := mcp.ClaimOf(ctx); t != nil && support == mcp.TaskRequired && claim != nil && !claim.Has("tasks") {
		return mcp.ErrMissingCapability(tasksCapability)
	}
	return nil
}

// adopt makes a run that has not ended a task: from now on nothing is sent on behalf of its request
// (TX-16). Without room for it, or a client that could ask for it, the run stays a call, and the result is
// nil.
func (t *Tasks) adopt(ctx context.Context, name string, c *round.Conversation) mcp.Enveloped {
	if inputEnded(ctx) {
		return nil
	}
	now := time.Now()
	// TX-17
	task := &task{id: rand.Text(), name: name, caller: mcp.CallerOf(ctx).ID, revision: mcp.ClaimOf(ctx).Revision(),
		conversation: c, created: now, updated: now, known: string(mcp.TaskWorking), ended: mcp.TaskEnd(ctx)}
	if !t.enter(task) {
		return nil
	}
	if err := t.share(task); err != nil { // its client may ask any replica
		t.Log.Warn("a call cannot become a task", "error", err)
		t.withdraw(task)
		return nil
	}
	c.Detach()
	t.Log.Info("a call continues as a task", "task", task.id)
	result := t.outline(task) // tasks/get reports what has become of it since
	result.ResultType = mcp.TaskCreated
	ifHeldBack(ctx, func() { t.cancel(task) })
	go t.follow(task)
	return &result
}

// enter adds a task to the running ones, if there is room for it. The caller must start follow
// then.
func (t *Tasks) enter(k *task) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.running >= t.Max || t.kept >= cmp.Or(t.Keep, 128<<20) {
		return false
	}
	if t.tasks == nil {
		t.tasks = make(map[string]*task)
		t.ending = make(chan struct{})
	}
	t.tasks[k.id] = k
	t.running++
	t.follows.Add(1)
	return true
}

// withdraw undoes enter.
func (t *Tasks) withdraw(task *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tasks, task.id)
	t.running--
	t.follows.Done()
}

// follow reports changes of a task until it has ended, and has it forgotten when its time is over.
func (t *Tasks) follow(task *task) {
	defer t.follows.Done()
	life := time.NewTimer(t.lifetime())
	defer life.Stop()
	for ended := false; !ended; {
		moved := task.conversation.Moved()
		t.refresh(task)
		var again <-chan time.Time
		switch err := t.share(task); {
		case errors.Is(err, ErrConflict):
			task.conversation.End(errTaskLost)
		case err != nil:
			t.Log.Debug("cannot share the status of a task", "task", task.id, "error", err)
			again = time.After(sharePause)
		}
		select {
		case <-moved:
		case <-again:
		case <-task.conversation.Done():
			ended = true
		case <-life.C:
			task.conversation.End(errTaskExpired)
			ended = true
		}
	}
	now, _ := t.refresh(task)
	err := t.share(task)
	t.keep(task)
	task.ended(now)
	for ; err != nil && !errors.Is(err, ErrConflict) && t.local(task.id) != nil; err = t.share(task) {
		t.Log.Debug("cannot share the end of a task", "task", task.id, "error", err)
		select {
		case <-t.ending:
			return
		case <-time.After(sharePause):
		}
	}
}

// keep keeps a task for its time after its end.
func (t *Tasks) keep(task *task) {
	size := task.size()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.kept += size
	task.forget = time.AfterFunc(t.lifetime(), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.tasks, task.id)
		t.kept -= size
	})
}

// taskBytes is roughly what a task takes besides its result.
const taskBytes = 4 << 10

// size returns roughly how many bytes an ended task takes.
func (k *task) size() int {
	k.sharing.Lock()
	defer k.sharing.Unlock()
	size := taskBytes + k.recorded
	if k.recorded == 0 { // it is not yet shared with the other replicas
		result, _ := k.conversation.Result()
		text, _ := json.Marshal(result)
		size += len(text)
	}
	for _, g := range k.conversation.Given() {
		size += len(g.Result)
	}
	return size
}

// Working reports whether a task has not ended.
func (t *Tasks) Working() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running > 0
}

// Get answers tasks/get.
func (t *Tasks) Get(ctx context.Context, p mcp.TaskParams) (result mcp.TaskResult, err error) {
	task, err := t.find(ctx, p.TaskID)
	if err != nil {
		return result, err
	}
	if task == nil {
		r, err := t.lookupOwn(ctx, p.TaskID)
		return r.Task, err
	}
	t.refresh(task)
	task.mu.Lock()
	defer task.mu.Unlock()
	return t.describe(task), nil
}

// Update answers tasks/update: it gives a task answers to its questions. Some answers are enough,
// and unknown ones are ignored. If an answer is not valid its question is asked again (TX-09).
func (t *Tasks) Update(ctx context.Context, p mcp.UpdateTaskParams) (result mcp.Empty, err error) {
	task, err := t.find(ctx, p.TaskID)
	if err != nil {
		return result, err
	}
	responses, err := responsesOf(p.InputResponses)
	switch {
	case err != nil:
		return result, err
	case responses == nil:
		return result, fmt.Errorf("%w: /inputResponses is missing: it answers the questions of the task",
			pipeline.ErrInvalidParams)
	}
	if task == nil {
		return result, t.sendOrder(ctx, order{Task: p.TaskID, Responses: p.InputResponses})
	}
	task.conversation.Answer(responses)
	return result, nil
}

// Cancel answers tasks/cancel: it ends the run. A task that has ended stays as it is (TX-10).
func (t *Tasks) Cancel(ctx context.Context, p mcp.TaskParams) (result mcp.Empty, err error) {
	task, err := t.find(ctx, p.TaskID)
	if err != nil {
		return result, err
	}
	if task == nil {
		return result, t.sendOrder(ctx, order{Task: p.TaskID, Cancel: true})
	}
	t.cancel(task)
	return result, nil
}

func (t *Tasks) cancel(task *task) {
	if task.cancel() {
		go task.conversation.End(errTaskCancelled)
		t.refresh(task)
	}
}

// cancel reports whether the task can still be cancelled: an end that was reported to a client
// stays.
func (k *task) cancel() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.conversation.Done():
		return false
	default:
		k.cancelled = true
		return true
	}
}

// find returns the task of an id, for a client that supports tasks (TX-11, TX-12); nil if this
// replica runs no such task of the caller.
func (t *Tasks) find(ctx context.Context, id string) (*task, error) {
	if !mcp.ClaimOf(ctx).Has("tasks") {
		return nil, mcp.ErrMissingCapability(tasksCapability)
	}
	return t.own(ctx, id), nil
}

// own returns the task of an id if it belongs to the caller of ctx, nil if this replica runs no such task.
func (t *Tasks) own(ctx context.Context, id string) *task {
	if task := t.local(id); task != nil && task.caller == mcp.CallerOf(ctx).ID {
		return task
	}
	return nil
}

// local returns the task of an id, nil if this replica does not run it.
func (t *Tasks) local(id string) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tasks[id]
}

// Has reports whether the caller has a task of an id, here or on another replica.
func (t *Tasks) Has(ctx context.Context, id string) bool {
	if t.own(ctx, id) != nil {
		return true
	}
	_, err := t.lookupOwn(ctx, id)
	return err == nil
}

// Close ends all tasks and returns when they have ended. After that no task is found, and no call
// becomes one.
func (t *Tasks) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	if t.ending != nil && !t.closed {
		close(t.ending)
	}
	t.closed = true
	for _, task := range t.tasks {
		t.follows.Go(func() { task.conversation.End(errTaskCancelled) })
	}
	t.mu.Unlock()
	t.follows.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, task := range t.tasks {
		task.forget.Stop()
	}
	t.tasks = nil
}
