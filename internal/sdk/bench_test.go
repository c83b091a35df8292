package sdk

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkOpenClose measures the cost for a tool that does not use the SDK: alone if nothing of the tool
// is left, so that the next channel gets the pipes.
func BenchmarkOpenClose(b *testing.B) {
	for name, alone := range map[string]bool{"left": false, "alone": true} {
		b.Run(name, func(b *testing.B) {
			var s Server
			defer s.Close()
			call := Call{Dir: b.TempDir(), Args: []byte(ada)}
			b.ReportAllocs()
			for b.Loop() {
				c, err := s.Open(context.Background(), call)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = c.Files(), c.Env()
				c.End(alone)
				c.Free()
			}
		})
	}
}

// times runs a script that repeats a command and prints how many microseconds it took, without the
// loop.
func (x *tool) times(b *testing.B, n int, command string) time.Duration {
	b.Helper()
	e := x.run(b, `
set +e
loop() {
	local i=0
	while [ $i -lt `+strconv.Itoa(n)+` ]; do
		eval "$1"
		i=$((i + 1))
	done
}
now() { _now=${EPOCHREALTIME/[.,]/}; }
now; a=$_now; loop :; now; c=$_now; loop '`+command+`' >/dev/null; now
echo $(((_now - c) - (c - a)))`)
	us, err := strconv.Atoi(strings.TrimSpace(e.stdout))
	if err != nil {
		b.Skip("this bash has no EPOCHREALTIME: ", e)
	}
	return time.Duration(us) * time.Microsecond
}

// BenchmarkHelpers measures how long a helper takes, side by side with a jq process that
// does the same.
func BenchmarkHelpers(b *testing.B) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		b.Skip("jq is not installed, so there is nothing to compare with")
	}
	args := `{"name":"Ada","count":12,"tags":["a","b"],"text":"a few words more"}`
	commands := []struct{ name, text string }{
		{"fork", `v=$(:)`},
		{"jq", `v=$(` + jq + ` -rc .name <<<"$MCP_TOOL_ARGS_JSON")`},
		{"args_get", `v=$(mcp_args_get .name)`},
		{"args_get_v", `mcp_args_get -v v .name`},
		{"obj", `v=$(mcp_json_obj a 1 b 2)`},
		{"progress", `mcp_progress 5 working`},
		{"large_v", `mcp_args_get -v v .`},
	}
	total := make([]time.Duration, len(commands))
	const n = 50
	for b.Loop() {
		for i, c := range commands {
			x := connected(nil)
			x.call.Args = []byte(args)
			x.env = []string{"MCP_TOOL_ARGS_JSON=" + args}
			if c.name == "large_v" {
				x.call.Args = []byte(`{"t":"` + strings.Repeat("x", 100_000) + `"}`)
			}
			total[i] += x.times(b, n, c.text)
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, c := range commands {
		b.ReportMetric(float64(total[i].Microseconds())/float64(n*b.N), "µs/"+c.name)
	}
	b.ReportMetric(float64(total[1])/float64(total[2]), "jq/args_get")
	b.ReportMetric(float64(total[1])/float64(total[3]), "jq/args_get_v")
}

// BenchmarkSource measures the cost of sourcing the SDK, compared with a bash that does nothing.
func BenchmarkSource(b *testing.B) {
	shell := bash(b)
	dir := b.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			b.Fatal(err)
		}
		return path
	}
	nothing, sdk := file("nothing.sh", ":\n"), file("sdk.sh", source)
	var s Server
	c, err := s.Open(b.Context(), Call{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	readRequests(c)
	run := func(path string, env ...string) time.Duration {
		cmd := exec.Command(shell, path)
		cmd.Env = append(append(env, "MCP_SDK="+installed), c.Env()...)
		cmd.ExtraFiles = c.Files()
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
		return time.Since(began)
	}
	var bare, sourced, best [2]time.Duration
	best[0], best[1] = time.Hour, time.Hour
	for b.Loop() {
		for i, path := range []string{nothing, sdk} {
			t := run(path)
			sourced[i] += t
			best[i] = min(best[i], t)
		}
	}
	_ = bare
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"bare", "sourced"} {
		b.ReportMetric(float64(sourced[i].Microseconds())/float64(b.N), "µs/"+name)
		b.ReportMetric(float64(best[i].Microseconds()), "µs/best-"+name)
	}
	fmt.Fprint(os.Stderr)
}
