package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// marks is a tool that leaves a file when it has run.
const marks = "#!/bin/sh\n: >\"$MCPBASH_PROJECT_ROOT/ran\"\n"

func TestACallThatIsHeldForTheConfirmationCanBeCancelled(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/marks/tool.sh": marks})
	s := alone(t, project)
	s.send(
		`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"marks"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"held"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"held","method":"ping"}`, // the id is free again
	)
	s.until("open")
	answer, before := s.until("held")
	is.Equal(answer, `{"jsonrpc":"2.0","id":"held","result":{}}`)
	is.Equal(len(before), 0)
	s.in.Close()
	is.Equal(len(s.rest()), 0)
	is.Equal(s.wait(), 0)
	_, err := os.Stat(filepath.Join(project, "ran"))
	is.True(os.IsNotExist(err))
}

func TestASecondCallWithTermsAndTheIDOfARunningOneIsRefusedWithoutIt(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, newProject(t, map[string]string{"tools/waits/tool.sh": "#!/bin/sh\nuntil [ -e go ]; do sleep 0.02; done\n"}))
	s.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":` + claimed(`{"name":"waits"}`, "{}") + `}`)
	s.send(`{"jsonrpc":"2.0","id":6,"method":"server/discover","params":` + claimed("", "{}") + `}`)
	refused, _ := s.recv("the refusal")
	is.Equal(refused, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: id 6 belongs to a call that is still running"}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`)
	s.in.Close()
	is.Equal(len(s.rest()), 0)
	is.Equal(s.wait(), 0)
}

func TestAtTheEndOfTheInputNoCallBecomesATask(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, newProject(t, map[string]string{
		"tools/must/tool.sh":        "#!/bin/sh\nsleep 0.3\necho done\n",
		"tools/must/tool.meta.json": `{"taskSupport":"required"}`,
		"tools/long/tool.sh":        "#!/bin/sh\nsleep 0.3\necho done\n",
	}), "MCPBASH_TASK_AFTER_SECS=0.1")
	s.send(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+claimed(`{"name":"long"}`, everything)+`}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+claimed(`{"name":"must"}`, everything)+`}`,
	)
	s.in.Close()
	answers := s.rest()
	is.Equal(len(answers), 2)
	for _, answer := range answers {
		is.True(strings.Contains(answer, "done"))
	}
	is.Equal(s.wait(), 0)
}

func TestCancelledStreamsOfChangesTakeNoPlace(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, newProject(t, map[string]string{"tools/marks/tool.sh": marks}))
	var lines []string
	for i := range 200 { // never more than one is open
		lines = append(lines,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":%s}`, i, claimed(`{"notifications":{"toolsListChanged":true}}`, "{}")),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
	}
	s.send(strings.Join(lines, "\n"))
	s.in.Close()
	for _, line := range s.rest() {
		is.True(!strings.Contains(line, `"error"`))
	}
}
