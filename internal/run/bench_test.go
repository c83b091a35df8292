package run

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkNoOp calls a script that does nothing and runs the same script with
// os/exec alone, one after the other, so that both meet the same machine.
func BenchmarkNoOp(b *testing.B) {
	r := newRuntime(b)
	_ = r.Runner.Adopt() // fails when it is not the first
	r.Reuse = true
	tool := newTool(b, r, "#!/bin/bash\n:\n")
	c := new(heard).call(tool)
	bare := func() {
		var out, err bytes.Buffer
		cmd := exec.Command(tool.Path)
		cmd.Env, cmd.Stdout, cmd.Stderr = r.Env(), &out, &err
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
	call := func() {
		if _, err := r.Call(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	var bareTook, callTook time.Duration
	for b.Loop() {
		start := time.Now()
		bare()
		middle := time.Now()
		call()
		bareTook += middle.Sub(start)
		callTook += time.Since(middle)
	}
	b.ReportMetric(float64(bareTook.Nanoseconds())/float64(b.N), "ns/bare")
	b.ReportMetric(float64(callTook.Nanoseconds())/float64(b.N), "ns/call")
	b.ReportMetric(float64(callTook)/float64(bareTook), "call/bare")
}
