package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A record is a task as it is stored for all replicas. The replica that runs the task writes it;
// another replica does so only if that one is gone.
type record struct {
	Replica string `json:"replica"`         // that runs the task
	Caller  string `json:"caller,omitzero"` // whom it belongs to
	// of a task that has ended: when it is forgotten, in milliseconds since 1970
	Until   int64           `json:"until,omitzero"`
	Lost    bool            `json:"lost,omitzero"`    // another replica has written that it failed
	Task    mcp.TaskResult  `json:"task"`             // without its outcome
	Outcome json.RawMessage `json:"outcome,omitzero"` // as the script returned it
}

// encode returns a record as it is stored.
func (r record) encode() ([]byte, error) {
	if r.Task.Outcome != nil {
		outcome, err := pipeline.Encode(r.Task.Outcome)
		if err != nil {
			return nil, err
		}
		r.Outcome, r.Task.Outcome = outcome.Bytes(), nil
	}
	whole, err := pipeline.Encode(r)
	return whole.Bytes(), err
}

// decodeRecord decodes a record, to the zero value if nothing is stored.
func decodeRecord(value []byte) (r record, err error) {
	if value == nil {
		return r, nil
	}
	err = json.Unmarshal(value, &r)
	if r.Outcome != nil {
		r.Task.Outcome = r.Outcome
	}
	return r, err
}

// An order is a request of another replica to the one that runs a task.
type order struct {
	Task      string          `json:"task"`
	Cancel    bool            `json:"cancel,omitzero"`
	Responses json.RawMessage `json:"responses,omitzero"`
}

var (
	errTaskLost    = errors.New("the other replicas gave up this task because they could not reach this one")
	errReplicaGone = errors.New("the replica that ran the task is gone; the task was not run again")
)

// sharePause is how long to wait before the next attempt to store a record, shareTime how long an
// attempt may take.
const (
	sharePause = time.Second
	shareTime  = 40 * time.Second
)

func taskKey(id string) string { return "task-" + id }

func hasEnded(s mcp.TaskStatus) bool { return s != mcp.TaskWorking && s != mcp.TaskInputRequired }

// share stores the status of a task for the other replicas, unless it has not changed.
func (t *Tasks) share(task *task) error {
	task.sharing.Lock()
	defer task.sharing.Unlock()
	now, is := t.refresh(task) // all replicas report the same time of the change
	if is == task.shared {
		return nil
	}
	r := record{Replica: t.Replica, Caller: task.caller, Task: now}
	if hasEnded(now.Status) {
		r.Until = time.Now().Add(t.lifetime()).UnixMilli()
	}
	value, err := r.encode()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), shareTime)
	defer cancel()
	version, err := t.Cluster.Keep(ctx, taskKey(task.id), value, task.version)
	if errors.Is(err, ErrConflict) {
		version, err = t.retryShare(ctx, task, value)
	}
	if err != nil {
		return err
	}
	task.shared, task.version = is, version
	if r.Until != 0 {
		task.recorded = len(value)
	}
	if task.announced {
		t.announce(task.id)
	}
	task.announced = true // the first time its client learns of it from the answer to its call
	return nil
}

// retryShare stores the record of a task after a conflict: the stored record may be from an attempt that
// has timed out, or have expired. The error is ErrConflict if the task was given up.
func (t *Tasks) retryShare(ctx context.Context, task *task, value []byte) (uint64, error) {
	found, version, err := t.Cluster.Look(ctx, taskKey(task.id))
	if err != nil {
		return 0, err
	}
	if r, err := decodeRecord(found); err == nil && r.Lost {
		return 0, ErrConflict
	}
	return t.Cluster.Keep(ctx, taskKey(task.id), value, version)
}

// announce notifies the other replicas that a task has changed.
func (t *Tasks) announce(id string) {
	news, _ := json.Marshal(news{Task: id})
	if err := t.Cluster.Tell(news); err != nil {
		t.Log.Debug("other replicas not notified that a task has changed", "task", id, "error", err)
	}
}

// lookupOwn is lookup for the tasks of the caller of ctx. Those of others do not exist for it.
func (t *Tasks) lookupOwn(ctx context.Context, id string) (record, error) {
	r, err := t.lookup(ctx, id)
	if err == nil && r.Caller != mcp.CallerOf(ctx).ID {
		return record{}, unknownTask(id)
	}
	return r, err
}

// lookup returns a task that another replica runs or has run. A task whose replica is gone has
// failed.
func (t *Tasks) lookup(ctx context.Context, id string) (r record, err error) {
	pipeline.Yield(ctx)
	for attempts := 1; ; attempts++ {
		value, version, err := t.Cluster.Look(ctx, taskKey(id))
		if err != nil {
			return r, stateUnknown(id, err)
		}
		if r, err = decodeRecord(value); err != nil {
			return r, stateUnknown(id, err)
		}
		if value == nil || r.Until != 0 && time.Now().UnixMilli() >= r.Until {
			return r, unknownTask(id)
		}
		if hasEnded(r.Task.Status) {
			return r, nil
		}
		alive, err := t.Cluster.Alive(ctx, r.Replica)
		if err != nil {
			return r, stateUnknown(id, err)
		}
		if alive {
			return r, nil
		}
		switch err := t.markLost(ctx, &r, version); {
		case err == nil:
			return r, nil
		case !errors.Is(err, ErrConflict) || attempts >= 3:
			return r, stateUnknown(id, err)
		}
	}
}

// markLost records that a task has failed because its replica is gone.
func (t *Tasks) markLost(ctx context.Context, r *record, version uint64) error {
	failure := pipeline.WireError(fmt.Errorf("%w: %w", pipeline.ErrInternal, errReplicaGone))
	r.Task.Status, r.Task.Error, r.Task.StatusMessage = mcp.TaskFailed, failure, failure.Message
	r.Task.InputRequests, r.Lost = nil, true
	r.Task.LastUpdatedAt = timestamp(time.Now())
	r.Until = time.Now().Add(t.lifetime()).UnixMilli()
	value, err := r.encode()
	if err != nil {
		return err
	}
	if _, err := t.Cluster.Keep(ctx, taskKey(r.Task.TaskID), value, version); err != nil {
		return err
	}
	t.Log.Warn("a task has failed: the replica that ran it is gone", "task", r.Task.TaskID, "replica", r.Replica)
	t.announce(r.Task.TaskID)
	return nil
}

// sendOrder sends an order to the replica that runs a task. A task that has ended stays as it is.
func (t *Tasks) sendOrder(ctx context.Context, o order) error {
	r, err := t.lookupOwn(ctx, o.Task)
	if err != nil || hasEnded(r.Task.Status) {
		return err
	}
	question, err := json.Marshal(o)
	if err != nil {
		return err
	}
	answer, err := t.Cluster.Ask(ctx, r.Replica, question)
	if err != nil {
		return stateUnknown(o.Task, err)
	}
	if string(answer) != orderDone { // it was forgotten meanwhile
		return unknownTask(o.Task)
	}
	return nil
}

// orderDone is the answer to an order that was carried out.
const orderDone = "ok"

// executeOrder carries out an order of another replica, and returns when all replicas see the result.
func (t *Tasks) executeOrder(question []byte) []byte {
	var o order
	if err := json.Unmarshal(question, &o); err != nil {
		return nil
	}
	task := t.local(o.Task)
	if task == nil {
		return nil
	}
	if o.Cancel {
		t.cancel(task)
	} else if responses, err := responsesOf(o.Responses); err == nil {
		task.conversation.Answer(responses)
		t.refresh(task)
	}
	if err := t.share(task); err != nil {
		t.Log.Debug("cannot share the status of a task", "task", task.id, "error", err)
	}
	return []byte(orderDone)
}

// changedElsewhere reports a change of another replica's task to the listeners on this replica.
func (t *Tasks) changedElsewhere(ctx context.Context, id string) {
	if t.Watched == nil || !t.Watched(id) || t.local(id) != nil {
		return
	}
	t.hearing.Lock() // a later look must not be reported before an earlier one
	defer t.hearing.Unlock()
	if r, err := t.lookup(ctx, id); err == nil {
		t.Changed(r.Task)
	}
}

// stateUnknown is the error if the status of another replica's task is unknown.
func stateUnknown(id string, err error) error {
	return fmt.Errorf("%w: task %s, which runs on another replica: %w", pipeline.ErrInternal, id, err)
}

func unknownTask(id string) error { return pipeline.Errorf(-32602, "Unknown task: %s", id) }
