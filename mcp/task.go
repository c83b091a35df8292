package mcp

import (
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

// A TaskStatus is how far a task has come.
type TaskStatus string

const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed" // by an error of the protocol, not of the tool (TX-08)
	TaskCancelled     TaskStatus = "cancelled"
)

// A Task is a call that goes on without its request, as in the extension
// io.modelcontextprotocol/tasks (TX-05). Times are in milliseconds, moments as
// in RFC 3339.
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

// TaskResult is a task as a result, which says how long it is kept, and as the
// params of notifications/tasks.
type TaskResult struct {
	Task
	Result
}

// TaskParams name a task.
type TaskParams struct {
	TaskID string `json:"taskId"`
	Params
}

// UpdateTaskParams answer questions of a task.
type UpdateTaskParams struct {
	TaskID         string          `json:"taskId"`
	InputResponses json.RawMessage `json:"inputResponses"`
	Params
}

// TaskSupport says whether calls of a tool may or must go on as tasks; "" is
// optional.
type TaskSupport string

const (
	TaskOptional  TaskSupport = "optional"
	TaskRequired  TaskSupport = "required"
	TaskForbidden TaskSupport = "forbidden"
)
