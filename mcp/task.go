package mcp

import (
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// ExtensionTasks and ExtensionUI name extensions in capabilities.
const (
	ExtensionTasks = "io.modelcontextprotocol/tasks"
	ExtensionUI    = "io.modelcontextprotocol/ui"
)

// UIMIMEType is the MIME type of the pages of ExtensionUI (AP-02).
const UIMIMEType = "text/html;profile=mcp-app"

// KeyTaskName is the key, in _meta of a task, of the name of the tool that it runs. It is an extension of ours.
const KeyTaskName = "mcpbash/name"

// A TaskStatus is the status of a task.
type TaskStatus string

const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed" // by an error of the protocol, not of the tool (TX-08)
	TaskCancelled     TaskStatus = "cancelled"
)

// A Task is a call that continues without its request, as in the extension
// io.modelcontextprotocol/tasks (TX-05). Durations are in milliseconds, times in RFC 3339.
type Task struct {
	TaskID         string     `json:"taskId"`
	Status         TaskStatus `json:"status"`
	CreatedAt      string     `json:"createdAt"`
	LastUpdatedAt  string     `json:"lastUpdatedAt"`
	PollIntervalMs int64      `json:"pollIntervalMs,omitzero"`
	StatusMessage  string     `json:"statusMessage,omitzero"`

	InputRequests map[string]InputRequest `json:"inputRequests,omitzero"` // of input_required
	Outcome       any                     `json:"result,omitzero"`        // of completed
	Error         *jsonrpc2.Error         `json:"error,omitzero"`         // of failed
}

// TaskResult is a task as a result, including how long it is kept, and as the params of
// notifications/tasks.
type TaskResult struct {
	Task
	Result
}

type taskEndKey struct{}

// WithTaskEnd returns the context of a call of which ended is told how the task has ended that it may become.
func WithTaskEnd(ctx context.Context, ended func(TaskResult)) context.Context {
	return context.WithValue(ctx, taskEndKey{}, ended)
}

// TaskEnd returns what is to be told of the end of the task that the call of ctx becomes.
func TaskEnd(ctx context.Context) (ended func(TaskResult)) {
	if ended, _ = ctx.Value(taskEndKey{}).(func(TaskResult)); ended == nil {
		ended = func(TaskResult) {}
	}
	return ended
}

// TaskParams identify a task.
type TaskParams struct {
	TaskID string `json:"taskId"`
	Params
}

// UpdateTaskParams are answers to questions of a task.
type UpdateTaskParams struct {
	TaskID         string          `json:"taskId"`
	InputResponses json.RawMessage `json:"inputResponses"`
	Params
}

// TaskSupport is whether calls of a tool may or must become tasks; "" means that those may that take long.
type TaskSupport string

const (
	TaskOptional  TaskSupport = "optional"
	TaskRequired  TaskSupport = "required"
	TaskForbidden TaskSupport = "forbidden"
)
