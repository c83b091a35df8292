package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// notices are the notifications to a session's client that none of its requests causes: of changed
// lists, of faults of the project. One goroutine sends them, so a client that reads slowly blocks
// neither the watch nor other clients; those left at the end of the session are sent then.
// Notifications that are due before the client is ready are kept until it is; equal ones are kept
// once.
type notices struct {
	session *session

	once  sync.Once
	woken chan struct{} // has a value when there is something to send

	sending sync.Mutex // held while sending, to keep the order

	mu     sync.Mutex
	lists  catalog.Kinds    // changed, for the session
	listen catalog.Kinds    // changed, for streams of changes
	tasks  []mcp.TaskResult // changed, for streams of changes; at most maxTasks
	logs   []mcp.LogParams  // at most maxLogs
	missed int              // log messages beyond that
}

const (
	maxLogs  = 50  // log messages that wait for a session
	maxTasks = 256 // changes of tasks; a client that reads so slowly misses the oldest
)

// changed notes that lists have changed.
func (n *notices) changed(lists catalog.Kinds) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lists |= lists
	n.listen |= lists
	n.wake()
}

// task notes that a task has changed.
func (n *notices) task(t mcp.TaskResult) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.tasks) >= maxTasks {
		n.tasks = n.tasks[1:]
	}
	n.tasks = append(n.tasks, t)
	n.wake()
}

// log notes a log message.
func (n *notices) log(p mcp.LogParams) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.logs) >= maxLogs {
		n.missed++
		return
	}
	n.logs = append(n.logs, p)
	n.wake()
}

// prepend puts log messages before the newer ones.
func (n *notices) prepend(older []mcp.LogParams) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(older) > 0 {
		n.logs = append(older, n.logs...)
		n.wake()
	}
}

func (n *notices) init() { n.once.Do(func() { n.woken = make(chan struct{}, 1) }) }

func (n *notices) wake() {
	n.init()
	select {
	case n.woken <- struct{}{}:
	default:
	}
}

// run sends the notifications until ctx ends.
func (n *notices) run(ctx context.Context) {
	n.init()
	confirmed := n.session.confirmed
	for {
		select {
		case <-confirmed:
			confirmed = nil
		case <-n.woken:
		case <-ctx.Done():
			return
		}
		n.send(ctx)
	}
}

// send sends what is pending: to streams of changes in any case, to the session once it is
// confirmed.
func (n *notices) send(ctx context.Context) {
	n.sending.Lock()
	defer n.sending.Unlock()
	ready := false
	select {
	case <-n.session.confirmed:
		ready = true
	default:
	}
	n.mu.Lock()
	listen, tasks, lists, logs, missed := n.listen, n.tasks, n.lists, n.logs, n.missed
	n.listen, n.tasks = 0, nil
	if ready {
		n.lists, n.logs, n.missed = 0, nil, 0
	}
	n.mu.Unlock()
	for _, c := range changesOf(listen) {
		n.session.families.Listens.Changed(c)
	}
	for _, t := range tasks {
		n.session.families.Listens.TaskChanged(t)
	}
	if !ready {
		return
	}
	for _, p := range logs {
		n.notifyLog(ctx, p)
	}
	if missed > 0 {
		n.notifyLog(ctx, mcp.LogParams{Level: mcp.Warning, Logger: ProjectLogger,
			Data: fmt.Sprintf("and %d more; `mcp-bash validate` shows all of them", missed)})
	}
	for _, c := range changesOf(lists) {
		n.notify(ctx, c.Method(), nil)
	}
}

// notifyLog sends a log message, if the client wants its level.
func (n *notices) notifyLog(ctx context.Context, p mcp.LogParams) {
	if n.session.agreed.Level().Covers(p.Level) {
		n.notify(ctx, "notifications/message", p)
	}
}

// notify sends a notification.
func (n *notices) notify(ctx context.Context, method string, params any) {
	if err := n.session.pipeline.Notify(ctx, method, params); err != nil {
		n.session.server.log.Debug("notification not sent", "method", method, "error", err)
	}
}

// changesOf returns the changes in terms of the protocol, in a fixed order.
func changesOf(lists catalog.Kinds) (changes []handlers.Change) {
	for _, c := range []struct {
		lists  catalog.Kinds
		change handlers.Change
	}{
		{catalog.Tools, handlers.ToolsChanged},
		{catalog.Resources | catalog.Templates, handlers.ResourcesChanged},
		{catalog.Prompts, handlers.PromptsChanged},
	} {
		if lists.Has(c.lists) {
			changes = append(changes, c.change)
		}
	}
	return changes
}
