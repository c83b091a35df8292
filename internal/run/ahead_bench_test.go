package run

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkSDK calls a tool that reads an argument and prints a structured result with the SDK,
// with and without a shell that was started ahead, and runs "bash -c :", one after the other, so that
// all meet the same machine. It shows the ratios to the latter of the tenth percentile and the median.
func BenchmarkSDK(b *testing.B) {
	fresh, ahead := newRuntime(b), newRuntime(b)
	_ = fresh.Runner.Adopt() // fails when it is not the first
	ahead.Runner, ahead.Prestart = fresh.Runner, 1
	installSDK(b, fresh)
	fresh.Reuse, ahead.Reuse, ahead.Home, ahead.Root = true, true, fresh.Home, fresh.Root
	tool := newTool(b, fresh, "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\nmcp_args_get -v name .name\nmcp_result_success \"{\\\"hello\\\":\\\"$name\\\"}\"\n")
	c := new(heard).call(tool)
	c.Args = []byte(`{"name":"Ada"}`)
	bash, err := exec.LookPath("bash")
	if err != nil {
		b.Skip("bash is not installed, so no shell can be started ahead: ", err)
	}
	call := func(r *Runtime) func() error {
		return func() error { _, err := r.Call(b.Context(), c); return err }
	}
	var took [3][]time.Duration
	for b.Loop() {
		if err := call(fresh)(); err != nil { // meanwhile the shell for the next call becomes ready
			b.Fatal(err)
		}
		for i, f := range []func() error{
			func() error { cmd := exec.Command(bash, "-c", ":"); cmd.Env = fresh.Env(); return cmd.Run() },
			call(fresh),
			call(ahead),
		} {
			start := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"bash", "fresh", "ahead"} {
		slices.Sort(took[i])
		for _, at := range []struct {
			name string
			in   int
		}{{"p10", 10}, {"median", 2}} {
			value := took[i][len(took[i])/at.in]
			b.ReportMetric(float64(value.Microseconds()), "µs/"+at.name+"-"+name)
			if i > 0 {
				b.ReportMetric(float64(value)/float64(took[0][len(took[0])/at.in]), name+"/bash-"+at.name)
			}
		}
	}
}
