package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// A documentedError is an error in docs/ERRORS.md: its code, or "" for the text of a
// tool's result, and a pattern of its text; nil for any text.
type documentedError struct {
	code string
	text *regexp.Regexp
}

var (
	errorRow      = regexp.MustCompile(`(?m)^\| (-\d+) \| (.*?) \| (with workers: |over HTTP: )?`)
	failureRow    = regexp.MustCompile("(?m)^\\| (`(?:Tool|The tool).*?`) \\| ")
	quoted        = regexp.MustCompile("`([^`]+)`")
	placeholder   = regexp.MustCompile(`\b(ID|NAME|RULE|REASON|N)\b|…`)
	plainMeanings = []string{"parse error", "invalid request", "method not found", "invalid params", "internal error"}
)

// documentedErrors returns the errors of the tables of codes and of failures.
func documentedErrors(t *testing.T) (all []documentedError) {
	t.Helper()
	text, err := os.ReadFile("../docs/ERRORS.md")
	if err != nil {
		t.Fatal(err)
	}
	codes, failures, _ := strings.Cut(string(text), "\n## Tools that fail")
	failures, _, _ = strings.Cut(failures, "\n## ")
	add := func(code, forms string) {
		for _, form := range quoted.FindAllStringSubmatch(forms, -1) {
			pattern := placeholder.ReplaceAllString(regexp.QuoteMeta(form[1]), ".+")
			all = append(all, documentedError{code, regexp.MustCompile("^" + pattern)})
		}
	}
	for _, row := range errorRow.FindAllStringSubmatch(codes, -1) {
		if row[3] != "" { // not of this server; see the tests of internal/natscluster/calls and of handlers
			continue
		}
		add(row[1], row[2])
		if slices.Contains(plainMeanings, row[2]) {
			all = append(all, documentedError{row[1], nil})
		}
	}
	for _, row := range failureRow.FindAllStringSubmatch(failures, -1) {
		add("", row[1])
	}
	return all
}

// faults are a project in which everything goes wrong.
var faults = map[string]string{
	"tools/fails/tool.sh":         "#!/bin/sh\nexit 3\n",
	"tools/forbidden/tool.sh":     "#!/bin/sh\n",
	"tools/nostart/tool.sh":       "#!/no/such/interpreter\n",
	"tools/long/tool.sh":          "#!/bin/sh\nprintf %300s x\n",
	"tools/wrong/tool.sh":         "#!/bin/sh\necho '{}'\n",
	"tools/wrong/tool.meta.json":  `{"outputSchema":{"type":"object","required":["n"]}}`,
	"tools/block/tool.sh":         "#!/bin/sh\necho '{\"content\":[{\"type\":\"image\",\"data\":\"?\",\"mimeType\":\"image/png\"}]}'\n",
	"tools/slow/tool.sh":          "#!/bin/sh\nsleep 600\n",
	"tools/greedy/tool.sh":        "#!/bin/sh\nwhile :; do :; done\n",
	"tools/greedy/tool.meta.json": `{"limits":{"cpuSeconds":1}}`,
	"prompts/block.sh":            "#!/bin/sh\necho '[{\"content\":{\"type\":\"image\",\"data\":\"?\",\"mimeType\":\"image/png\"}}]'\n",
	"prompts/block.meta.json":     `{}`,
	"resources/large.txt":         strings.Repeat("x", 200),
	"resources/large.meta.json":   `{"uri":"file:///large"}`,
	"providers/broken.sh":         "#!/bin/sh\nexit 5\n",
}

// ruled is a project whose interceptors refuse, hang and fail.
var ruled = map[string]string{
	"interceptors/no.meta.json":     `{"type":"validation","hooks":[{"events":["prompts/list"],"phase":"request"}],"jq":"false"}`,
	"interceptors/late.sh":          "#!/bin/sh\nsleep 600\n",
	"interceptors/late.meta.json":   `{"type":"validation","hooks":[{"events":["resources/list"],"phase":"request"}],"timeoutMs":100}`,
	"interceptors/broken.sh":        "#!/bin/sh\nexit 7\n",
	"interceptors/broken.meta.json": `{"type":"validation","hooks":[{"events":["resources/templates/list"],"phase":"request"}]}`,
}

func TestEveryErrorOfTheDocumentCanBeProduced(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, faults)
	variables := []string{
		"MCPBASH_MAX_RESOURCE_BYTES=100", "MCPBASH_MAX_TOOL_OUTPUT_SIZE=200", "MCPBASH_TOOL_ALLOWLIST=fails nostart long wrong block slow greedy",
		"MCPBASH_MAX_CONCURRENT_REQUESTS=1",
	}
	var answers []string
	s := alone(t, project, variables...)
	ask := func(method, params string) { answers = append(answers, "{"+s.ask(method, params)+"}") }
	hear := func(line string) {
		s.send(line)
		answer, _ := s.recv("the refusal of " + line)
		answers = append(answers, answer)
	}
	hear("{")
	hear(`{"jsonrpc":"2.0","id":1}`)
	ask("tools/list", "")
	ask("exit", "")
	ask("foo/bar", claimed("", "{}"))
	ask("tools/list", claimed(`{"cursor":"x"}`, "{}"))
	ask("server/discover", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}`)
	ask("tasks/get", claimed(`{"taskId":"x"}`, "{}"))
	ask("tasks/get", claimed(`{"taskId":"x"}`, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`))
	for _, more := range []string{`"name":"fails","requestState":"x"`, `"name":"none"`, `"name":"forbidden"`, `"name":"fails"`, `"name":"nostart"`, `"name":"long"`, `"name":"wrong"`, `"name":"block"`, `"name":"greedy"`} {
		ask("tools/call", claimed(`{`+more+`}`, "{}"))
	}
	ask("prompts/get", claimed(`{"name":"block"}`, "{}"))
	for _, uri := range []string{"file:///a%2Fb", "https://example.com/", "nosuch://x", "file://" + project + "/resources/large.txt", "broken://x"} {
		ask("resources/read", claimed(`{"uri":"`+uri+`"}`, "{}"))
	}
	ask("shutdown", "")
	ask("ping", "")
	s = open(t, project, "2025-11-25", "{}", variables...)
	ask("resources/read", `{"uri":"nosuch://x"}`)
	for i := range 1030 { // one runs, 1024 wait
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow"}}`, i))
	}
	busy, _ := s.recv("the refusal of a call that finds no room")
	answers = append(answers, busy)
	s = open(t, project, "2025-11-25", "{}", "MCPBASH_MAX_REQUESTS_PER_MIN=1")
	ask("tools/list", "")
	ask("tools/list", "")

	s = open(t, newProject(t, ruled), "2025-11-25", "{}")
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
		ask(method, "")
	}

	documented := documentedErrors(t)
	is.True(len(documented) > 25)
	for _, want := range documented {
		if !slices.ContainsFunc(answers, want.is) {
			t.Errorf("no answer is the documented %s %v", want.code, want.text)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(answers, "\n"))
	}
}

// is reports whether an answer is this error.
func (e documentedError) is(answer string) bool {
	var a struct {
		Error *struct {
			Code    json.Number
			Message string
		}
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if json.Unmarshal([]byte(answer), &a) != nil {
		return false
	}
	switch {
	case a.Error != nil:
		return a.Error.Code.String() == e.code && (e.text == nil || e.text.MatchString(a.Error.Message))
	case a.Result.IsError && len(a.Result.Content) > 0:
		return e.code == "" && e.text.MatchString(a.Result.Content[0].Text)
	}
	return false
}
