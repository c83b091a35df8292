package handlers

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// refresh checks whether the status of a task has changed, and if so records and reports it.
// It returns the task, and its state as of [stateOf].
func (t *Tasks) refresh(task *task) (now mcp.TaskResult, is string) {
	task.mu.Lock()
	defer task.mu.Unlock()
	now = t.describe(task)
	is = stateOf(now)
	if is == task.known {
		return now, is
	}
	task.known, task.updated = is, time.Now()
	now.LastUpdatedAt = timestamp(task.updated)
	if t.Changed != nil {
		t.Changed(now)
	}
	return now, is
}

// stateOf returns a text that is equal as long as nothing about a task has changed that clients
// see.
func stateOf(now mcp.TaskResult) string {
	is := string(now.Status)
	for _, key := range slices.Sorted(maps.Keys(now.InputRequests)) {
		is += "\x00" + key
	}
	return is
}

// outline returns the task as working, whatever its status is (TX-05). task.mu is held, or the task
// is not shared yet.
func (t *Tasks) outline(task *task) mcp.TaskResult {
	ttl := t.lifetime().Milliseconds()
	result := mcp.TaskResult{Result: mcp.Result{TTL: &ttl}}
	result.SetMeta(mcp.KeyTaskName, task.name)
	result.TaskID = task.id
	result.CreatedAt, result.LastUpdatedAt = timestamp(task.created), timestamp(task.updated)
	result.PollIntervalMs = pollInterval.Milliseconds()
	result.Status = mcp.TaskWorking
	return result
}

// describe returns a task as a client sees it (TX-07, TX-08). task.mu is held.
func (t *Tasks) describe(task *task) mcp.TaskResult {
	result := t.outline(task)
	open := task.conversation.Open()
	select {
	case <-task.conversation.Done():
		outcome, err := outcome(task.conversation)
		switch {
		case task.cancelled || errors.Is(err, errTaskCancelled):
			result.Status = mcp.TaskCancelled
		case err != nil:
			failure := task.revision.Fault(pipeline.WireError(err)) // N-14
			result.Status, result.Error, result.StatusMessage = mcp.TaskFailed, failure, failure.Message
		default:
			result.Status, result.Outcome = mcp.TaskCompleted, outcome
		}
	default:
		switch {
		case task.cancelled:
			result.Status = mcp.TaskCancelled
		case len(open) > 0:
			result.Status, result.InputRequests = mcp.TaskInputRequired, requests(open, mcp.Trace{})
		}
	}
	return result
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
