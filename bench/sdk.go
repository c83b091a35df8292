package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

// sdk compares the shell SDK with a bash that does nothing, and its access to an
// argument with a jq process. No other server has such an SDK.
func (b *bench) sdk() error {
	structured := b.add(row{name: "tool with the SDK, structured result, p10",
		quantile: 0.1, unit: asTime, base: bare, goal: 1.5})
	get := b.add(row{name: "an argument by $(mcp_args_get .name)",
		quantile: 0.5, unit: asTime, base: jqProcess, goal: 0.2})
	into := b.add(row{name: "an argument by mcp_args_get -v", quantile: 0.5, unit: asTime, base: jqProcess, goal: 0.1})
	if structured == nil && get == nil && into == nil {
		return nil
	}
	dir, err := b.project("sdk", project.MakeSDK)
	if err != nil {
		return err
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return err
	}
	c, err := open(b.commands[ours](dir))
	if err != nil {
		return err
	}
	defer c.close()
	for range b.rounds * 10 {
		began := time.Now()
		if err := spawn(bash, "-c", ":"); err != nil {
			return err
		}
		structured.took(bare, began)
		began = time.Now()
		if err := c.callTool(project.Structured); err != nil {
			return err
		}
		structured.took(ours, began)
	}
	if get == nil && into == nil {
		return nil
	}
	jqVersion := ""
	for range max(3, b.rounds/6) {
		line, err := c.call("tools/call",
			`{"name":"`+project.ArgsGet+`","arguments":{"name":"somebody","count":3,"tags":["a","b"]}}`)
		if err != nil {
			return err
		}
		took, err := readTimes(line)
		if err != nil {
			return err
		}
		get.put(ours, took.Substitution)
		into.put(ours, took.Variable)
		if took.Process > 0 {
			get.put(jqProcess, took.Process)
			into.put(jqProcess, took.Process)
		}
		jqVersion = took.Version
	}
	for _, r := range []*row{get, into} {
		if r != nil && jqVersion != "" {
			r.name += ", against a process of " + jqVersion
		}
	}
	return nil
}

// jqProcess is the subject of the rows about arguments that is not a server.
const jqProcess = "jq process"

// times is the output of the tool that measures arguments, in nanoseconds.
type times struct {
	Substitution, Variable, Process float64
	Version                         string
}

func readTimes(line []byte) (t times, err error) {
	var answer struct {
		Result struct{ StructuredContent *times }
	}
	answer.Result.StructuredContent = &t
	if err := json.Unmarshal(line, &answer); err != nil {
		return t, err
	}
	if t.Substitution == 0 {
		return t, fmt.Errorf("the tool that measures arguments answered %s", line)
	}
	return t, nil
}
