package middleware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// whole returns all stages in the order of the server, with two workers.
func whole(s *mcp.Session, backlog int) []pipeline.Middleware {
	slow := func(m *pipeline.Message) bool { return m.Method() == "tools/call" }
	limit := func(m *pipeline.Message) time.Duration {
		if slow(m) {
			return 30 * time.Second
		}
		return 0
	}
	return chain(
		middleware.OutputGuard(1<<20),
		middleware.Breaker(middleware.Trip{}, quiet),
		middleware.Sanitize(),
		middleware.Batch(pipeline.MCP, func() bool { return s.Revision().Batches }),
		middleware.Stateless(knows),
		middleware.Lifecycle(s, admission),
		middleware.RateLimit(pipeline.MCP, middleware.Rates{Progress: 100, Logs: 100, Counted: func(method string) bool { return method != "ping" }}),
		middleware.Cancel(pipeline.MCP, quiet),
		middleware.Workers(middleware.NewSlots(2, backlog), slow, nil),
		middleware.Timeout(limit),
		middleware.Recover(quiet),
	)
}

// server are the methods behind the whole chain. tools/call does what its
// params say, after so many seconds.
func server(s *mcp.Session) pipeline.Mux {
	x := lifecycle(s)
	x["tools/call"] = func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		var p struct {
			Secs     int    `json:"secs"`
			Progress int    `json:"progress"`
			Panic    string `json:"panic"`
			Raw      string `json:"raw"`
		}
		if err := m.Decode(&p); err != nil {
			return nil, err
		}
		for i := range p.Progress {
			pipeline.From(ctx).Notify(ctx, progress, mcp.ProgressParams{Progress: json.RawMessage(fmt.Sprint(i))})
		}
		select {
		case <-time.After(time.Duration(p.Secs) * time.Second):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if p.Panic != "" {
			panic(p.Panic)
		}
		return m.Answer(json.RawMessage(p.Raw))
	}
	return x
}

func tool(id any, params string) string { return pipetest.Call(id, "tools/call", params) }

func TestTheStagesWorkTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := new(mcp.Session)
		c := pipetest.Start(t, whole(s, 10), server(s).Serve, pipeline.Options{Drain: grace})
		say := func(lines ...string) {
			c.Send(lines...)
			synctest.Wait()
		}
		hear := func(want ...string) { // in any order
			is.Helper()
			got := c.Written()
			slices.Sort(got)
			slices.Sort(want)
			is.Equal(cmp.Diff(want, got), "")
		}

		say("\ufeff"+tool(1, `{}`)+"\r", "", ping(2)) // too early
		hear(notInitialized(1), pong(2))
		say(initialize, initialized, initialize)
		hear(pong("i"), refusal("i", -32600, "invalid request: the session is already initialized"))
		say(batch(ping(3)))
		hear(refusal(nil, -32600, "invalid request: batches are not part of this protocol revision; send one message a line"))

		say(tool("slow", `{"secs":100}`), tool("cancelled", `{"secs":9}`), tool("queued", `{"raw":"{\n\"a\": 1}"}`), ping(4))
		hear(pong(4)) // both workers are busy
		say(tool("slow", `{}`))
		hear(refusal(nil, -32600, `invalid request: id "slow" belongs to a call that is still running`))
		say(cancelled("cancelled"))
		hear(answer("queued", `{"a":1}`)) // its worker is free again
		say(tool(5, `{"panic":"oh"}`), tool(6, `{"raw":"{ broken"}`), ping(7))
		hear(refusal(5, -32603, "internal error: panic while handling tools/call; see the server's log"), notValid(6), pong(7))
		<-time.After(30 * time.Second)
		say()
		hear(refusal("slow", -32603, "internal error: tools/call timed out after 30s"))

		say(tool(8, `{"secs":10}`), shutdown, ping(9))
		hear(pong("s"), shuttingDown(9))
		say(exit)
		hear(pong("e"))
		is.NoErr(c.Wait())
		hear(refusal(8, -32603, "pipeline closed")) // it exceeded its time limit
	})
}

func TestAFloodThroughTheChainIsAnsweredCompletely(t *testing.T) {
	is := is.New(t)
	s := session("2025-03-26")
	const rounds = 300
	var lines []string
	for i := range rounds {
		call := func(params string) string { return tool(len(lines), params) }
		lines = append(lines, ping(len(lines)))
		lines = append(lines, call(`{"raw":"{\"text\":\"a\\nb\"}","progress":3}`))
		lines = append(lines, batch(ping(len(lines)), cancelled("nobody")))
		if i%10 == 0 {
			lines = append(lines, call(`{"panic":"oh"}`))
		}
	}
	seen := map[string]int{}
	for _, line := range pipetest.Chain(t, whole(s, len(lines)), server(s).Serve, lines...) {
		m := pipeline.Parse([]byte(line))
		is.True(m.Kind() == pipeline.Response || m.Kind() == pipeline.Notification) // each line is a message
		seen[m.ID().String()]++
	}
	is.Equal(seen[""], 3*rounds) // the notifications
	for i := range lines {
		is.Equal(seen[fmt.Sprint(i)], 1) // one answer for each
	}
}

// BenchmarkPingThroughTheChain takes a ping from the stream through the whole
// chain of an open session, and its answer back. A part of it is the pipe that
// the benchmark writes to.
func BenchmarkPingThroughTheChain(b *testing.B) { benchmarkChain(b, ping(1)) }

// BenchmarkBatchThroughTheChain is a hundred pings on a line, so next to nothing
// of it is the pipe.
func BenchmarkBatchThroughTheChain(b *testing.B) {
	benchmarkChain(b, batch(slices.Repeat([]string{ping(1)}, 100)...))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(100*b.N), "ns/ping")
}

// BenchmarkWindowThroughTheChain is 64 pings that come in together.
func BenchmarkWindowThroughTheChain(b *testing.B) {
	benchmarkChain(b, strings.Repeat(ping(1)+"\n", 63)+ping(1))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(64*b.N), "ns/ping")
}

func benchmarkChain(b *testing.B, line string) {
	s := session("2025-03-26")
	r, w := io.Pipe()
	p := pipetest.New(r, io.Discard, whole(s, 10), server(s).Serve, pipeline.Options{})
	ended := make(chan error)
	go func() { ended <- p.Run(b.Context()) }()
	msg := []byte(line + "\n")
	b.ReportAllocs()
	for b.Loop() {
		w.Write(msg)
	}
	w.Close()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}
