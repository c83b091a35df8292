package handlers_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// A workshop is a project whose tools take the number of minutes in their calls, with the state
// that its sessions share.
type workshop struct {
	t       *testing.T
	project *catalog.Project
	slots   *middleware.Slots
	gates   handlers.Gates

	mu    sync.Mutex
	began []string // the arguments of the calls, in the order in which their tools began
}

func newWorkshop(t *testing.T, slots int) *workshop {
	root := t.TempDir()
	for path, text := range map[string]string{
		"tools/slow/tool.sh":         "#!/bin/sh\n",
		"tools/alone/tool.sh":        "#!/bin/sh\n",
		"tools/alone/tool.meta.json": `{"concurrency":1}`,
		"tools/denied/tool.sh":       "#!/bin/sh\n",
		"prompts/text.md":            "Hello",
		"resources/a.md":             "# A",
	} {
		write(t, filepath.Join(root, path), text)
	}
	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &workshop{t: t, project: p, slots: middleware.NewSlots(slots, 100)}
}

func (w *workshop) run(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
	w.mu.Lock()
	w.began = append(w.began, string(c.Args))
	w.mu.Unlock()
	select {
	case <-time.After(time.Minute):
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text("done")}}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// connect opens a session.
func (w *workshop) connect() *pipetest.Client {
	log, s := slog.New(slog.DiscardHandler), &mcp.Session{}
	s.Open(mcp.Latest(), mcp.ClientCapabilities{})
	s.Confirm()
	methods := handlers.Table(handlers.Families{
		Listens: &handlers.Listens{},
		Tools: handlers.Tools{
			Session: s, Catalog: w.project, Policy: &hooks.Policy{Allow: []string{"slow", "alone"}}, Roots: &roots.Roots{Ask: handlers.AskRoots(s), Log: log},
			Run: w.run, Gates: &w.gates, Logging: handlers.Logging{Session: s, Log: log},
		},
		Resources: &handlers.Resources{Session: s, Catalog: w.project},
		Prompts: &handlers.Prompts{Session: s, Catalog: w.project, Render: func(_ context.Context, p *catalog.Prompt, _ map[string]string, _ *mcp.Revision, _ sdk.Call) ([]mcp.PromptMessage, error) {
			text, err := p.Text()
			return []mcp.PromptMessage{{Role: p.Role, Content: mcp.Text(text)}}, err
		}},
	})
	stages := []pipeline.Middleware{
		middleware.Lifecycle(s, middleware.Admission{Early: methods.Early, Knows: methods.Knows}),
		middleware.Cancel(pipeline.MCP, log),
		middleware.Workers(w.slots, nil, methods.Slow),
		middleware.Timeout(methods.Limit),
	}
	return pipetest.Start(w.t, stages, methods.Serve, pipeline.Options{})
}

func use(id int, tool string) string {
	return pipetest.Call(id, "tools/call", fmt.Sprintf(`{"name":"%s","arguments":{"n":%d}}`, tool, id))
}

// ids returns the ids of the answers in lines.
func ids(lines []string) (ids []string) {
	for _, line := range lines {
		ids = append(ids, pipeline.Parse([]byte(line)).ID().String())
	}
	return ids
}

func TestCallsWithoutAScriptAreAnsweredWithoutASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := newWorkshop(t, 1).connect()
		start := time.Now()
		c.Send(use(1, "slow"), use(2, "slow"),
			use(3, "unknown"),
			use(4, "denied"),
			pipetest.Call(5, "tools/list", `{"cursor":"nonsense"}`),
			pipetest.Call(6, "tools/call", `{}`),
			pipetest.Call(7, "tools/list", ""),
			pipetest.Call(8, "prompts/list", ""),
			pipetest.Call(9, "resources/list", ""),
			pipetest.Call(10, "resources/templates/list", ""),
			pipetest.Call(11, "prompts/get", `{"name":"text"}`),
			pipetest.Call(12, "prompts/get", `{"name":"unknown"}`),
			pipetest.Call(13, "ping", ""))
		synctest.Wait()
		got := c.Written()
		is.Equal(ids(got), []string{"3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"})
		is.True(strings.Contains(got[0], "Unknown tool: unknown"))
		is.True(strings.Contains(got[1], "blocked by policy"))
		is.True(strings.Contains(got[2], "Invalid cursor"))
		is.True(strings.Contains(got[8], "Hello"))
		is.Equal(time.Since(start), time.Duration(0))
		is.NoErr(c.Close())
		is.Equal(time.Since(start), 2*time.Minute)
	})
}

func TestACallThatWaitsForItsToolHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		w := newWorkshop(t, 2)
		c := w.connect()
		start := time.Now()
		c.Send(use(1, "alone"), use(2, "alone"), use(3, "alone"), use(4, "slow"), use(5, "slow"))
		is.NoErr(c.Close())
		// 1 and 4 begin at once, 2 and 5 when they end, 3 at last.
		is.Equal(time.Since(start), 3*time.Minute)
		first, second := w.began[:2], w.began[2:4]
		slices.Sort(first)
		slices.Sort(second)
		is.Equal(w.began, []string{`{"n":1}`, `{"n":4}`, `{"n":2}`, `{"n":5}`, `{"n":3}`})
	})
}

func TestCallsOfOneToolBeginInOrderWhateverTheirSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		w := newWorkshop(t, 2)
		a, b := w.connect(), w.connect()
		var want []string
		for n := 1; n <= 10; n += 2 {
			a.Send(use(n, "alone"))
			synctest.Wait()
			b.Send(use(n+1, "alone"))
			synctest.Wait()
			want = append(want, fmt.Sprintf(`{"n":%d}`, n), fmt.Sprintf(`{"n":%d}`, n+1))
		}
		is.NoErr(a.Close())
		is.NoErr(b.Close())
		is.Equal(w.began, want)
	})
}

func TestACallThatIsCancelledAtTheGateOfItsToolLetsTheNextOnePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		w := newWorkshop(t, 2)
		c := w.connect()
		start := time.Now()
		c.Send(use(1, "alone"), use(2, "alone"), use(3, "alone"))
		synctest.Wait()
		c.Notify("notifications/cancelled", `{"requestId":2}`)
		synctest.Wait()
		c.Notify("notifications/cancelled", `{"requestId":1}`)
		is.NoErr(c.Close())
		is.Equal(w.began, []string{`{"n":1}`, `{"n":3}`})
		is.Equal(time.Since(start), time.Minute)
	})
}

// A slowDisk is a project that takes an hour to scan.
type slowDisk struct{ *catalog.Project }

func (d slowDisk) Tools(ctx context.Context) (catalog.Snapshot[*catalog.Tool], error) {
	<-time.After(time.Hour)
	return d.Project.Tools(ctx)
}

func TestASlowLookDelaysOthersOnlyBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &mcp.Session{}
		s.Open(mcp.Latest(), mcp.ClientCapabilities{})
		w := newWorkshop(t, 1)
		tools := handlers.Tools{Session: s, Catalog: slowDisk{w.project}, Policy: &hooks.Policy{}}
		methods := handlers.Table(handlers.Families{Tools: tools, Listens: &handlers.Listens{}})
		c := pipetest.Start(t, nil, methods.Serve, pipeline.Options{})
		start := time.Now()
		c.Send(pipetest.Call(1, "tools/list", ""), pipetest.Call(2, "ping", ""))
		is.Equal(ids([]string{c.Recv()}), []string{"2"})
		is.Equal(time.Since(start), 10*time.Millisecond)
		is.Equal(ids([]string{c.Recv()}), []string{"1"})
	})
}

func TestATaskKeepsTheGateOfItsToolUntilItEnds(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		d.tools["solo"] = &catalog.Tool{Described: catalog.Described{Name: "solo"}, Settings: &catalog.Settings{Concurrency: 1, TaskSupport: mcp.TaskRequired}}
		start := time.Now()
		first := d.begin("solo", tasking)
		second := d.begin("solo", tasking)
		is.Equal(time.Since(start), time.Second) // both are tasks soon
		<-time.After(61 * time.Second)
		is.Equal(d.ask("2", "tasks/get", tasking, first).Result.Status, "completed")
		is.Equal(d.ask("3", "tasks/get", tasking, second).Result.Status, "working")
		<-time.After(57 * time.Second)
		is.Equal(d.ask("4", "tasks/get", tasking, second).Result.Status, "working") // it began when the first one had ended
		<-time.After(2 * time.Second)
		is.Equal(d.ask("5", "tasks/get", tasking, second).Result.Status, "completed")
	})
}
