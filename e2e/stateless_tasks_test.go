package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// aTask is the answer to a call that becomes a task, or to tasks/get.
type aTask struct {
	Result struct {
		ResultType, TaskID, Status, StatusMessage string
		InputRequests                             map[string]any
		Result                                    struct{ Content []struct{ Text string } }
		Error                                     *struct{ Code int }
	}
}

// task calls a method of a task, or a tool that becomes one.
func (s *server) task(method, params string) (got aTask) {
	s.t.Helper()
	if err := json.Unmarshal([]byte("{"+s.ask(method, claimed(params, everything))+"}"), &got); err != nil {
		s.t.Fatal(err)
	}
	return got
}

// status waits until a task has a status.
func (s *server) status(id, status string) aTask {
	s.t.Helper()
	for {
		if got := s.task("tasks/get", `{"taskId":"`+id+`"}`); got.Result.Status == status {
			return got
		} else if got.Result.Status == "" {
			s.t.Fatalf("no task %s", id)
		}
	}
}

func TestACallThatTakesLongGoesOnAsATask(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"tools/long/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
until [[ -e go ]]; do sleep 0.05; done
mcp_progress 50 "half way"
mcp_elicit_confirm "Go on?"
`,
		"tools/fails/tool.sh":        "#!/bin/sh\nuntil [ -e go ]; do sleep 0.05; done\necho no >&2\nexit 3\n",
		"tools/must/tool.sh":         "#!/bin/sh\nsleep 60\n",
		"tools/must/tool.meta.json":  `{"taskSupport":"required"}`,
		"tools/never/tool.sh":        "#!/bin/sh\nsleep 0.5\necho done\n",
		"tools/never/tool.meta.json": `{"taskSupport":"forbidden"}`,
	})
	s := alone(t, project, "MCPBASH_TASK_AFTER_SECS=0.1")
	is.True(strings.Contains(s.ask("server/discover", claimed("", "{}")), `"io.modelcontextprotocol/tasks":{}`)) // TX-01
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"never"}`, everything)), "done"))
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"must"}`, "{}")), `"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)) // TX-03
	long := s.task("tools/call", `{"name":"long"}`).Result
	is.Equal(long.ResultType, "task") // TX-04
	is.Equal(long.Status, "working")
	fails := s.task("tools/call", `{"name":"fails"}`).Result
	is.Equal(s.task("tasks/get", `{"taskId":"`+long.TaskID+`"}`).Result.Status, "working")                        // TX-06
	is.True(strings.Contains(s.ask("tasks/get", claimed(`{"taskId":"`+long.TaskID+`"}`, "{}")), `"code":-32021`)) // TX-12
	write(t, filepath.Join(project, "go"), "")
	asked := s.status(long.TaskID, "input_required").Result
	is.Equal(len(asked.InputRequests), 1)
	for key := range asked.InputRequests {
		is.True(strings.Contains(s.ask("tasks/update", claimed(`{"taskId":"`+long.TaskID+`","inputResponses":{"`+key+`":{"action":"accept","content":{"confirmed":true}}}}`, everything)), `"resultType":"complete"`)) // TX-09
	}
	done := s.status(long.TaskID, "completed").Result
	is.Equal(done.ResultType, "complete")
	is.True(strings.Contains(done.Result.Content[0].Text, "true"))          // TX-07
	is.Equal(s.status(fails.TaskID, "completed").Result.Error == nil, true) // TX-08: the tool failed, not the protocol
	must := s.task("tools/call", `{"name":"must"}`).Result
	is.Equal(s.task("tasks/cancel", `{"taskId":"`+must.TaskID+`"}`).Result.ResultType, "complete") // TX-10
	s.status(must.TaskID, "cancelled")
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		is.True(strings.Contains(s.ask(method, claimed(`{"taskId":"none"}`, everything)), `"code":-32602`)) // TX-11
	}
	for _, method := range []string{"tasks/result", "tasks/list"} {
		is.True(strings.Contains(s.ask(method, claimed(`{"taskId":"none"}`, everything)), `"code":-32601`)) // TX-13
	}
	s.in.Close()
	is.Equal(s.wait(), 0)
}
