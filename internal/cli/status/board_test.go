package status_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// begin begins a call.
func begin(b *status.Board, id int, method, params string) (ended func(middleware.CallEnd)) {
	return b.Observe(context.Background(), pipeline.Parse([]byte(pipetest.Call(id, method, params))))
}

func tool(b *status.Board, id int, name string) func(middleware.CallEnd) {
	return begin(b, id, "tools/call", fmt.Sprintf(`{"name":%q}`, name))
}

func TestASnapshotHasTheCallsThatRunOldestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b := status.NewBoard("2.0", 7)
		b.Serves("/srv/notes")
		second := tool(b, 2, "b")
		<-time.After(time.Second)
		tool(b, 1, "a")
		is.True(begin(b, 3, "ping", `{}`) == nil) // not one that counts
		s := b.Snapshot()
		is.Equal(s.PID, 7)
		is.Equal(s.Project, "/srv/notes")
		is.Equal(s.Running, 2)
		is.Equal([]string{s.InFlight[0].Name, s.InFlight[1].Name}, []string{"b", "a"})
		is.Equal(s.Time.Sub(s.InFlight[0].Began), time.Second)
		second(middleware.CallEnd{Outcome: "ok"})
		s = b.Snapshot()
		is.Equal(s.Running, 1)
		is.Equal(s.InFlight[0].ID, "1")
	})
}

func TestCallsAreCountedByHowTheyEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b := status.NewBoard("2.0", 7)
		for i, outcome := range []string{"ok", "failed", "refused", "cancelled", "failed"} {
			tool(b, i, "a")(middleware.CallEnd{Outcome: outcome, Reason: "reason " + outcome, Took: time.Duration(i) * time.Second})
		}
		tool(b, 9, "slow")(middleware.CallEnd{Outcome: "ok", Took: time.Minute})
		s := b.Snapshot()
		is.Equal([]uint64{s.Calls, s.Failed, s.Refused, s.Cancelled}, []uint64{6, 2, 1, 1})
		is.Equal(s.Slowest, []status.Tool{
			{Name: "slow", Calls: 1, MeanMS: 60_000, MaxMS: 60_000},
			{Name: "a", Calls: 4, Failed: 2, MeanMS: 2000, MaxMS: 4000}, // the refused one has not run
		})
		is.Equal(s.Rules, []status.Rule{{Outcome: "failed", Why: "reason failed", Calls: 2}, {Outcome: "refused", Why: "reason refused", Calls: 1}})
		is.Equal(len(s.Errors), 3)
		is.Equal(s.Errors[2].Reason, "reason failed")
		is.Equal(s.Errors[2].TookMS, int64(4000))
	})
}

func TestATaskThatFailsIsOneCall(t *testing.T) {
	is := is.New(t)
	b := status.NewBoard("2.0", 7)
	ended := tool(b, 1, "a")
	ended(middleware.CallEnd{Outcome: "task"})
	ended(middleware.CallEnd{Outcome: "failed", Task: true})
	s := b.Snapshot()
	is.Equal([]uint64{s.Calls, s.Failed, s.Slowest[0].Calls}, []uint64{1, 1, 1})
}

func TestFailedAndRefusedCallsAreCountedByRule(t *testing.T) {
	is := is.New(t)
	b := status.NewBoard("2.0", 7)
	seven := 7
	for i, end := range []middleware.CallEnd{
		{Outcome: "refused", Reason: "refused by no-secrets: line 1 has a token"},
		{Outcome: "failed", Reason: "no such host", Exit: &seven},
		{Outcome: "refused", Reason: "refused by no-secrets: line 9 has a token"},
	} {
		tool(b, i, "get")(end)
	}
	is.Equal(b.Snapshot().Rules, []status.Rule{{Outcome: "refused", Why: "refused by no-secrets", Calls: 2}, {Outcome: "failed", Why: "get, exit code 7", Calls: 1}})
}

func TestWhatInterceptorsDoIsCounted(t *testing.T) {
	is := is.New(t)
	b := status.NewBoard("2.0", 7)
	for range 3 {
		b.Intercepted("redact", "changed", false)
	}
	b.Intercepted("no-secrets", "refused", false) // its call is counted
	b.Intercepted("markers", "refused", true)
	is.Equal(b.Snapshot().Rules, []status.Rule{{Outcome: "changed", Why: "redact", Calls: 3}, {Outcome: "audit refused", Why: "markers", Calls: 1}})
}

func TestTheRateIsThatOfTheLastMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b := status.NewBoard("2.0", 7)
		call := func() { tool(b, 1, "a")(middleware.CallEnd{Outcome: "ok"}) }
		call()
		<-time.After(30 * time.Second)
		call()
		call()
		is.Equal(b.Snapshot().PerMinute, 3)
		<-time.After(30 * time.Second)
		is.Equal(b.Snapshot().PerMinute, 2)
		<-time.After(time.Hour)
		is.Equal(b.Snapshot().PerMinute, 0)
		is.Equal(b.Snapshot().Calls, uint64(3))
	})
}

func TestTheClientIsNamedInBothEras(t *testing.T) {
	is := is.New(t)
	b := status.NewBoard("2.0", 7)
	begin(b, 1, "initialize", `{"clientInfo":{"name":"robot","version":"1.0"}}`)
	is.Equal(b.Snapshot().Client, "robot 1.0")
	b = status.NewBoard("2.0", 7)
	begin(b, 1, "tools/call", `{"name":"a","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"guest","version":"3"}}}`)
	is.Equal(b.Snapshot().Client, "guest 3")
}

func TestWhatClientsMakeUpIsBounded(t *testing.T) {
	is := is.New(t)
	b := status.NewBoard("2.0", 7)
	long := strings.Repeat("ä", 1<<16)
	begin(b, 1, "initialize", `{"clientInfo":{"name":"`+long+`"}}`)
	for i := range 1000 {
		tool(b, i, fmt.Sprint("tool", i))(middleware.CallEnd{Outcome: "failed", Reason: "x"})
	}
	for i := range 1000 {
		tool(b, i, long[:1<<10])
	}
	s := b.Snapshot()
	is.True(len(s.Client) < 300)
	is.True(len(s.InFlight) <= 20 && len(s.Slowest) <= 10 && len(s.Errors) <= 5)
	is.Equal(s.Running, 1000)
	is.Equal(s.Failed, uint64(1000))
	for _, c := range s.InFlight {
		is.True(len(c.Name) < 300)
	}
}

func TestASnapshotHasTheLastLinesOfTheLog(t *testing.T) {
	is := is.New(t)
	var out strings.Builder
	b := status.NewBoard("2.0", 7)
	is.Equal(b.Snapshot().Log, []status.Line{})
	log := slog.New(b.Handler(slog.NewTextHandler(&out, nil)))
	log.Debug("not of this level")
	for i := range 20 {
		log.Info("line", "n", i)
	}
	log.With("project", "notes").WithGroup("git").Warn("slow", "error", errors.New("no route"))
	lines := b.Snapshot().Log
	is.Equal(len(lines), 10)
	is.Equal(lines[9].Text, "slow project=notes git.error=no route")
	is.Equal(lines[9].Level, "warn")
	is.Equal(lines[8].Text, "line n=19")
	is.True(strings.Contains(out.String(), "n=0")) // all of it is written
	is.True(strings.Contains(out.String(), "git.error"))
	log.Error(strings.Repeat("long", 1000))
	is.True(len(b.Snapshot().Log[9].Text) < 500)
}

func TestTheSecretIsNotShownWhereverAClientPutIt(t *testing.T) {
	is := is.New(t)
	const secret = "0123456789abcdef0123456789abcdef"
	b := status.NewBoard("2.0", 7, secret)
	slog.New(b.Handler(slog.DiscardHandler)).Warn("call", "id", secret)
	observed := b.Observe(context.Background(), pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":"`+secret+`","method":"tools/call","params":{"name":"`+secret+`"}}`)))
	shown, err := json.Marshal(b.Snapshot())
	is.NoErr(err)
	observed(middleware.CallEnd{Outcome: "failed"})
	ended, err := json.Marshal(b.Snapshot())
	is.NoErr(err)
	for _, text := range []string{string(shown), string(ended)} {
		is.True(strings.Contains(text, redact.Mark))
		is.True(!strings.Contains(text, secret[:20]))
	}
}

func BenchmarkACallIsCounted(b *testing.B) {
	board := status.NewBoard("2.0", 7)
	m := pipeline.Parse([]byte(pipetest.Call(1, "tools/call", `{"name":"a"}`)))
	log := slog.New(board.Handler(slog.NewTextHandler(io.Discard, nil)))
	for b.Loop() {
		board.Observe(context.Background(), m)(middleware.CallEnd{Outcome: "ok"})
		log.LogAttrs(context.Background(), slog.LevelInfo, "call", slog.String("name", "a"), slog.Int("in", 7))
	}
}
